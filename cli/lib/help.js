/** The texts of `mess help` and `mess COMMAND --help`. */
import { listOptions } from "./command.js";
import { EXIT_CODES, usageError } from "./errors.js";

/** The commands in the order in which a newcomer needs them. @type {readonly { title: string, names: string[] }[]} */
const SECTIONS = [
  { title: "Start here", names: ["login", "logout", "profiles"] },
  { title: "Ask for something", names: ["ask", "reply", "cancel", "send"] },
  { title: "Do what others ask", names: ["claim", "answer", "complete", "decline"] },
  { title: "Look", names: ["list", "show", "watch", "groups", "messages"] },
  { title: "The household", names: ["config", "pull", "push", "import", "export"] },
  { title: "Programs", names: ["mcp", "completion"] },
];

/** @param {readonly string[][]} rows */
function writeRows(rows) {
  const width = Math.max(...rows.map(([first = ""]) => first.length)) + 2;
  return rows
    .map(([first = "", ...others]) => `  ${first.padEnd(width)}${others.join(" ")}`)
    .join("\n");
}

/** @param {readonly import("./command.js").Command[]} commands @param {string} [topic] */
export function writeHelp(commands, topic) {
  if (topic === "exit-codes") return writeExitCodes();
  if (topic !== undefined)
    throw usageError(`there is no command ${topic}`, "mess help lists all commands.");
  const summaries = new Map(commands.map(({ name, summary }) => [name, summary]));
  const sections = SECTIONS.map(({ title, names }) => ({
    title,
    rows: names.flatMap((name) => (summaries.has(name) ? [[name, summaries.get(name) ?? ""]] : [])),
  })).filter(({ rows }) => rows.length > 0);
  return `mess asks people, robots and services for help, and answers them.

${sections.map(({ title, rows }) => `${title}\n${writeRows(rows)}`).join("\n\n")}

mess COMMAND --help explains a command with examples. mess help exit-codes lists the exit codes.
Every command takes --json, and --profile NAME where you use several exchanges.
`;
}

const writeExitCodes = () =>
  `Exit codes:\n${writeRows(Object.values(EXIT_CODES).map(([code, meaning]) => [String(code), String(meaning)]))}\n`;

/** @param {import("./command.js").Command} command */
export function writeCommandHelp(command) {
  const { summary, usage, description, examples = [] } = command;
  const options = Object.entries(listOptions(command)).map(
    ([name, { short, value, choices, help }]) => [
      `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
      choices ? `${help}: ${choices.join(", ")}` : help,
    ],
  );
  return [
    `${summary}.`,
    `\nUsage:\n${usage.map((one) => `  ${one}`).join("\n")}`,
    ...(description === undefined ? [] : [`\n${description}`]),
    `\nOptions:\n${writeRows(options)}`,
    ...(examples.length === 0
      ? []
      : [
          `\nExamples:\n${examples.map(([line, effect]) => `  # ${effect}\n  ${line}`).join("\n")}`,
        ]),
    "",
  ].join("\n");
}
