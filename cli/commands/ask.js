/** `mess ask`: creates a request, and waits for its answer if it should. */
import { readArguments, readSeconds } from "../lib/command.js";
import { buildFileItem, readFiles } from "../lib/files.js";
import { readAcks } from "../lib/exchange.js";
import { toSafeText } from "../lib/text.js";
import { writeRoute } from "../lib/thread-text.js";
import { describeEnd, waitForAnswer } from "../lib/wait.js";

const USAGE = "mess ask WHAT… [options]";

/** @type {import("../lib/command.js").Command} */
export const ask = {
  name: "ask",
  summary: "Ask for something to be looked at, done or made",
  usage: [USAGE],
  description: `The exchange offers the request to those who can do it. With --wait the command waits for the answer,
shows it and ends with code 0 if the request was done, 7 if it was not or needs your reply.`,
  options: {
    requires: {
      type: "string",
      short: "r",
      multiple: true,
      value: "CAPABILITY",
      help: "what the one who does it must be able to do",
    },
    context: {
      type: "string",
      short: "c",
      multiple: true,
      value: "TEXT",
      help: "something good to know",
    },
    file: {
      type: "string",
      short: "f",
      multiple: true,
      value: "PATH",
      help: "a photo or other file to send along",
    },
    priority: {
      type: "string",
      value: "PRIORITY",
      choices: ["background", "normal", "elevated", "urgent"],
      help: "how soon",
    },
    "needed-by": {
      type: "string",
      value: "TIME",
      help: "when it must be done, such as 2026-02-01T17:00:00+01:00",
    },
    hint: {
      type: "string",
      multiple: true,
      value: "KIND",
      help: "the kind of answer, such as text or image",
    },
    id: {
      type: "string",
      value: "ID",
      help: "your own name for the request; the same id asks only once",
    },
    confirm: { type: "boolean", help: "ask you before it is done" },
    wait: { type: "boolean", short: "w", help: "wait for the answer" },
    timeout: { type: "string", value: "DURATION", help: "wait at most this long, such as 10m" },
    "dry-run": { type: "boolean", help: "only show who would be asked" },
  },
  examples: [
    [
      'mess ask "Is the garage door shut?" --requires check-visual --hint image --wait',
      "get a photo, now",
    ],
    [
      'mess ask "Print 4 clips" --file clip.stl --context "Use PETG" --priority background',
      "send a file along",
    ],
    ['mess ask "Vacuum the kitchen" --requires vacuum-floor --dry-run', "who would do it?"],
  ],
  run: async (context) => {
    const [intent = ""] = readArguments(context, ["WHAT…"], USAGE);
    const { values } = context;
    const seconds = readSeconds(values["timeout"], "--timeout");
    const files = readFiles(values["file"]);
    const request = buildRequest(intent, values, files);
    const exchange = context.exchange();
    if (values["dry-run"]) {
      const route = await exchange.post("/mess/route", { MESS: [{ request }] });
      return context.show(route, writeRoute);
    }
    const [ack] = await post(exchange, request, files);
    for (const warning of ack.warnings ?? []) context.note(`warning: ${toSafeText(warning)}`);
    if (!values["wait"])
      return context.show(ack, () => `${ack.ref}\nmess show ${ack.ref} shows its answer.`);
    context.note(`Asked as ${ack.ref}. Waiting for the answer…`);
    const thread = await waitForAnswer(exchange, ack.ref, seconds);
    context.show(thread, describeEnd);
    return thread.exit;
  },
};

/** @param {string} intent @param {Record<string, any>} values @param {readonly import("../lib/files.js").LocalFile[]} files */
function buildRequest(intent, values, files) {
  const context = [
    ...(values["context"] ?? []),
    ...files.map((file) => buildFileItem(file, file.name)),
  ];
  return {
    intent,
    ...(values["id"] ? { id: values["id"] } : {}),
    ...(values["requires"] ? { requires: values["requires"] } : {}),
    ...(context.length > 0 ? { context } : {}),
    ...(values["hint"] ? { response_hint: values["hint"] } : {}),
    ...(values["priority"] ? { priority: values["priority"] } : {}),
    ...(values["needed-by"] ? { needed_by: values["needed-by"] } : {}),
    ...(values["confirm"] ? { confirm_before: true } : {}),
  };
}

/** @param {import("../lib/exchange.js").Exchange} exchange @param {object} request @param {readonly import("../lib/files.js").LocalFile[]} files */
async function post(exchange, request, files) {
  if (files.length === 0) return await exchange.send([{ request }]);
  const form = new FormData();
  form.append("message", JSON.stringify({ MESS: [{ request }] }));
  for (const { name, type, bytes } of files) form.append("file", new Blob([bytes], { type }), name);
  return readAcks(await (await exchange.call("POST", "/mess", { body: form })).json());
}
