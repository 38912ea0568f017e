/** Calls about groups with an idempotency key take effect once: a repeated one gets the first result. */
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import type { GroupPrincipal } from "./group-callers.ts";

export interface RepeatableCall {
  kind: "initiate" | "claim";
  key: string | undefined;
}

/** Keys of callers contain no spaces, so that no caller can use this one for another call. */
const getStoredKey = ({ kind, key }: RepeatableCall): string => `group ${kind} ${key}`;

/** The result of an earlier call with the key; undefined without one. */
export function findFirstResult(
  { idempotentCalls }: Stores,
  { actor }: GroupPrincipal,
  call: RepeatableCall,
): unknown {
  if (call.key === undefined) return undefined;
  const [result] = idempotentCalls.get(actor, getStoredKey(call))?.refs ?? [];
  return result === undefined ? undefined : (JSON.parse(result) as unknown);
}

/** Runs the call inside the caller's transaction, unless it has run with this key. */
export function runOnce<T>(
  stores: Stores,
  caller: GroupPrincipal,
  call: RepeatableCall,
  run: () => Outcome<T>,
): Outcome<T> {
  const first = findFirstResult(stores, caller, call);
  if (first !== undefined) return ok(first as T);
  const outcome = run();
  if (outcome.ok && call.key !== undefined)
    stores.idempotentCalls.add(caller.actor, getStoredKey(call), [
      { digest: "", ref: JSON.stringify(outcome.value) },
    ]);
  return outcome;
}
