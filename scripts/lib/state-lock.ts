/** Lock of a state directory: two exchanges on one state would corrupt its databases. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAnswering } from "./ports.ts";
import { PlainError } from "./program.ts";
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

/** Locks the directory. @throws PlainError if another exchange uses it */
export async function lockState(state: State, port: number): Promise<StateLock> {
  const file = join(state.directory, "running");
  const holder = readHolder(file);
  if (holder && ((await isAnswering(holder.port)) || isYoung(file)))
    throw new PlainError(
      `Another exchange is using ${state.directory}: process ${holder.pid}, port ${holder.port}. Stop it, or choose another directory: --state DIR`,
    );
  const write = (running: RunningProcess) => writeAtomically(file, `${JSON.stringify(running)}\n`);
  write({ pid: process.pid, port });
  return {
    nameWorker: (worker) => write({ pid: process.pid, port, worker }),
    leave: () => rmSync(file, { force: true }),
  };
}

/** The lock's content, if its process is still alive. */
function readHolder(file: string): RunningProcess | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const running = JSON.parse(text) as RunningProcess;
  return running.pid !== process.pid && isAlive(running.pid) ? running : undefined;
}

/** Process ids are reused: an old lock file with a silent port belongs to a process that is gone. */
const isYoung = (file: string): boolean => Date.now() - statSync(file).mtimeMs < STARTING_MS;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
