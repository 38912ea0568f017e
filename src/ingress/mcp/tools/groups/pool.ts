/** The pools of agents and ops that wait for an assignment. */
import * as z from "zod";
import type { NewPoolEntry, PoolEntryView } from "../../../../contracts/household-groups.ts";
import { listPool, registerInPool } from "../../../../exchange/group-calls/group-memberships.ts";
import { defined } from "../../../../mess/defined.ts";
import type { Outcome } from "../../../../mess/errors.ts";
import {
  groupCapabilitiesSchema,
  memberNameSchema,
  terminalInfoSchema,
} from "../../../../mess/groups/fields.ts";
import { POOL_STATUSES } from "../../../../mess/groups/vocabulary.ts";
import { ok } from "../../../../mess/result.ts";
import { findMember } from "../../caller.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { formatInlineList } from "../../text/format-lists.ts";
import { formatName } from "../../text/describe-group.ts";
import { cleanDeep } from "../../text/untrusted-text.ts";
import {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolOutput,
  type ToolNamer,
} from "../../tool.ts";
import { READS, SETS } from "../tool-hints.ts";
import { agentOutputSchema, groupOutputSchema, poolSchema } from "./group-tool.ts";

const terminal_info = terminalInfoSchema.optional().describe("Where you run");

const MAX_LISTED_AGENTS = 50;

function describeEntry(entry: PoolEntryView): string {
  const { agent_id, name, status, capabilities = [], claimed_by, group_id } = entry;
  const skills = capabilities.length > 0 ? `; ${formatInlineList(capabilities, 10)}` : "";
  const holder = claimed_by === undefined ? "" : `, by ${claimed_by} for ${group_id}`;
  return `${agent_id} ${formatName(name)}: ${status}${holder}${skills}`;
}

async function register(
  toolName: ToolNamer,
  entry: NewPoolEntry,
  exchange: string | undefined,
  { env, caller }: ToolContext,
): Promise<Outcome<ToolOutput>> {
  const member = findMember(caller, exchange);
  if (!member.ok) return member;
  const registered = await registerInPool(env, member.value, entry);
  if (!registered.ok) return registered;
  const { agent_id } = registered.value;
  const text = `You are ${agent_id} in the pool ${entry.pool}. Next: ${toolName("wait")} with group_id=${entry.pool} my_id=${agent_id} timeout=600 for an assignment.`;
  return ok(buildStructuredResult(text, cleanDeep(registered.value)));
}

export const buildPoolTools = (toolName: ToolNamer): Tool[] => [
  defineTool({
    name: toolName("pool_register"),
    title: "Enter the agent pool",
    description: "Offer yourself as an agent",
    hints: SETS,
    input: z.strictObject({
      agent_name: memberNameSchema.describe("Your name"),
      capabilities: groupCapabilitiesSchema.optional().describe("code-review, …"),
      terminal_info,
    }),
    output: agentOutputSchema,
    run: ({ agent_name: name, exchange, ...given }, call) => {
      const entry = { pool: "agents" as const, name, ...defined(given) };
      return register(toolName, entry, exchange, call);
    },
  }),
  defineTool({
    name: toolName("pool_register_ops"),
    title: "Enter the ops pool",
    description: "Offer yourself as backup ops",
    hints: SETS,
    input: z.strictObject({ ops_name: memberNameSchema.describe("Your name"), terminal_info }),
    output: agentOutputSchema,
    run: ({ ops_name: name, exchange, ...given }, call) => {
      const entry = { pool: "ops" as const, name, ...defined(given) };
      return register(toolName, entry, exchange, call);
    },
  }),
  defineTool({
    name: toolName("pool_list"),
    title: "List a pool",
    description: "Agents of a pool, the next one first",
    hints: READS,
    input: z.strictObject({
      status: z.enum(POOL_STATUSES).optional().describe("Only these"),
      pool: poolSchema,
    }),
    output: groupOutputSchema,
    async run({ status, pool = "agents", exchange }, { env, caller }) {
      const member = findMember(caller, exchange);
      if (!member.ok) return member;
      const listed = await listPool(env, member.value, { pool, ...defined({ status }) });
      if (!listed.ok) return listed;
      const agents = listed.value.slice(0, MAX_LISTED_AGENTS);
      const left = listed.value.length - agents.length;
      const text = [
        ...agents.map(describeEntry),
        ...(left > 0 ? [`${left} more.`] : []),
        ...(agents.length === 0 ? [`Nobody in the pool ${pool}.`] : []),
      ].join("\n");
      return ok(buildStructuredResult(text, { agents: cleanDeep(agents) }));
    },
  }),
];
