/** Who runs on a state directory: two exchanges on one state would tear its databases. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAnswering } from "./ports.ts";
import { PlainError } from "./program.ts";
import { readIfThere, type State, writeAtomically } from "./state-directory.ts";

/** `running`, the file by which a second program knows of the first. */
export interface RunningProcess {
  pid: number;
  port: number;
  /** Leader of the Worker's process group, once it is up. */
  worker?: number;
}

export interface StateLock {
  nameWorker(pid: number): void;
  leave(): void;
}

/** Milliseconds that a start may take, during which its port does not answer yet. */
const STARTING_MS = 60_000;

/** Takes the directory, unless the program that took it is still there. */
export async function lockState(state: State, port: number): Promise<StateLock> {
  const file = join(state.directory, "running");
  const holder = readHolder(file);
  if (holder && ((await isAnswering(holder.port)) || isYoung(file)))
    throw new PlainError(
      `Another exchange runs on ${state.directory}: process ${holder.pid}, port ${holder.port}. Stop it, or choose another state: --state DIR`,
    );
  const write = (running: RunningProcess) => writeAtomically(file, `${JSON.stringify(running)}\n`);
  write({ pid: process.pid, port });
  return {
    nameWorker: (worker) => write({ pid: process.pid, port, worker }),
    leave: () => rmSync(file, { force: true }),
  };
}

/** The other program, if there is still a process of its number. */
function readHolder(file: string): RunningProcess | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const running = JSON.parse(text) as RunningProcess;
  return running.pid !== process.pid && isAlive(running.pid) ? running : undefined;
}

/** Numbers of processes come again: a file that is old and a port that is silent speak of another one. */
const isYoung = (file: string): boolean => Date.now() - statSync(file).mtimeMs < STARTING_MS;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
