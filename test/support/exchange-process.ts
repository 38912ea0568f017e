/** Starts the complete exchange as a person would, on a free port and with a separate state directory. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDemoHousehold } from "../../scripts/lib/demo/demo-household.ts";
import type { ReadyFile } from "../../scripts/lib/exchange/exchange.ts";
import { openState } from "../../scripts/lib/exchange/state-directory.ts";
import type { RunningProcess } from "../../scripts/lib/exchange/state-lock.ts";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";

export type { ReadyFile };

/** The project's Node, whichever version runs the tests. */
const NODE = join(ROOT, "node_modules", ".bin", "node");

/** A program under test with its output. */
export interface Program {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** The exit code, or the signal that ended the program. */
  readonly exit: Promise<number | string>;
}

/** Runs a program in a separate process group, as a terminal does. */
export function run(command: string, args: readonly string[]): Program {
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const exit = new Promise<number | string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal ?? "SIGKILL"));
  });
  return { child, output: () => text, exit };
}

/** Runs one of the scripts, `start` or `demo`. */
export const runScript = (name: string, args: readonly string[]): Program =>
  run(NODE, [join(ROOT, "scripts", `${name}.ts`), ...args]);

const createdDirectories: string[] = [];

/** Creates an empty directory; `removeDirectories` removes it. */
export function createTemporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "mess-test-"));
  createdDirectories.push(directory);
  return directory;
}

/** Creates a state directory; if the test run has prepared a migrated index, it is copied. */
export function createMigratedState(): string {
  const directory = createTemporaryDirectory();
  const migrated = process.env["MESS_TEST_MIGRATED"];
  if (migrated !== undefined)
    for (const part of ["v3", "migrated"])
      cpSync(join(migrated, part), join(directory, part), { recursive: true });
  return directory;
}

export function removeDirectories(): void {
  for (const directory of createdDirectories.splice(0))
    rmSync(directory, { recursive: true, force: true });
}

export interface Stack {
  readonly ready: ReadyFile;
  readonly state: string;
  readonly output: () => string;
  /** The process groups of the exchange. */
  readonly groups: readonly number[];
  /** Stops it as Ctrl-C does; resolves with the exit code. */
  readonly stop: () => Promise<number | string>;
  /** Kills all of its processes at once with SIGKILL. */
  readonly kill: () => Promise<void>;
}

/**
 * Starts the exchange and resolves when it is ready.
 * @param state the state directory of an earlier exchange; a new one if absent
 * @param more further options of `npm start`
 */
export async function startStack(
  state: string = createMigratedState(),
  more: readonly string[] = [],
): Promise<Stack> {
  const readyFile = join(state, "ready.json");
  rmSync(readyFile, { force: true });
  const args = ["--port", "0", "--state", state, "--ready-file", readyFile, ...more];
  const program = runScript("start", args);
  const ready = await waitForReadyFile(program, readyFile);
  const { worker } = JSON.parse(readFileSync(join(state, "running"), "utf8")) as RunningProcess;
  const groups = [program.child.pid, worker].filter((pid) => pid !== undefined);
  return {
    ready,
    state,
    output: program.output,
    groups,
    stop: async () => {
      program.child.kill("SIGINT");
      return await program.exit;
    },
    kill: async () => {
      for (const group of groups) process.kill(-group, "SIGKILL");
      await program.exit;
      while (listProcesses(groups).length > 0) await sleep(10);
    },
  };
}

/** A household in the exchange that test files share. */
export interface SharedExchange {
  readonly ready: ReadyFile;
  readonly state: string;
}

/**
 * Creates a demo household for this test file in the exchange that the global setup has started, for tests that need no
 * separate processes.
 */
export async function joinExchange(): Promise<SharedExchange> {
  const directory = process.env["MESS_TEST_SHARED_STATE"] ?? "";
  const shared = JSON.parse(readFileSync(join(directory, "ready.json"), "utf8")) as ReadyFile;
  const { operatorKey, seed } = openState(directory);
  const id = `home-${randomUUID().slice(0, 4)}`;
  const { signal } = new AbortController();
  const state = { operatorKey, seed: `${seed} ${id}` };
  const { keys } = await createDemoHousehold(state, id, shared.origin, signal);
  return { ready: { ...shared, household: id, keys }, state: directory };
}

/** Reads the ready file as soon as it exists; throws if the program ends first. */
export async function waitForReadyFile(program: Program, readyFile: string): Promise<ReadyFile> {
  let exited: number | string | undefined;
  void program.exit.then((code) => (exited = code));
  while (!existsSync(readyFile)) {
    if (exited !== undefined)
      throw new Error(`ended with ${exited} before it was ready:\n${program.output()}`);
    await sleep(20);
  }
  return JSON.parse(readFileSync(readyFile, "utf8")) as ReadyFile;
}

/** Ids of running processes in these groups. Zombies do not count. */
export const listProcesses = (groups: readonly number[]): number[] =>
  (existsSync("/proc/self/stat") ? listFromProc() : listFromPs())
    .filter(({ group, state }) => groups.includes(group) && !state.startsWith("Z"))
    .map(({ pid }) => pid);

interface Process {
  pid: number;
  group: number;
  state: string;
}

/** Reads the processes from `/proc`, since Linux systems do not always have `ps`. */
const listFromProc = (): Process[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), group: Number(group), state }];
      } catch {
        return [];
      }
    });

const listFromPs = (): Process[] =>
  execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, group, state = ""]) => ({ pid: Number(pid), group: Number(group), state }));
