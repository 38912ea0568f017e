/** Continuing after a context reset, and handing the role of ops over. */
import * as z from "zod";
import { transferOps } from "../../../../exchange/group-calls/group-memberships.ts";
import {
  type RejoinedMembership,
  rejoinGroups,
} from "../../../../exchange/group-calls/rejoin-groups.ts";
import { defined } from "../../../../mess/defined.ts";
import { memberNameSchema, summarySchema } from "../../../../mess/groups/fields.ts";
import { ok } from "../../../../mess/result.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { describePending, formatName, toStructuredPending } from "../../text/describe-group.ts";
import { inlineText } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { findByIds } from "./find-by-ids.ts";
import { SETS } from "../tool-hints.ts";
import { groupIdSchema, groupOutputSchema, requiredIdSchema } from "./group-tool.ts";

function describeRejoined(membership: RejoinedMembership): string {
  const { group_id, my_id, my_name, role, topic, status, pending } = membership;
  return [
    `You are ${role} ${my_id} ${formatName(my_name)} in group ${group_id} "${inlineText(topic, 200)}" (${status}).`,
    ...(pending ? [describePending(pending)] : []),
  ].join("\n");
}

const toStructuredRejoined = ({ pending, topic, ...membership }: RejoinedMembership) => ({
  ...membership,
  topic: inlineText(topic, 200),
  ...(pending
    ? { pending_count: pending.total_pending, pending_summary: toStructuredPending(pending) }
    : {}),
});

export const buildHandoffTools = (toolName: ToolNamer): Tool[] => [
  defineTool({
    name: toolName("rejoin"),
    title: "Find your id again",
    description: "After a context reset: your id, and unread counts",
    hints: SETS,
    input: z.strictObject({
      my_name: memberNameSchema.describe("Name you joined with"),
      group_id: groupIdSchema.describe("Default: all your groups"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ my_name, group_id }, { env, caller }) =>
      findByIds(caller, group_id ?? my_name, async (principal) => {
        const found = await rejoinGroups(env, principal, { my_name, ...defined({ group_id }) });
        if (!found.ok) return found;
        const memberships = found.value.map(toStructuredRejoined);
        const [only, ...others] = memberships;
        const isUnread = found.value.some(({ pending }) => (pending?.total_pending ?? 0) > 0);
        const first = isUnread
          ? `${toolName("read")} with other_id`
          : `${toolName("status")} with group_id, which shows your open tasks`;
        const next = `Next: ${first}, then ${toolName("wait")}.`;
        const text = [...found.value.map(describeRejoined), next].join("\n");
        return ok(
          buildStructuredResult(text, others.length === 0 && only ? only : { memberships }),
        );
      }),
  }),
  defineTool({
    name: toolName("transfer_ops"),
    title: "Hand over the lead",
    description:
      "Primary ops: offer your role. The receiver accepts by the same call without context_summary",
    hints: { ...SETS, destructive: true },
    input: z.strictObject({
      group_id: groupIdSchema,
      from_ops_id: requiredIdSchema.describe("Present primary"),
      to_agent_id: requiredIdSchema.describe("Receiver"),
      context_summary: summarySchema.optional().describe("What the receiver must know"),
      verification_passed: z.boolean().optional().describe("You checked that it understood"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ from_ops_id, to_agent_id, ...given }, { env, caller }) =>
      findByIds(caller, from_ops_id, async (principal) => {
        const { group_id, context_summary, verification_passed } = given;
        const transfer = await transferOps(env, principal, {
          from_ops_id,
          to_agent_id,
          ...defined({ group_id, context_summary, verification_passed }),
        });
        if (!transfer.ok) return transfer;
        const { state, next, new_ops_id } = transfer.value;
        const own = new_ops_id === undefined ? "" : ` The new primary ops is ${new_ops_id}.`;
        return ok(buildStructuredResult(`Handoff ${state}.${own} ${next}`, transfer.value));
      }),
  }),
];
