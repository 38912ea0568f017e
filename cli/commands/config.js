/** `mess config`: reads and changes the household's configuration. */
import { parse, stringify } from "yaml";
import { readArguments } from "../lib/command.js";
import { CliError, usageError } from "../lib/errors.js";
import { readText } from "../lib/files.js";
import { toSafeText } from "../lib/text.js";

const USAGE = [
  "mess config [get [PATH]]",
  "mess config set PATH VALUE",
  "mess config set --file FILE",
];

/** @type {import("../lib/command.js").Command} */
export const config = {
  name: "config",
  summary: "Show or change the household's members, routing and settings, for owners",
  usage: USAGE,
  description: `PATH names a part with dots, such as executors.ann.capabilities. VALUE is YAML; null removes an entry.
What you leave out stays as it is. Secrets are shown as \${NAME}, and stay set if you send that back.`,
  options: {
    file: {
      type: "string",
      short: "f",
      value: "FILE",
      help: "a config.yaml, or - for standard input",
    },
  },
  examples: [
    ["mess config get executors", "all members that do things"],
    ['mess config set executors.ann.quiet_hours "22:00-07:00"', "one setting"],
    ["mess config set --file config.yaml", "a whole file"],
  ],
  words: ["get", "set"],
  run: async (context) => {
    const [action = "", path = "", value = ""] = readArguments(
      context,
      ["get?", "PATH?", "VALUE?…"],
      USAGE.join(", or "),
    );
    if (action === "set") return await setConfig(context, path, value);
    if (action !== "" && action !== "get")
      throw usageError(`there is no action ${action}`, `Write: ${USAGE.join(", or ")}`);
    const { config: whole } = await context.exchange().get("/api/v1/config");
    const part = path === "" ? whole : readPart(whole, path);
    context.show(part, (found) =>
      typeof found === "object" ? stringify(found) : toSafeText(found),
    );
  },
};

/** @param {any} whole @param {string} path */
function readPart(whole, path) {
  const part = path.split(".").reduce((value, key) => value?.[key], whole);
  if (part !== undefined) return part;
  throw new CliError(`the configuration has no ${path}`, {
    hint: `It has: ${Object.keys(whole).join(", ")}`,
    exit: "notFound",
  });
}

/** @param {import("../lib/command.js").Context} context @param {string} path @param {string} value */
async function setConfig(context, path, value) {
  const file = context.values["file"];
  if ((file === undefined) === (path === ""))
    throw usageError("give a PATH and a VALUE, or --file", `Write: ${USAGE.join(", or ")}`);
  const body = file === undefined ? buildPart(path, value) : await readText(file);
  const response = await context.exchange().call("POST", "/api/v1/config", {
    headers: { "Content-Type": "application/yaml" },
    body,
  });
  const { warnings } = await response.json();
  context.show({ warnings }, () =>
    [
      "Changed.",
      ...warnings.map((/** @type {unknown} */ one) => `warning: ${toSafeText(one)}`),
    ].join("\n"),
  );
}

/** The setting within the maps that lead to it. @param {string} path @param {string} value */
function buildPart(path, value) {
  if (value === "") throw usageError("VALUE is missing", `Write: ${USAGE[1]}`);
  /** @type {unknown} */
  let part;
  try {
    part = parse(value);
  } catch (error) {
    throw usageError(
      `the value is not valid YAML: ${/** @type {Error} */ (error).message.split("\n")[0]}`,
      "Quote texts with special characters.",
    );
  }
  return stringify(path.split(".").reduceRight((inner, key) => ({ [key]: inner }), part));
}
