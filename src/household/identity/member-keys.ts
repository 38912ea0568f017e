/** Adds API keys of members. */
import type { KeyInfo, NewMemberKey } from "../../contracts/identity.ts";
import { checkActorId } from "../../mess/actors.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { Stores } from "../stores.ts";

/** Adds the key. A key with the role executor also makes its member an executor, if it is not one yet. */
export function addMemberKey(stores: Stores, key: NewMemberKey, now: number): Outcome<KeyInfo> {
  const actor = checkActorId(key.actor, "actor");
  if (!actor.ok) return actor;
  stores.members.add(key.actor, now);
  if (key.role === "executor" && !stores.members.findExecutor(key.actor)) {
    stores.revocations.restore(key.actor);
    stores.members.putExecutor({ id: key.actor, kind: "person", capabilities: [] }, now);
  }
  return stores.credentials.add({ ...key, id: crypto.randomUUID() }, now);
}
