/** The command lines of start and demo. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface Options {
  /** 0 for any free port. */
  port: number;
  /** Absolute; undefined where the command chooses. */
  state: string | undefined;
  readyFile: string | undefined;
  /** Demo only: end after the main job. */
  once: boolean;
  /** Demo only: where photo and archive go. */
  out: string | undefined;
}

/** A command line that cannot be followed; the message is for the person who typed it. */
export class UsageError extends Error {}

const COMMON_OPTIONS = {
  port: { type: "string" },
  state: { type: "string" },
  "ready-file": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;
const DEMO_OPTIONS = { once: { type: "boolean" }, out: { type: "string" } } as const;

const readPort = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port ${text}: not a port, which is 0 to 65535`);
  return port;
};

const readPath = (given: string | undefined, name: string): string | undefined => {
  if (given === "") throw new UsageError(`--${name}: no path given`);
  return given === undefined ? undefined : resolve(given);
};

/**
 * Reads the arguments after the script's name; undefined where help was asked for.
 * @throws UsageError
 */
export function readOptions(
  command: "start" | "demo",
  args: readonly string[],
  defaultPort: number,
): Options | undefined {
  const values = parseOptions(command, args);
  if (values.help) return undefined;
  return {
    port: values.port === undefined ? defaultPort : readPort(values.port),
    state: readPath(values.state, "state"),
    readyFile: readPath(values["ready-file"], "ready-file"),
    once: values.once ?? false,
    out: readPath(values.out, "out"),
  };
}

interface ParsedOptions {
  port?: string;
  state?: string;
  "ready-file"?: string;
  help?: boolean;
  once?: boolean;
  out?: string;
}

function parseOptions(command: "start" | "demo", args: readonly string[]): ParsedOptions {
  try {
    const options = command === "demo" ? { ...COMMON_OPTIONS, ...DEMO_OPTIONS } : COMMON_OPTIONS;
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    const [first] = (error as Error).message.split(/[.\n]/);
    throw new UsageError(first ?? "the options cannot be read");
  }
}
