/** Runs an exchange with the demo household, for start, demo and simulate. */
import { rmSync } from "node:fs";
import { setUpHousehold } from "../demo/demo-household.ts";
import type { Options } from "../options.ts";
import { claimPort } from "./ports.ts";
import { PlainError } from "../program.ts";
import { lockState, waitForRelease } from "./state-lock.ts";
import { type Keys, openState, writeAtomically } from "./state-directory.ts";
import { startWorker } from "./worker.ts";

/** Content of the ready file: all that a program needs to use the exchange. */
export interface ReadyFile {
  origin: string;
  /** Address of the MCP server. */
  mcp: string;
  household: string;
  keys: Keys;
}

/**
 * Starts the exchange on the state directory, runs `use` and then always stops the exchange.
 * @throws PlainError if the Worker exits before `use` has ended
 */
export async function withExchange(
  {
    port,
    readyFile,
    pages,
    publicOrigin,
    limits,
  }: Pick<Options, "port" | "readyFile"> &
    Partial<Pick<Options, "pages" | "publicOrigin" | "limits">>,
  directory: string,
  signal: AbortSignal,
  use: (ready: ReadyFile) => Promise<void>,
): Promise<void> {
  // Before the port, which a killed exchange still holds too.
  await waitForRelease(directory, signal);
  const free = await claimPort(port);
  const state = openState(directory);
  const lock = await lockState(state, free, signal);
  try {
    const worker = await startWorker(state, free, signal, { pages, publicOrigin, limits });
    try {
      lock.nameWorker(worker.pid);
      const { household, keys } = await setUpHousehold(state, worker.origin, signal);
      const ready: ReadyFile = {
        origin: worker.origin,
        mcp: `${worker.origin}/mcp`,
        household,
        keys,
      };
      if (readyFile !== undefined)
        writeAtomically(readyFile, `${JSON.stringify(ready, null, 2)}\n`);
      const workerEnd = worker.ended.then((code) => {
        throw new PlainError(
          `The Worker exited with code ${code}. See its log: ${directory}/worker.log`,
        );
      });
      await Promise.race([use(ready), workerEnd]);
    } finally {
      if (readyFile !== undefined) rmSync(readyFile, { force: true });
      await worker.stop();
    }
  } finally {
    lock.leave();
  }
}
