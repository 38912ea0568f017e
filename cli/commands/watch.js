/** `mess watch`: what happens, as it happens. */
import { setTimeout as sleep } from "node:timers/promises";
import { readArguments } from "../lib/command.js";
import { formatTime, toLine, toSafeText } from "../lib/text.js";
import { writeHeader, writeMessage } from "../lib/thread-text.js";
import { isEnded } from "../lib/wait.js";

const USAGE = "mess watch [REF] [--mine]";
/** Seconds of one call; the exchange allows 45. */
const CALL_SECONDS = 40;
const POLL_MS = 2_000;
const PAGE_EVENTS = 500;

/** @type {import("../lib/command.js").Command} */
export const watch = {
  name: "watch",
  summary: "Watch a request, your tasks or everything, live",
  usage: [USAGE],
  description: `With REF, the messages of that request until it ends. With --mine, your tasks as they are offered to you. Else
every change of the requests that you may see. With --json, one JSON object on each line. End it with Ctrl-C.`,
  options: {
    mine: { type: "boolean", short: "m", help: "only your tasks" },
    past: { type: "boolean", help: "begin with what has happened before" },
  },
  examples: [
    ["mess watch last", "your newest request"],
    ["mess watch --mine --json", "for a program that does the tasks"],
  ],
  run: async (context) => {
    const [ref = ""] = readArguments(context, ["REF?"], USAGE);
    if (ref !== "") return await watchThread(context, ref);
    await (context.values["mine"] ? watchTasks(context) : watchEvents(context));
  },
};

/** @param {import("../lib/command.js").Context} context @param {object} value @param {string} text */
const print = (context, value, text) => context.line(context.json ? JSON.stringify(value) : text);

/** @param {import("../lib/command.js").Context} context @param {string} ref */
async function watchThread(context, ref) {
  const exchange = context.exchange();
  const path = `/mess/${encodeURIComponent(ref)}`;
  let thread = await exchange.get(path);
  if (!context.json) context.line(`${writeHeader(thread.envelope)}\n`);
  // A slower reader of the same thread gets it under its full ref, whatever `last` means by then.
  const full = `/mess/${encodeURIComponent(thread.envelope.ref)}`;
  for (
    let messages = context.values["past"] || isEnded(thread.envelope.status) ? thread.messages : [];
    ;
    messages = thread.messages
  ) {
    for (const message of messages) {
      const text = writeMessage(message);
      if (text !== "") print(context, message, `${text}\n`);
    }
    if (isEnded(thread.envelope.status)) return;
    thread = await exchange.get(`${full}/wait`, {
      query: { cursor: thread.cursor, timeout: CALL_SECONDS },
    });
  }
}

/** @param {import("../lib/command.js").Context} context */
async function watchTasks(context) {
  const exchange = context.exchange();
  /** @type {number | undefined} */
  let cursor;
  for (;;) {
    const query =
      cursor === undefined
        ? { for: "me" }
        : { for: "me", wait: CALL_SECONDS, since_cursor: cursor };
    const page = await exchange.get("/mess", { query });
    for (const task of page.threads)
      print(
        context,
        task,
        `${formatTime(task.updated)}  ${task.ref}  ${task.status}  ${toLine(task.intent, context.width)}`,
      );
    cursor = page.cursor;
  }
}

/** @param {import("../lib/command.js").Context} context */
async function watchEvents(context) {
  const exchange = context.exchange();
  let cursor = 0;
  let isPast = !context.values["past"];
  for (;;) {
    const page = await exchange.get("/api/v1/events", { query: { cursor, limit: PAGE_EVENTS } });
    for (const event of isPast ? [] : page.events) print(context, event, writeEvent(event));
    cursor = page.cursor;
    if (page.events.length === PAGE_EVENTS) continue;
    if (isPast) context.note("Watching. End with Ctrl-C.");
    isPast = false;
    await sleep(POLL_MS);
  }
}

/** @param {any} event */
const writeEvent = ({ at, ref, status, action, executor, note }) =>
  [formatTime(at), ref, action ?? status, executor ?? "", note ?? ""]
    .map(toSafeText)
    .filter(Boolean)
    .join("  ");
