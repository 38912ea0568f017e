/** Command line options of start and demo. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface Options {
  /** 0 selects any free port. */
  port: number;
  /** Absolute path; undefined for the command's default. */
  state: string | undefined;
  readyFile: string | undefined;
  /** Origin of the links, where a tunnel or proxy makes the exchange reachable; undefined for this machine only. */
  publicOrigin: string | undefined;
  /** Start only: the variable LIMITS. */
  limits: string | undefined;
  /** Start only: directory with another copy of the pages, such as the bundled one. */
  pages: string | undefined;
  /** Demo only: stop after the demo. */
  once: boolean;
  /** Demo only: directory for the photo and the archive. */
  out: string | undefined;
}

/** An invalid command line; the message is shown with the usage. */
export class UsageError extends Error {}

const COMMON_OPTIONS = {
  port: { type: "string" },
  state: { type: "string" },
  "ready-file": { type: "string" },
  "public-origin": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;
const START_OPTIONS = {
  ...COMMON_OPTIONS,
  pages: { type: "string" },
  limits: { type: "string" },
} as const;
const DEMO_OPTIONS = {
  ...COMMON_OPTIONS,
  once: { type: "boolean" },
  out: { type: "string" },
} as const;

const readPort = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new UsageError(`--port ${text}: must be a port number from 0 to 65535`);
  return port;
};

const readPath = (given: string | undefined, name: string): string | undefined => {
  if (given === "") throw new UsageError(`--${name}: the path is missing`);
  return given === undefined ? undefined : resolve(given);
};

/** Links need HTTPS on other devices, since browsers send the cookies of the pages over HTTPS only. */
function readOrigin(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== "https:" || url.pathname !== "/" || url.search !== "")
    throw new UsageError(
      `--public-origin ${given}: must be an https address without a path, such as https://example.trycloudflare.com`,
    );
  return url.origin;
}

/**
 * Parses the arguments after the script's name; undefined for --help.
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
    publicOrigin: readOrigin(values["public-origin"]),
    pages: readPath(values.pages, "pages"),
    limits: values.limits,
    once: values.once ?? false,
    out: readPath(values.out, "out"),
  };
}

interface ParsedOptions {
  port?: string;
  state?: string;
  "ready-file"?: string;
  "public-origin"?: string;
  help?: boolean;
  pages?: string;
  limits?: string;
  once?: boolean;
  out?: string;
}

function parseOptions(command: "start" | "demo", args: readonly string[]): ParsedOptions {
  try {
    return command === "demo"
      ? parseArgs({ args: [...args], options: DEMO_OPTIONS, strict: true }).values
      : parseArgs({ args: [...args], options: START_OPTIONS, strict: true }).values;
  } catch (error) {
    const [first] = (error as Error).message.split(/[.\n]/);
    throw new UsageError(first ?? "the options are invalid");
  }
}
