/** Runs wrangler as a child process, with its files in the state directory and isolated from the caller's settings. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readIfThere, type State } from "./state-directory.ts";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PRELOAD_FLAGS = [
  new URL("end-with-parent.ts", import.meta.url),
  new URL("redact-output.ts", import.meta.url),
].flatMap(({ href }) => ["--import", href]);

/** Variables of the caller that could select another environment or other secrets. */
const REMOVED_VARIABLES = /^(MESS_|CLOUDFLARE_|WRANGLER_|NODE_OPTIONS$|VITEST)/;

function buildEnvironment(state: State): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !REMOVED_VARIABLES.test(name));
  return {
    ...Object.fromEntries(own),
    NO_COLOR: "1",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_PATH: join(state.directory, "wrangler"),
    WRANGLER_REGISTRY_PATH: join(state.directory, "wrangler"),
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    // Caches compiled code: wrangler is ten megabytes of JavaScript.
    NODE_COMPILE_CACHE: join(ROOT, "node_modules", ".cache", "compiled"),
    // Its explorer would expose the storage to every site open in a local browser.
    X_LOCAL_EXPLORER: "false",
    // Its traces would store the URLs of all requests, including link tokens.
    X_LOCAL_OBSERVABILITY: "false",
  };
}

/**
 * Starts wrangler in its own process group, so that Ctrl-C reaches only the calling program, which then stops it.
 * @param log file for its output
 */
export function spawnWrangler(state: State, log: string, args: readonly string[]): ChildProcess {
  const output = openSync(log, "a", 0o600);
  const child = spawn(
    process.execPath,
    ["--no-warnings", ...PRELOAD_FLAGS, fileURLToPath(import.meta.resolve("wrangler")), ...args],
    {
      cwd: ROOT,
      env: buildEnvironment(state),
      stdio: ["ignore", output, output, "ipc"],
      detached: process.platform !== "win32",
    },
  );
  closeSync(output);
  return child;
}

/** Resolves with the exit code when the child has ended; -1 if a signal ended it. */
export const waitForEnd = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode ?? -1);
    else child.once("exit", (code) => resolve(code ?? -1));
  });

const GRACE_MS = 5_000;

/** Ends the child and all processes it started. */
export async function endProcess(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  const late = setTimeout(() => killGroup(child), GRACE_MS);
  await waitForEnd(child);
  clearTimeout(late);
  killGroup(child);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // The process group has ended already.
  }
}

/** The last lines of a log, for error messages. */
export const readTail = (log: string, lines = 30): string =>
  (readIfThere(log) ?? "").trimEnd().split("\n").slice(-lines).join("\n");
