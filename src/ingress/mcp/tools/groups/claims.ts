/** Claiming agents from a pool, and giving them back. */
import * as z from "zod";
import type { Claim } from "../../../../contracts/household-groups.ts";
import {
  claimFromPool,
  releaseToPool,
} from "../../../../exchange/group-calls/group-memberships.ts";
import { defined } from "../../../../mess/defined.ts";
import { groupCapabilitySchema, summarySchema } from "../../../../mess/groups/fields.ts";
import { ok } from "../../../../mess/result.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { formatName } from "../../text/describe-group.ts";
import { cleanDeep } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { findByIds } from "./find-by-ids.ts";
import { ADDS, ENDS } from "../tool-hints.ts";
import {
  agentOutputSchema,
  groupOutputSchema,
  poolSchema,
  requiredIdSchema,
} from "./group-tool.ts";

function describeClaim(claim: Claim, toolName: ToolNamer): string {
  const { agent_id, name, group_id, epoch, task_id, repeated } = claim;
  const next = `${toolName("wait")} for its report`;
  if (repeated)
    return `You claimed ${agent_id} ${formatName(name)} for ${group_id} with this task before (${task_id}), so no further agent was claimed. For another one, word its task differently. Next: ${next}.`;
  return task_id === undefined
    ? `Claimed ${agent_id} ${formatName(name)} for ${group_id}, epoch ${epoch}. Next: ${toolName("send")} it a task, then ${next}.`
    : `Claimed ${agent_id} ${formatName(name)} for ${group_id}, epoch ${epoch}, with task ${task_id}. Next: ${next}.`;
}

export const buildClaimTools = (toolName: ToolNamer): Tool[] => [
  defineTool({
    name: toolName("pool_claim"),
    title: "Claim an agent",
    description: "Ops: assign the agent that has waited longest, or a given one, to your group",
    hints: ADDS,
    input: z.strictObject({
      ops_id: requiredIdSchema.describe("Your id"),
      agent_id: requiredIdSchema.optional().describe("This agent"),
      capability: groupCapabilitySchema.optional().describe("One that can do this"),
      pool: poolSchema,
      target_group_id: requiredIdSchema.optional().describe("Default: your only group"),
      task: summarySchema.optional().describe("Text, or id of a returned task"),
    }),
    output: agentOutputSchema,
    takesExchange: false,
    run: ({ ops_id, pool = "agents", ...given }, { env, caller }) =>
      findByIds(caller, ops_id, async (principal) => {
        const { agent_id, capability, target_group_id, task } = given;
        const claimed = await claimFromPool(env, principal, {
          ops_id,
          pool,
          ...defined({ agent_id, capability, target_group_id, task }),
          returns_same: true,
        });
        if (!claimed.ok) return claimed;
        const text = describeClaim(claimed.value, toolName);
        return ok(buildStructuredResult(text, cleanDeep(claimed.value)));
      }),
  }),
  defineTool({
    name: toolName("pool_release"),
    title: "Release an agent",
    description: "Return an agent to its pool; its open tasks are given back",
    hints: ENDS,
    input: z.strictObject({
      agent_id: requiredIdSchema.describe("The agent"),
      epoch: z.int().optional().describe("Of the claim"),
      remove: z.boolean().optional().describe("Remove it from the pool"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    run: ({ agent_id, epoch, remove }, { env, caller }) =>
      findByIds(caller, agent_id, async (principal) => {
        const input = { agent_id, ...defined({ epoch, remove }) };
        const released = await releaseToPool(env, principal, input);
        if (!released.ok) return released;
        const isRemoved = remove && released.value.status === "offline";
        const state = isRemoved ? "removed from its pool" : released.value.status;
        return ok(buildStructuredResult(`${agent_id} is ${state}.`, cleanDeep(released.value)));
      }),
  }),
];
