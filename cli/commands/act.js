/** Commands that send one message about a request: claim, answer, complete, decline, cancel, reply. */
import { readArguments } from "../lib/command.js";
import { usageError } from "../lib/errors.js";
import { buildFileItem, readFiles } from "../lib/files.js";

/**
 * @typedef {object} Action
 * @property {string} name
 * @property {string} summary
 * @property {string} [words] what follows the ref; without it, nothing
 * @property {Readonly<Record<string, import("../lib/command.js").Option>>} [options]
 * @property {string} [description]
 * @property {readonly (readonly [string, string])[]} [examples]
 * @property {string} done what is printed after the ref
 * @property {(re: string, text: string, values: Record<string, any>, files: object[]) => object[]} build the blocks
 */

/** @param {Action} action @returns {import("../lib/command.js").Command} */
function defineAction({ name, summary, words, options, description, examples, done, build }) {
  const usage = `mess ${name} REF${words === undefined ? "" : ` [${words}…]`}${options ? " [options]" : ""}`;
  return {
    name,
    summary,
    usage: [usage],
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    ...(options === undefined ? {} : { options }),
    run: async (context) => {
      const names = words === undefined ? ["REF"] : ["REF", `${words}?…`];
      const [ref = "", text = ""] = readArguments(context, names, usage);
      const files = readFiles(context.values["file"]);
      // Checked before a file is uploaded.
      build(ref, text, context.values, files);
      const exchange = context.exchange();
      const items = [];
      for (const file of files) items.push(buildFileItem(file, await upload(exchange, ref, file)));
      const [ack] = await exchange.send(build(ref, text, context.values, items));
      context.show(ack, () => `${ack?.ref ?? ref}: ${done}`);
    },
  };
}

/** Uploads the file, and returns the token by which a message names it. @param {import("../lib/exchange.js").Exchange} exchange @param {string} ref @param {import("../lib/files.js").LocalFile} file */
async function upload(exchange, ref, { name, type, bytes }) {
  const response = await exchange.call("POST", `/mess/${encodeURIComponent(ref)}/attachments`, {
    query: { name },
    headers: { "Content-Type": type },
    body: bytes,
  });
  return (await response.json()).file;
}

const FILE = /** @type {const} */ ({
  file: {
    type: "string",
    short: "f",
    multiple: true,
    value: "PATH",
    help: "a photo or other file of the answer",
  },
});

/** @param {string} re @param {string} text @param {readonly object[]} files */
const buildResponse = (re, text, files) =>
  text === "" && files.length === 0
    ? []
    : [{ response: { re, content: [...(text === "" ? [] : [text]), ...files] } }];

/** @param {string} text @param {string} key */
const optional = (text, key) => (text === "" ? {} : { [key]: text });

export const claim = defineAction({
  name: "claim",
  summary: "Take a request that was offered to you",
  options: {
    eta: { type: "string", value: "WHEN", help: "when you expect to be done, such as 20m" },
  },
  examples: [["mess claim 2026-01-31-007 --eta 20m", "you do it, within 20 minutes"]],
  done: "it is yours.",
  build: (re, _text, { eta }) => [
    { status: { re, code: "claimed", ...optional(eta ?? "", "eta") } },
  ],
});

export const answer = defineAction({
  name: "answer",
  summary: "Answer a request, with files if you like; it stays open until you complete it",
  words: "TEXT",
  options: FILE,
  examples: [
    ["mess answer 2026-01-31-007 The filter is clogged --file filter.jpg", "text and a photo"],
  ],
  done: "answered.",
  build: (re, text, _values, files) => {
    const blocks = buildResponse(re, text, files);
    if (blocks.length === 0) throw usageError("the answer is empty", "Give a text or a --file.");
    return blocks;
  },
});

export const complete = defineAction({
  name: "complete",
  summary: "Answer a request and end it",
  words: "TEXT",
  options: { ...FILE, partial: { type: "boolean", help: "only a part of it is done" } },
  examples: [
    ["mess complete 2026-01-31-007 Replaced it. --file done.jpg", "the answer, with a photo"],
  ],
  done: "completed.",
  build: (re, text, { partial }, files) => [
    ...buildResponse(re, text, files),
    { status: { re, code: partial ? "partial" : "completed" } },
  ],
});

export const decline = defineAction({
  name: "decline",
  summary: "Refuse a request that was offered to you, or give it back",
  words: "REASON",
  options: { failed: { type: "boolean", help: "you have tried, and it cannot be done" } },
  done: "declined.",
  build: (re, text, { failed }) => [
    { status: { re, code: failed ? "failed" : "declined", ...optional(text, "message") } },
  ],
});

export const cancel = defineAction({
  name: "cancel",
  summary: "Withdraw your request",
  words: "REASON",
  done: "cancelled.",
  build: (re, text) => [{ cancel: { re, ...optional(text, "reason") } }],
});

export const reply = defineAction({
  name: "reply",
  summary: "Reply to a question, a confirmation or a suggestion about your request",
  words: "TEXT",
  description: `NAME=ANSWER answers the question with this name; several are allowed. Other words are the answer to the only
open question, or are added to the request.`,
  options: {
    yes: { type: "boolean", short: "y", help: "confirm the action, or accept the suggestion" },
    no: { type: "boolean", help: "refuse it" },
    suggestion: {
      type: "boolean",
      help: "--yes and --no are about a suggestion, not about an action",
    },
  },
  examples: [
    ["mess reply vacuum area=both", "answers the question `area`"],
    ["mess reply fix-tap --yes", "it may be done"],
    ["mess reply shelf --no --suggestion Too expensive", "refuses a suggestion"],
  ],
  done: "replied.",
  build: (re, text, { yes, no, suggestion }) => {
    if (yes && no) throw usageError("--yes and --no are both given", "Give one of them.");
    if (yes || no)
      return [
        {
          reply: {
            re,
            [suggestion ? "accept" : "confirm"]: yes === true,
            ...optional(text, "reason"),
          },
        },
      ];
    const answers = readAnswers(text);
    if (answers) return [{ reply: { re, answers } }];
    if (text === "")
      throw usageError("the reply is empty", "Give NAME=ANSWER, a text, --yes or --no.");
    return [{ followup: { re, message: text } }];
  },
});

/** `area=both time=noon`, where an answer may have several words. @param {string} text */
function readAnswers(text) {
  if (!/^[\w-]+=/.test(text)) return undefined;
  const parts = text.split(/\s+(?=[\w-]+=)/);
  return Object.fromEntries(
    parts.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
  );
}

/** @type {import("../lib/command.js").Command[]} */
export const ACTIONS = [claim, answer, complete, decline, cancel, reply];
