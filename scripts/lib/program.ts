/** Common parts of the command line programs: usage, exit codes, stopping on a signal. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Options, readOptions, UsageError } from "./options.ts";

/** An error whose message is printed without a stack trace. */
export class PlainError extends Error {}

/** Aborted by SIGINT (Ctrl-C), SIGTERM or SIGHUP. */
export const stopController = new AbortController();

/** Runs start or demo with its options. */
export const runCommand = (
  command: "start" | "demo",
  defaultPort: number,
  usage: string,
  main: (options: Options, signal: AbortSignal) => Promise<void>,
): Promise<void> => runProgram((args) => readOptions(command, args, defaultPort), usage, main);

/**
 * Runs a program. Exit codes: 0 done or stopped by a signal, 1 failed, 2 invalid options.
 * @param read parses the options; returns undefined for --help; throws UsageError
 */
export async function runProgram<O>(
  read: (args: readonly string[]) => O | undefined,
  usage: string,
  main: (options: O, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => stopController.abort());
  for (const stream of [process.stdout, process.stderr]) stream.on("error", stopAtClosedPipe);
  try {
    const options = read(process.argv.slice(2));
    if (!options) {
      console.log(usage);
      return;
    }
    await main(options, stopController.signal);
  } catch (error) {
    if (stopController.signal.aborted) return;
    process.exitCode = error instanceof UsageError ? 2 : 1;
    if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`);
    else console.error(error instanceof PlainError ? error.message : error);
  }
}

/** Reason of the signal when the reader of the output is gone, as in `npm start | head -1`. */
export const CLOSED_PIPE = "closed pipe";

function stopAtClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  stopController.abort(CLOSED_PIPE);
}

/** Time in milliseconds in which a reader such as `head` ends after the lines that it wanted. */
const READER_END_MS = 300;

/** Says how to stop the program, and resolves when the signal is aborted. */
export async function waitForStop(signal: AbortSignal): Promise<void> {
  // Only a write shows that the reader is gone, and nothing else may be written for hours.
  await sleep(READER_END_MS);
  if (!signal.aborted) console.log("Press Ctrl-C to stop.");
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
