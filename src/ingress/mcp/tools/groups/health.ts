/** Signs of life, and wiping all groups. */
import * as z from "zod";
import { readAgentStatus, wipeGroups } from "../../../../exchange/group-calls/group-memberships.ts";
import { recordSignOfLife } from "../../../../exchange/group-calls/record-sign-of-life.ts";
import { defined } from "../../../../mess/defined.ts";
import { groupIdFieldSchema } from "../../../../mess/groups/fields.ts";
import { ok } from "../../../../mess/result.ts";
import { findMember } from "../../caller.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { formatName } from "../../text/describe-group.ts";
import { cleanDeep } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { findByIds } from "./find-by-ids.ts";
import { ENDS, READS, SETS } from "../tool-hints.ts";
import { groupOutputSchema, requiredIdSchema } from "./group-tool.ts";

export const buildHealthTools = (toolName: ToolNamer): Tool[] => [
  defineTool({
    name: toolName("heartbeat"),
    title: "Report that you are alive",
    description: "Call every 2 minutes while you work; after 5 you count as offline",
    hints: SETS,
    input: z.strictObject({
      agent_id: requiredIdSchema.describe("Your id"),
      group_id: requiredIdSchema.optional().describe("Only this group and the pool"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ agent_id, group_id }, { env, caller }) =>
      findByIds(caller, agent_id, async (principal) => {
        const given = { agent_id, ...defined({ group_id }) };
        const recorded = await recordSignOfLife(env, principal, given);
        return recorded.ok
          ? ok(buildStructuredResult(`Recorded at ${recorded.value.at}.`, recorded.value))
          : recorded;
      }),
  }),
  defineTool({
    name: toolName("agent_status"),
    title: "Look at an agent",
    description: "Whether an agent is online",
    hints: READS,
    input: z.strictObject({ agent_id: requiredIdSchema.describe("The agent") }),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ agent_id }, { env, caller }) =>
      findByIds(caller, agent_id, async (principal) => {
        const status = await readAgentStatus(env, principal, agent_id);
        if (!status.ok) return status;
        const { name, online, last_seen, pool_status, groups } = status.value;
        const text = [
          `${agent_id} ${formatName(name)} is ${online ? "online" : "offline"}`,
          last_seen === undefined ? "never seen" : `last seen ${last_seen}`,
          ...(pool_status === undefined ? [] : [`${pool_status} in its pool`]),
          ...(groups.length > 0 ? [`in ${groups.join(", ")}`] : []),
        ].join(", ");
        return ok(buildStructuredResult(`${text}.`, cleanDeep(status.value)));
      }),
  }),
  defineTool({
    name: toolName("wipe_all"),
    title: "Wipe all groups",
    description: "Owners: close all groups and empty the pools. Messages are kept",
    hints: ENDS,
    input: z.strictObject({
      confirm: groupIdFieldSchema.optional().describe("Household id; first call without"),
    }),
    output: groupOutputSchema,
    async run({ confirm, exchange }, { env, caller }) {
      const member = findMember(caller, exchange);
      if (!member.ok) return member;
      const wiped = await wipeGroups(env, member.value, confirm);
      if (!wiped.ok) return wiped;
      const { groups, agents } = wiped.value;
      const text = `Closed ${groups} groups and removed ${agents} entries from the pools.`;
      return ok(buildStructuredResult(text, wiped.value));
    },
  }),
];
