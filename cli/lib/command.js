/** The type of a command. Its table gives the help, the completion and the parsing of arguments. */
import { parseArgs } from "node:util";
import { usageError } from "./errors.js";

/**
 * @typedef {object} Option
 * @property {"string" | "boolean"} type
 * @property {string} help
 * @property {string} [short]
 * @property {boolean} [multiple]
 * @property {string} [value] the value's name in the help
 * @property {readonly string[]} [choices]
 */

/**
 * @typedef {object} Context
 * @property {Record<string, any>} values the options
 * @property {string[]} args the other arguments
 * @property {() => import("./exchange.js").Exchange} exchange the exchange to call
 * @property {(value: any, render: (value: any) => string) => void} show prints the result: as JSON, or as rendered
 * @property {(text: string) => void} note prints a message about the progress, which is no result
 * @property {(text: string) => void} line prints one line of a continuous output
 * @property {boolean} json
 * @property {number} width of the terminal
 */

/**
 * @typedef {object} Command
 * @property {string} name
 * @property {string} summary
 * @property {readonly string[]} usage
 * @property {Readonly<Record<string, Option>>} [options]
 * @property {string} [description]
 * @property {readonly (readonly [string, string])[]} [examples] a command and what it does
 * @property {readonly string[]} [words] first arguments, for completion
 * @property {(context: Context) => Promise<void | import("./errors.js").ExitName>} run
 */

/** @type {Readonly<Record<string, Option>>} */
export const GLOBAL_OPTIONS = {
  profile: {
    type: "string",
    short: "p",
    value: "NAME",
    help: "the exchange to use, where you have several",
  },
  json: { type: "boolean", help: "print the result as JSON, for programs" },
  help: { type: "boolean", short: "h", help: "explain the command" },
};

/** @param {Command} command @returns {Readonly<Record<string, Option>>} */
export const listOptions = (command) => ({ ...command.options, ...GLOBAL_OPTIONS });

/**
 * @param {Command} command
 * @param {readonly string[]} args
 */
export function parseCommand(command, args) {
  const described = listOptions(command);
  const options = Object.fromEntries(
    Object.entries(described).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  );
  const help = `See: mess ${command.name} --help`;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    });
    for (const [name, { choices }] of Object.entries(described)) {
      const given = values[name];
      if (choices && typeof given === "string" && !choices.includes(given))
        throw usageError(`--${name}: ${given} is not one of ${choices.join(", ")}`, help);
    }
    return { values: /** @type {Record<string, any>} */ (values), args: positionals };
  } catch (error) {
    if (error instanceof TypeError) throw usageError(describeParseError(error), help);
    throw error;
  }
}

/** The first sentence of Node's message; the others are about `--`. @param {TypeError} error */
const describeParseError = ({ message }) => (message.split(". ")[0] ?? message).replace(/\.$/, "");

/**
 * The arguments by name; refuses missing and superfluous ones.
 * @param {Context} context
 * @param {readonly string[]} names the last one may end with "?", or with "…" for all that remain, joined by spaces
 * @param {string} usage
 * @returns {string[]}
 */
export function readArguments({ args }, names, usage) {
  const rest = names.at(-1)?.endsWith("…");
  if (!rest && args.length > names.length)
    throw usageError(`unexpected argument: ${args[names.length]}`, `Write: ${usage}`);
  const read = names.map((name, index) => {
    const value = name.endsWith("…") ? args.slice(index).join(" ") : (args[index] ?? "");
    if (value === "" && !/[?]…?$/.test(name))
      throw usageError(`${name.replace("…", "")} is missing`, `Write: ${usage}`);
    return value;
  });
  return read;
}

/** Seconds of a duration such as 90s, 10m, 2h. @param {string | undefined} text @param {string} option */
export function readSeconds(text, option) {
  if (text === undefined) return undefined;
  const [, number, unit = "s"] = /^(\d+)(s|m|h|d)?$/.exec(text) ?? [];
  if (number === undefined)
    throw usageError(`${option}: ${text} is not a duration`, "Write it like 90s, 10m or 2h.");
  return (
    Number(number) *
    { s: 1, m: 60, h: 3_600, d: 86_400 }[/** @type {"s" | "m" | "h" | "d"} */ (unit)]
  );
}
