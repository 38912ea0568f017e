/** Lock of a state directory: two exchanges on one state would corrupt its databases. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAnswering } from "./ports.ts";
import { PlainError } from "../program.ts";
import { readIfThere, type State, writeAtomically } from "./state-directory.ts";

/** Content of the lock file `running`. */
export interface RunningProcess {
  pid: number;
  port: number;
  /** Process group leader of the Worker, once it is started. */
  worker?: number;
}

export interface StateLock {
  nameWorker(pid: number): void;
  leave(): void;
}

/** Longest start in milliseconds, during which the port does not answer yet. */
const STARTING_MS = 60_000;

/** How long the exchange of another process may take to end: after a kill its Worker still runs for a few seconds. */
const RELEASE_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 100;

const getLockFile = (directory: string): string => join(directory, "running");

/** Waits until no exchange uses the directory. @throws PlainError if one still does after ten seconds */
export async function waitForRelease(directory: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + RELEASE_TIMEOUT_MS;
  for (;;) {
    const holder = await findHolder(getLockFile(directory));
    if (!holder) return;
    if (Date.now() > deadline)
      throw new PlainError(
        `Another exchange is using ${directory}: process ${holder.pid}, port ${holder.port}. Stop it, or choose another directory: --state DIR`,
      );
    await sleep(CHECK_INTERVAL_MS, undefined, { signal });
  }
}

/** Locks the directory for this process. @throws PlainError as `waitForRelease` */
export async function lockState(
  { directory }: State,
  port: number,
  signal: AbortSignal,
): Promise<StateLock> {
  await waitForRelease(directory, signal);
  const file = getLockFile(directory);
  const write = (running: RunningProcess) => writeAtomically(file, `${JSON.stringify(running)}\n`);
  write({ pid: process.pid, port });
  return {
    nameWorker: (worker) => write({ pid: process.pid, port, worker }),
    leave: () => rmSync(file, { force: true }),
  };
}

/** The exchange that uses the directory: one that is starting, or one whose Worker answers. */
async function findHolder(file: string): Promise<RunningProcess | undefined> {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const holder = JSON.parse(text) as RunningProcess;
  if (holder.pid === process.pid) return undefined;
  const { pid, worker } = holder;
  const isRunning = isAlive(pid) || (worker !== undefined && isAlive(worker));
  return isRunning && (isYoung(file) || (await isAnswering(holder.port))) ? holder : undefined;
}

/** Process ids are reused: an old lock file with a silent port belongs to a process that is gone. */
function isYoung(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < STARTING_MS;
}

/** A process that ended and that its parent has not collected yet (state Z) is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat === undefined || !/^ [ZX] /.test(stat.slice(stat.lastIndexOf(")") + 1));
}
