/** An agent that repeats a claim, since the response was lost, gets the first claim and not a second agent. */
import { hashSha256 } from "../../../auth/hash.ts";
import type { Claim, ClaimInput } from "../../../contracts/household-groups.ts";
import type { Stores } from "../../stores.ts";
import { isTaskId } from "./returned-task.ts";

/** Within this time, the same claim is taken for a repeated one. */
const REPEATED_CLAIM_MS = 60_000;

interface StoredClaim {
  at: number;
  claim: Claim;
}

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

/** Each minute has its own key, so that a later claim can be stored. Keys of callers contain no spaces. */
const getKey = (time: number): string => `group claim ${Math.floor(time / REPEATED_CLAIM_MS)}`;

/** The first claim, if its agent is still claimed by it. */
export function findRepeatedClaim(
  { idempotentCalls, pool }: Pick<Stores, "idempotentCalls" | "pool">,
  hash: string | undefined,
  now: number,
): Claim | undefined {
  if (hash === undefined) return undefined;
  for (const time of [now, now - REPEATED_CLAIM_MS]) {
    const [stored] = idempotentCalls.get(hash, getKey(time))?.refs ?? [];
    if (stored === undefined) continue;
    const { at, claim } = JSON.parse(stored) as StoredClaim;
    const entry = pool.find(claim.agent_id);
    const isHeld = entry?.claim !== undefined && entry.epoch === claim.epoch;
    if (isHeld && now - at < REPEATED_CLAIM_MS) return { ...claim, repeated: true };
  }
  return undefined;
}

export function storeClaim(
  { idempotentCalls }: Pick<Stores, "idempotentCalls">,
  hash: string | undefined,
  claim: Claim,
  now: number,
): void {
  // A claim that was released within the minute has left its row.
  if (hash === undefined || idempotentCalls.get(hash, getKey(now))) return;
  const stored: StoredClaim = { at: now, claim };
  idempotentCalls.add(hash, getKey(now), [{ digest: "", ref: JSON.stringify(stored) }]);
}
