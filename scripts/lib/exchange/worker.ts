/** Runs the Worker on this machine: migrates the index, starts wrangler, waits until it is healthy. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Options } from "../options.ts";
import { HOST } from "./ports.ts";
import { PlainError } from "../program.ts";
import { readIfThere, type State, writeAtomically } from "./state-directory.ts";
import { endProcess, waitForEnd, ROOT, spawnWrangler, readTail } from "./wrangler.ts";

export interface RunningWorker {
  readonly origin: string;
  /** Process group leader of the Worker. */
  readonly pid: number;
  /** Resolves with the exit code when the Worker has ended. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

/** In place of wrangler.toml. Tests name one with a bundled Worker, since wrangler takes seconds to bundle it. */
const CONFIG_FILE = process.env["MESS_WRANGLER_CONFIG"];

/** Starts the Worker on a free port and resolves when it answers. It logs to `worker.log` in the state directory. */
export async function startWorker(
  state: State,
  port: number,
  signal: AbortSignal,
  { pages, publicOrigin, limits = "" }: Partial<Pick<Options, "pages" | "publicOrigin" | "limits">>,
): Promise<RunningWorker> {
  const log = join(state.directory, "worker.log");
  if (existsSync(log)) renameSync(log, join(state.directory, "worker.previous.log"));
  removeTraces(state);
  await migrate(state, log, signal);
  const origin = `http://${HOST}:${port}`;
  const config = CONFIG_FILE === undefined ? [] : ["--config", CONFIG_FILE];
  const args = ["dev", ...config, "--ip", HOST, "--port", String(port), "--inspector-port", "0"];
  const quiet = ["--show-interactive-dev-session=false", "--log-level", "log"];
  const files = ["--persist-to", state.directory, "--env-file", state.secretsFile];
  // Links point to this machine unless it is reachable from outside, and channels may call local servers.
  const links = `PUBLIC_ORIGIN:${publicOrigin ?? origin}`;
  const vars = ["--var", links, "--var", "EGRESS_LOOPBACK:allow", "--var", `LIMITS:${limits}`];
  const assets = pages === undefined ? [] : ["--assets", pages];
  const child = spawnWrangler(state, log, [...args, ...files, ...vars, ...assets, ...quiet]);
  const childEnd = waitForEnd(child);
  try {
    await waitUntilHealthy(origin, childEnd, signal);
  } catch (error) {
    await endProcess(child);
    if (signal.aborted) throw error;
    throw new PlainError(
      `The Worker did not start: ${(error as Error).message}\n\n${readTail(log)}`,
    );
  }
  return { origin, pid: child.pid ?? 0, ended: childEnd, stop: () => endProcess(child) };
}

/** Earlier versions let wrangler store traces in the state, with the full URL of every request. */
const removeTraces = ({ directory }: State): void =>
  rmSync(join(directory, "v3", "observability"), { recursive: true, force: true });

async function waitUntilHealthy(
  origin: string,
  childEnd: Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  let endReason: string | undefined;
  void childEnd.then((code) => (endReason = `it exited with code ${code}`));
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    if (endReason) throw new Error(endReason);
    if (Date.now() > deadline) throw new Error(`no answer within ${START_TIMEOUT_MS / 1_000} s`);
    try {
      const timeout = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
      const response = await fetch(`${origin}/healthz`, { signal: timeout });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await sleep(50);
  }
}

/** Applies the migrations of the index, unless the state has them already. */
export async function migrate(state: State, log: string, signal: AbortSignal): Promise<void> {
  const directory = join(ROOT, "migrations");
  const digest = createHash("sha256");
  for (const name of readdirSync(directory).toSorted())
    digest.update(name).update(readFileSync(join(directory, name)));
  const expectedDigest = digest.digest("hex");
  const markFile = join(state.directory, "migrated");
  if (
    readIfThere(markFile)?.trim() === expectedDigest &&
    existsSync(join(state.directory, "v3", "d1"))
  )
    return;
  rmSync(markFile, { force: true });
  const args = ["d1", "migrations", "apply", "INDEX", "--local", "--persist-to", state.directory];
  const child = spawnWrangler(state, log, args);
  const stop = () => void endProcess(child);
  signal.addEventListener("abort", stop);
  const code = await waitForEnd(child);
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  if (code !== 0) throw new PlainError(`The migrations of the index failed.\n\n${readTail(log)}`);
  writeAtomically(markFile, `${expectedDigest}\n`);
}
