/** An agent that repeats a claim, since the response was lost, gets the first claim and not a second agent. */
import { hashSha256 } from "../../../auth/hash.ts";
import type { Claim, ClaimInput } from "../../../contracts/household-groups.ts";
import type { Stores } from "../../stores.ts";
import { recallFacts, rememberFact } from "../recent-calls.ts";
import { isTaskId } from "./returned-task.ts";

/**
 * Identifies the claim by its ops, target and task. Undefined without the text of a task, since such claims may
 * mean one agent after the other.
 */
export async function hashClaim(input: ClaimInput): Promise<string | undefined> {
  const { returns_same, ops_id, pool, agent_id, capability, target_group_id, task } = input;
  if (!returns_same || task === undefined || isTaskId(task)) return undefined;
  const facts = [ops_id, pool, agent_id, capability, target_group_id, task];
  return await hashSha256(JSON.stringify(facts.map((fact) => fact ?? null)));
}

/** The first claim, if its agent is still claimed by it. */
export function findRepeatedClaim(
  stores: Pick<Stores, "idempotentCalls" | "pool">,
  hash: string | undefined,
  now: number,
): Claim | undefined {
  if (hash === undefined) return undefined;
  const claims = recallFacts(stores, { kind: "claim", subject: hash }, now) as Claim[];
  const held = claims.find(({ agent_id, epoch }) => {
    const entry = stores.pool.find(agent_id);
    return entry?.claim !== undefined && entry.epoch === epoch;
  });
  return held && { ...held, repeated: true };
}

export function storeClaim(
  stores: Pick<Stores, "idempotentCalls">,
  hash: string | undefined,
  claim: Claim,
  now: number,
): void {
  if (hash !== undefined) rememberFact(stores, { kind: "claim", subject: hash, fact: claim }, now);
}
