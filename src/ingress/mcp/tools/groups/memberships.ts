/** Creating, joining and closing groups. */
import * as z from "zod";
import type { NewMembership } from "../../../../contracts/household-groups.ts";
import {
  closeGroup,
  createGroup,
  joinGroup,
} from "../../../../exchange/group-calls/group-memberships.ts";
import { defined } from "../../../../mess/defined.ts";
import {
  groupDescriptionSchema,
  memberNameSchema,
  topicSchema,
} from "../../../../mess/groups/fields.ts";
import { ok } from "../../../../mess/result.ts";
import { findMember } from "../../caller.ts";
import { outputTextSchema } from "../../results/output-text.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { formatName } from "../../text/describe-group.ts";
import { inlineText } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { findByIds } from "./find-by-ids.ts";
import { ADDS, ENDS, SETS } from "../tool-hints.ts";
import { groupOutputSchema, listSessionTools, requiredIdSchema } from "./group-tool.ts";

const membershipOutputSchema = z.looseObject({
  text: outputTextSchema,
  group_id: outputTextSchema,
  my_id: outputTextSchema,
});

const myNameSchema = memberNameSchema.optional().describe("Your name in it");

function describeMembership(membership: NewMembership): string {
  const { group_id, my_id, my_name, role, topic, ops } = membership;
  const leaders = ops
    .filter(({ id }) => id !== my_id)
    .map(({ id, name }) => `${id} ${formatName(name)}`);
  const led = leaders.length > 0 ? ` Ops: ${leaders.join(", ")}.` : "";
  return `You are ${role} ${my_id} ${formatName(my_name)} in group ${group_id}, "${inlineText(topic, 200)}".${led}`;
}

const toStructuredMembership = (membership: NewMembership) => ({
  ...membership,
  topic: inlineText(membership.topic, 200),
  ops: membership.ops.map(({ id, name }) => ({ id, name: inlineText(name, 64) })),
});

export const buildMembershipTools = (toolName: ToolNamer): Tool[] => [
  defineTool({
    name: toolName("initiate"),
    title: "Create a group",
    description: "Create a group as its ops, who leads it and talks to the user",
    hints: ADDS,
    input: z.strictObject({
      topic: topicSchema.describe("What the group works on"),
      my_name: myNameSchema,
      description: groupDescriptionSchema.optional().describe("More about it"),
    }),
    output: membershipOutputSchema,
    async run({ topic, my_name, description, exchange }, { env, caller }) {
      const member = findMember(caller, exchange);
      if (!member.ok) return member;
      const input = { topic, ...defined({ my_name, description }) };
      const made = await createGroup(env, member.value, input);
      if (!made.ok) return made;
      const text = `${describeMembership(made.value)} Next: ${toolName("pool_list")} and ${toolName("pool_claim")} give you agents; others ${toolName("join")} with the group_id.`;
      return ok(buildStructuredResult(text, toStructuredMembership(made.value)));
    },
  }),
  defineTool({
    name: toolName("join"),
    title: "Join a group",
    description: "Join a group as agent, or as ops",
    hints: SETS,
    input: z.strictObject({
      group_id: requiredIdSchema.describe("The group"),
      my_name: myNameSchema,
      as_ops: z.boolean().optional().describe("As another ops"),
      assigned_by: requiredIdSchema.optional().describe("Ops that assigned you"),
    }),
    output: membershipOutputSchema,
    takesExchange: false,
    run: ({ group_id, my_name, as_ops, assigned_by }, { env, caller }) =>
      findByIds(caller, group_id, async (principal) => {
        const input = { group_id, ...defined({ my_name, as_ops, assigned_by }) };
        const joined = await joinGroup(env, principal, input);
        if (!joined.ok) return joined;
        const approve = listSessionTools(toolName);
        const text = `${describeMembership(joined.value)} These tools only read and write in your groups, so the user may approve them until the group is closed: ${approve.join(", ")}. Next: ${toolName("wait")}.`;
        return ok(
          buildStructuredResult(text, { ...toStructuredMembership(joined.value), approve }),
        );
      }),
  }),
  defineTool({
    name: toolName("close"),
    title: "Close a group",
    description: "Ops: end the group. Its messages stay readable",
    hints: ENDS,
    input: z.strictObject({
      group_id: requiredIdSchema.describe("The group"),
      my_ops_id: requiredIdSchema.optional().describe("Your id"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ group_id, my_ops_id }, { env, caller }) =>
      findByIds(caller, group_id, async (principal) => {
        const closed = await closeGroup(env, principal, { group_id, ...defined({ my_ops_id }) });
        if (!closed.ok) return closed;
        const revoke = listSessionTools(toolName);
        const text = `Group ${group_id} is closed. Approvals given for it end now: ${revoke.join(", ")}.`;
        const { topic, ...listing } = closed.value;
        return ok(
          buildStructuredResult(text, { ...listing, topic: inlineText(topic, 200), revoke }),
        );
      }),
  }),
];
