/** `mess groups`: AI groups, and their messages. */
import { readArguments } from "../lib/command.js";
import { usageError } from "../lib/errors.js";
import { formatTime, indent, toSafeText, writeTable } from "../lib/text.js";

const USAGE = [
  "mess groups",
  "mess groups GROUP [--unread]",
  "mess groups GROUP --to MEMBER TEXT…",
];

/** @type {import("../lib/command.js").Command} */
export const groups = {
  name: "groups",
  summary: "List AI groups, read their messages, or write one",
  usage: USAGE,
  description: `Reading shows messages without marking them as read. Owners see every message of every group; others see those
that they sent or received. MEMBER is an id of the group, as "mess groups GROUP --members" lists them.`,
  options: {
    members: { type: "boolean", help: "list the members, and who is online" },
    unread: { type: "boolean", help: "only unread messages" },
    to: { type: "string", value: "MEMBER", help: "write to this member" },
    as: {
      type: "string",
      value: "MEMBER",
      help: "which of your memberships you mean, where you have several",
    },
    limit: { type: "string", short: "n", value: "N", help: "at most this many messages" },
  },
  examples: [
    ["mess groups", "your groups"],
    ['mess groups g_1a2b3c4d --to a_5e6f7g8h "Well done"', "a message to one member"],
  ],
  run: async (context) => {
    const [group = "", text = ""] = readArguments(
      context,
      ["GROUP?", "TEXT?…"],
      USAGE.join(", or "),
    );
    const exchange = context.exchange();
    if (group === "") {
      const listed = await exchange.get("/groups");
      return context.show(listed, ({ groups: found }) =>
        found.length === 0
          ? "You are in no group."
          : writeTable(
              ["group", "status", "members", "topic"],
              found.map(describeGroup),
              context.width,
            ),
      );
    }
    const path = `/groups/${encodeURIComponent(group)}`;
    const { members, unread, to, as, limit } = context.values;
    if (members) {
      const status = await exchange.get(path, { query: { as } });
      return context.show(status, (found) =>
        writeTable(
          ["id", "role", "online", "name"],
          (found.members ?? []).map(describeMember),
          context.width,
        ),
      );
    }
    if (to === undefined && text !== "") throw usageError("--to is missing", `Write: ${USAGE[2]}`);
    if (to !== undefined) {
      if (text === "") throw usageError("TEXT is missing", `Write: ${USAGE[2]}`);
      const sent = await exchange.post(`${path}/messages`, {
        to_id: to,
        content: text,
        ...(as ? { as } : {}),
      });
      return context.show(sent, () => "Sent.");
    }
    const { you } = await exchange.get("/api/v1/household");
    const query = {
      as,
      limit,
      peek: true,
      ...(unread ? { unread: true } : {}),
      ...(you.role === "owner" && !as && !unread ? { all: true } : {}),
    };
    const read = await exchange.get(`${path}/messages`, { query });
    context.show(
      read,
      ({ messages }) => messages.map(writeGroupMessage).join("\n\n") || "No messages.",
    );
  },
};

/** @param {any} group */
const describeGroup = ({ group_id, status, members, topic }) => [group_id, status, members, topic];

/** @param {any} member */
const describeMember = ({ id, role, online, name }) => [id, role, online ? "yes" : "", name];

/** @param {any} message */
const writeGroupMessage = ({ at, from, from_name, type, content }) =>
  `${formatTime(at)}  ${toSafeText(from_name ?? from)} (${toSafeText(type)})\n${indent(toSafeText(content), "  ")}`;
