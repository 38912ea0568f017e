/** Unread messages: counts without contents, and marking them as read. */
import * as z from "zod";
import {
  countPending,
  markGroupMessages,
} from "../../../../exchange/group-calls/group-messages.ts";
import { defined } from "../../../../mess/defined.ts";
import { refuse } from "../../../../mess/errors.ts";
import { ok } from "../../../../mess/result.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { describePending, toStructuredPending } from "../../text/describe-group.ts";
import { defineTool, type Tool, type ToolContext, type ToolNamer } from "../../tool.ts";
import { findByIds } from "./find-by-ids.ts";
import { READS, SETS } from "../tool-hints.ts";
import { groupIdSchema, groupOutputSchema, myIdSchema, requiredIdSchema } from "./group-tool.ts";

interface Marked {
  group_id?: string | undefined;
  my_id?: string | undefined;
  which: { other?: string; message?: string };
}

const markMessages = ({ group_id, my_id, which }: Marked, { env, caller }: ToolContext) =>
  findByIds(caller, group_id ?? my_id, async (principal) => {
    const result = await markGroupMessages(env, principal, { group_id, my_id }, which);
    if (!result.ok) return result;
    const { marked, total_pending } = result.value;
    const text = `Marked ${marked} as read; ${total_pending} unread.`;
    return ok(buildStructuredResult(text, result.value));
  });

const ids = { group_id: groupIdSchema, my_id: myIdSchema };

export const buildPendingTools = (toolName: ToolNamer): Tool[] => [
  defineTool({
    name: toolName("pending"),
    title: "Count unread messages",
    description: "Counts by sender and type, without contents",
    hints: READS,
    input: z.strictObject(ids),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ group_id, my_id }, { env, caller }) =>
      findByIds(caller, group_id ?? my_id, async (principal) => {
        const pending = await countPending(env, principal, { group_id, my_id });
        if (!pending.ok) return pending;
        const fields = toStructuredPending(pending.value);
        return ok(buildStructuredResult(describePending(pending.value), fields));
      }),
  }),
  defineTool({
    name: toolName("mark_read"),
    title: "Mark as read",
    description: "Mark one sender's messages as read, or one message, which acknowledges it",
    hints: SETS,
    input: z.strictObject({
      ...ids,
      other_id: requiredIdSchema.optional().describe("Sender"),
      msg_id: requiredIdSchema.optional().describe("Message"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    async run({ other_id, msg_id, ...given }, call) {
      if (other_id === undefined && msg_id === undefined)
        return refuse(
          "bad_parameter",
          "mark_read: other_id or msg_id is missing",
          `Give one of them, or call ${toolName("mark_all_read")}.`,
        );
      const which = defined({ other: other_id, message: msg_id });
      return await markMessages({ ...given, which }, call);
    },
  }),
  defineTool({
    name: toolName("mark_all_read"),
    title: "Mark all as read",
    description: "Mark everything unread as read",
    hints: SETS,
    input: z.strictObject(ids),
    output: groupOutputSchema,
    takesExchange: false,
    run: (given, call) => markMessages({ ...given, which: {} }, call),
  }),
];
