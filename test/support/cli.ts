/** Runs the command line as a person or a script does: as a process without a terminal. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import { createTemporaryDirectory, type ReadyFile } from "./exchange-process.ts";

export const CLI_PROGRAM = join(ROOT, "cli", "mess.js");

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Cli {
  /** The folder in which the commands run. */
  readonly folder: string;
  readonly configPath: string;
  /** Runs a command to its end. @param stdin is empty if absent */
  run(args: readonly string[], stdin?: string): Promise<CliResult>;
  /** Runs a command with `--json`, and returns its result; throws unless it exits with 0. */
  json<T>(...args: readonly string[]): Promise<T>;
  /** Starts a command that the caller ends. */
  start(...args: readonly string[]): ReturnType<typeof spawn>;
}

/** A command line with an empty configuration, or with one profile for each key. */
export function createCli(
  origin: string,
  keys: Readonly<Record<string, string>> = {},
  program: readonly string[] = [process.execPath, CLI_PROGRAM],
): Cli {
  const folder = createTemporaryDirectory();
  const configPath = join(folder, "config.yaml");
  const exchanges = Object.fromEntries(
    Object.entries(keys).map(([name, api_key]) => [name, { url: origin, api_key }]),
  );
  if (Object.keys(keys).length > 0)
    writeFileSync(configPath, JSON.stringify({ exchanges }), { mode: 0o600 });
  const [command = "", ...first] = program;
  const start = (args: readonly string[]) =>
    spawn(command, [...first, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, MESS_CONFIG: configPath },
    });
  const run = (args: readonly string[], stdin = ""): Promise<CliResult> =>
    new Promise((resolve, reject) => {
      const child = start(args);
      const output = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const)
        child[name].setEncoding("utf8").on("data", (chunk: string) => (output[name] += chunk));
      child.once("error", reject);
      child.once("close", (code) => {
        resolve({ code, ...output });
      });
      child.stdin.end(stdin);
    });
  return {
    folder,
    configPath,
    run,
    start: (...args) => start(args),
    json: async <T>(...args: readonly string[]) => {
      const { code, stdout, stderr } = await run([...args, "--json"]);
      if (code !== 0) throw new Error(`mess ${args.join(" ")}: exit ${code}\n${stderr}`);
      return JSON.parse(stdout) as T;
    },
  };
}

/** The keys of the demo household by the names of profiles; the first one is the default. */
export const listProfiles = ({ keys }: Pick<ReadyFile, "keys">): Record<string, string> => ({
  owner: keys.owner,
  agent: keys.agent,
  phone: keys.executors["ann-phone"] ?? "",
  robot: keys.executors["roomba"] ?? "",
});
