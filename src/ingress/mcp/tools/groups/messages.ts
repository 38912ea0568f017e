/** Sending and reading messages. */
import * as z from "zod";
import type { SentGroupMessage } from "../../../../contracts/groups.ts";
import {
  readGroupMessages,
  sendGroupMessage,
} from "../../../../exchange/group-calls/group-messages.ts";
import { defined } from "../../../../mess/defined.ts";
import {
  contentSchema,
  filesModifiedSchema,
  groupIdFieldSchema,
  groupPositionSchema,
  toolUsageSchema,
} from "../../../../mess/groups/fields.ts";
import { isMemberId } from "../../../../mess/groups/ids.ts";
import {
  GROUP_LIMITS,
  GROUP_MESSAGE_TYPES,
  IMPORTANCES,
} from "../../../../mess/groups/vocabulary.ts";
import { ok } from "../../../../mess/result.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { describeGroupMessage, toStructuredMessage } from "../../text/describe-group.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { findByIds } from "./find-by-ids.ts";
import { ADDS, SETS } from "../tool-hints.ts";
import { groupIdSchema, groupOutputSchema, myIdSchema, requiredIdSchema } from "./group-tool.ts";

function describeSent(sent: SentGroupMessage): string {
  const { id, to, repeated, completes, late, open_tasks, receiver_online, ref } = sent;
  return [
    repeated ? `Already sent as ${id}; nothing was sent again.` : `Sent ${id} to ${to}.`,
    ...(completes === undefined ? [] : [`It completes task ${completes}.`]),
    ...(late ? ["You no longer hold the task, so it completes nothing."] : []),
    ...(open_tasks
      ? [
          `It completes no task. If it is about one of these, send the report again with reply_to: ${open_tasks.join(", ")}.`,
        ]
      : []),
    ...(receiver_online || !isMemberId(to) ? [] : [`${to} is offline and gets it later.`]),
    ...(ref === undefined ? [] : [`It is in request ${ref}; mess_cancel at /mcp cancels it.`]),
  ].join(" ");
}

const buildSendTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("send"),
    title: "Send a message",
    description: "Send to one member. Report a task's result with message_type report",
    hints: ADDS,
    input: z.strictObject({
      group_id: groupIdSchema,
      my_id: myIdSchema,
      to_id: requiredIdSchema.describe("A member, person or robot"),
      content: contentSchema.describe("Text"),
      message_type: z.enum(GROUP_MESSAGE_TYPES).optional().describe("Default message"),
      tool_usage: toolUsageSchema.optional().describe("Tools you used"),
      files_modified: filesModifiedSchema.optional().describe("Files you changed"),
      reply_to: requiredIdSchema.optional().describe("Message id; for a report, the task's"),
      importance: z.enum(IMPORTANCES).optional().describe("Default normal"),
      needs_ack: z.boolean().optional().describe("Receiver must acknowledge"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ group_id, my_id, to_id, message_type, ...given }, { env, caller }) =>
      findByIds(caller, group_id ?? my_id, async (principal) => {
        const { content, tool_usage, files_modified, reply_to, importance, needs_ack } = given;
        const message = {
          to: to_id,
          content,
          type: message_type ?? "message",
          ...defined({ tool_usage, files_modified, reply_to, importance, needs_ack }),
        };
        const sent = await sendGroupMessage(env, principal, { group_id, my_id }, message);
        return sent.ok ? ok(buildStructuredResult(describeSent(sent.value), sent.value)) : sent;
      }),
  });

const pageSizeSchema = z.int().min(1).max(GROUP_LIMITS.pageMessages);

/** Two members. A tuple would be listed with keywords that models do not need. */
const channelSchema = z.array(groupIdFieldSchema).length(2);

const buildReadTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("read"),
    title: "Read messages",
    description: "Unread messages, oldest first, or the history, newest first; marks them as read",
    hints: SETS,
    input: z.strictObject({
      group_id: groupIdSchema,
      my_id: myIdSchema,
      other_id: requiredIdSchema.optional().describe("Only with this member"),
      limit: pageSizeSchema.optional().describe("Default 10"),
      unread_only: z.boolean().optional().describe("false: history"),
      peek: z.boolean().optional().describe("Do not mark"),
      before: groupPositionSchema.optional().describe("History before this seq"),
      between: channelSchema.optional().describe("Owners: two ids"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ group_id, my_id, other_id, ...given }, { env, caller }) =>
      findByIds(caller, group_id ?? my_id, async (principal) => {
        const { limit, peek, before } = given;
        const between = given.between as [string, string] | undefined;
        const isHistory = before !== undefined || between !== undefined;
        const unread_only = given.unread_only ?? !isHistory;
        const query = {
          unread_only,
          ...defined({ other: other_id, limit, peek, before, between }),
        };
        const page = await readGroupMessages(env, principal, { group_id, my_id }, query);
        if (!page.ok) return page;
        const { messages, more, total_pending } = page.value;
        const last = messages.at(-1);
        const next = unread_only
          ? `call ${toolName("read")} again`
          : `call ${toolName("read")} with before=${last?.seq}`;
        const text = [
          ...messages.map(describeGroupMessage),
          messages.length === 0 ? "No messages." : "",
          `${total_pending} unread.${more && last ? ` More: ${next}.` : ""}`,
        ]
          .filter(Boolean)
          .join("\n");
        const facts = messages.map(toStructuredMessage);
        return ok(buildStructuredResult(text, { messages: facts, more, total_pending }));
      }),
  });

export const buildMessageTools = (toolName: ToolNamer): Tool[] => [
  buildSendTool(toolName),
  buildReadTool(toolName),
];
