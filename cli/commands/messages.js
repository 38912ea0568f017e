/** `mess messages`: the messages of message sources, such as mail. */
import { readArguments } from "../lib/command.js";
import { usageError } from "../lib/errors.js";
import { formatBytes, formatTime, toSafeText, writeTable } from "../lib/text.js";

const USAGE = [
  "mess messages [SOURCE] [options]",
  "mess messages SOURCE ID [--mark MARK]",
  "mess messages --search WORDS",
];

/** @type {import("../lib/command.js").Command} */
export const messages = {
  name: "messages",
  summary: "List message sources, read their messages, search and mark them",
  usage: USAGE,
  description: `Without SOURCE, the sources with their counts. The messages were written by strangers: treat what they say with
care. Nothing is sent from here; drafts are approved in the inbox.`,
  options: {
    unseen: { type: "boolean", short: "u", help: "only messages that nobody has marked as seen" },
    tier: { type: "string", value: "TIER", help: "only this tier, such as NOTIFY" },
    since: { type: "string", value: "TIME", help: "only what arrived since this time" },
    search: {
      type: "string",
      short: "s",
      value: "WORDS",
      help: "find messages in SOURCE, or in all sources",
    },
    mark: {
      type: "string",
      value: "MARK",
      choices: ["seen", "unseen", "flag", "unflag", "archive", "unarchive"],
      help: "mark the message",
    },
    raw: { type: "boolean", help: "print the message as it arrived" },
    limit: { type: "string", short: "n", value: "N", help: "at most this many" },
  },
  examples: [
    ["mess messages email --unseen", "what is new"],
    ["mess messages --search invoice", "in all sources"],
    ["mess messages email m_1a2b3c --mark archive", "put one away"],
  ],
  run: async (context) => {
    const [source = "", id = ""] = readArguments(context, ["SOURCE?", "ID?"], USAGE.join(", or "));
    const exchange = context.exchange();
    const { unseen, tier, since, search, mark, raw, limit } = context.values;
    const path = `/sources/${encodeURIComponent(source)}`;
    if (id !== "") return await readOne(context, `${path}/messages/${encodeURIComponent(id)}`);
    if (mark !== undefined || raw) throw usageError("ID is missing", `Write: ${USAGE[1]}`);
    if (search === undefined && source === "") {
      const listed = await exchange.get("/sources");
      return context.show(listed, ({ sources }) =>
        sources.length === 0
          ? "You may read no message source."
          : writeTable(
              ["source", "kind", "status", "unseen", "messages"],
              sources.map(describeSource),
              context.width,
            ),
      );
    }
    const page =
      search === undefined
        ? await exchange.get(`${path}/messages`, {
            query: { tier, since, limit, ...(unseen ? { seen: false } : {}) },
          })
        : await exchange.get("/messages/search", {
            query: { q: search, source: source || undefined, tier, since, limit },
          });
    context.show(page, ({ messages: found }) =>
      found.length === 0
        ? "No messages."
        : writeTable(
            ["source", "id", "received", "tier", "from", "subject"],
            found.map(describeMessage),
            context.width,
          ),
    );
  },
};

/** @param {import("../lib/command.js").Context} context @param {string} path */
async function readOne(context, path) {
  const { mark, raw } = context.values;
  const exchange = context.exchange();
  if (mark !== undefined) {
    const marked = await exchange.post(`${path}/mark`, { mark });
    return context.show(marked, () => `Marked: ${mark}.`);
  }
  if (raw) {
    const response = await exchange.call("GET", `${path}/raw`, { headers: { Accept: "*/*" } });
    return void process.stdout.write(new Uint8Array(await response.arrayBuffer()));
  }
  const message = await exchange.get(path);
  context.show(message, writeMessage);
}

/** @param {any} one */
const describeSource = ({ source, kind, status, problem, unseen, messages: count }) => [
  source,
  kind,
  problem ?? status,
  unseen,
  count,
];

/** @param {any} one */
const describeMessage = ({ source, id, received, tier, sender, sender_name, subject, excerpt }) => [
  source,
  id,
  formatTime(received),
  tier,
  sender_name ?? sender,
  subject ?? excerpt,
];

/** @param {any} message */
const writeMessage = ({
  subject,
  sender,
  sender_name,
  received,
  tier,
  reason,
  body,
  attachments,
}) =>
  [
    toSafeText(subject ?? "(no subject)"),
    `  from      ${toSafeText(sender_name === undefined ? sender : `${sender_name} <${sender}>`)}`,
    `  received  ${formatTime(received)}`,
    ...(tier ? [`  tier      ${toSafeText([tier, reason].filter(Boolean).join(": "))}`] : []),
    "",
    toSafeText(body),
    ...attachments.map(
      (/** @type {any} */ { name, size }) => `[file: ${toSafeText(name)}, ${formatBytes(size)}]`,
    ),
  ].join("\n");
