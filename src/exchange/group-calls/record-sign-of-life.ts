/** Records a sign of life of an agent or ops in its pool and in its groups. */
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { readAgentStatus } from "./group-memberships.ts";
import { sendHeartbeat } from "./group-messages.ts";

/** @param group_id the group to report to; without it, all groups of the agent */
export async function recordSignOfLife(
  env: ExchangeBindings,
  principal: Principal,
  { agent_id, group_id }: { agent_id: string; group_id?: string },
): Promise<Outcome<{ at: string }>> {
  const pool = agent_id.startsWith("o_") ? "ops" : "agents";
  const record = (id: string) => sendHeartbeat(env, principal, { group_id: id, my_id: agent_id });
  if (group_id !== undefined) {
    const [inGroup] = await Promise.all([
      record(group_id),
      group_id === pool ? undefined : record(pool),
    ]);
    return inGroup;
  }
  const status = await readAgentStatus(env, principal, agent_id);
  if (!status.ok) return status;
  const groups = [...new Set([pool, ...status.value.groups])];
  const recorded = await Promise.all(groups.map(record));
  // The agent need not be in the pool, and a group may have been closed meanwhile.
  return recorded.find(({ ok: isRecorded }) => isRecorded) ?? recorded[0]!;
}
