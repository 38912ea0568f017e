/** Runs one command: parses the arguments, prints the result or the error, and returns the exit code. */
import { readFileSync } from "node:fs";
import { GLOBAL_OPTIONS, parseCommand } from "./command.js";
import { COMMANDS } from "./commands.js";
import { CliError, getExitCode, usageError } from "./errors.js";
import { Exchange } from "./exchange.js";
import { writeCommandHelp, writeHelp } from "./help.js";
import { checkConfigMode, chooseProfile } from "./profiles.js";
import { toSafeText } from "./text.js";

const DEFAULT_WIDTH = 100;

/** @returns {string} */
export const readVersion = () =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;

/** @param {readonly string[]} argv @returns {Promise<number>} */
export async function run(argv) {
  // A reader such as `head` that has seen enough is no error.
  process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) =>
    process.exit(error.code === "EPIPE" ? 0 : 1),
  );
  const json = argv.includes("--json");
  try {
    return getExitCode((await runCommand(argv)) ?? "ok");
  } catch (error) {
    const known = error instanceof CliError ? error : toFileError(error);
    if (!known) throw error;
    printError(known, json);
    return getExitCode(known.exit);
  }
}

/** An error of the file system, such as a full disk; undefined for a defect. @param {unknown} error */
function toFileError(error) {
  const { syscall, path, code } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  return syscall === undefined || path === undefined
    ? undefined
    : new CliError(`${path} could not be read or written (${code})`, {
        hint: "Check that the folder exists, that you may write there, and that the disk has space.",
      });
}

/** @param {readonly string[]} argv */
async function runCommand(argv) {
  const [name, args] = splitArguments(argv);
  if (argv[0] === "--version" || argv[0] === "-v")
    return void process.stdout.write(`${readVersion()}\n`);
  if (name === undefined || name === "help") {
    const about = COMMANDS.find((one) => one.name === args[0]);
    return void process.stdout.write(
      about ? writeCommandHelp(about) : writeHelp(COMMANDS, args[0]),
    );
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) throw usageError(`there is no command ${toSafeText(name)}`, suggestCommand(name));
  if (args.includes("--help") || args.includes("-h"))
    return void process.stdout.write(writeCommandHelp(command));
  const parsed = parseCommand(command, args);
  return await command.run(createContext(parsed));
}

/** The name of the command is the first argument that is no option; global options may stand before it. @param {readonly string[]} argv */
function splitArguments(argv) {
  let at = 0;
  while (argv[at]?.startsWith("-")) {
    const option = Object.entries(GLOBAL_OPTIONS).find(
      ([name, { short }]) => argv[at] === `--${name}` || argv[at] === `-${short}`,
    );
    if (argv[at] === "--help" || argv[at] === "-h") return /** @type {const} */ ([undefined, []]);
    at += option?.[1].type === "string" ? 2 : 1;
  }
  return /** @type {const} */ ([argv[at], [...argv.slice(0, at), ...argv.slice(at + 1)]]);
}

/** @param {string} name */
function suggestCommand(name) {
  const near = COMMANDS.filter(
    (one) => one.name.startsWith(name.slice(0, 2)) || one.name.includes(name),
  );
  return near.length > 0
    ? `Did you mean ${near.map((one) => `mess ${one.name}`).join(", ")}?`
    : "mess help lists all commands.";
}

/** @param {string} text */
const note = (text) => void process.stderr.write(`${text}\n`);

/** @param {ReturnType<typeof parseCommand>} parsed @returns {import("./command.js").Context} */
function createContext({ values, args }) {
  const json = values["json"] === true;
  /** @type {Exchange | undefined} */
  let exchange;
  return {
    values,
    args,
    json,
    width: process.stdout.columns || DEFAULT_WIDTH,
    note,
    line: (text) => void process.stdout.write(`${text}\n`),
    exchange: () => {
      if (!exchange) {
        const warning = checkConfigMode();
        if (warning !== undefined) note(`warning: ${warning}`);
        exchange = new Exchange(chooseProfile(values["profile"]));
      }
      return exchange;
    },
    show: (value, render) => {
      const text = json ? JSON.stringify(value, null, 2) : render(value);
      process.stdout.write(text === "" || text.endsWith("\n") ? text : `${text}\n`);
    },
  };
}

/** @param {CliError} error @param {boolean} json */
function printError({ message, hint, code, detail }, json) {
  const text = json
    ? JSON.stringify({
        error: detail ?? { message, ...(code ? { code } : {}), ...(hint ? { hint } : {}) },
      })
    : `mess: ${toSafeText(message)}${hint === undefined ? "" : `\n${toSafeText(hint)}`}`;
  process.stderr.write(`${text}\n`);
}
