/** Adds and revokes API keys of members. */
import type { AuditSource } from "../../contracts/audit.ts";
import type { KeyInfo, NewMemberKey } from "../../contracts/identity.ts";
import { defined } from "../../mess/defined.ts";
import { checkActorId } from "../../mess/actors.ts";
import { isServingRole } from "../../auth/roles.ts";
import { isMessagePath, MAX_MESSAGE_PATHS } from "../../auth/message-paths.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import { checkNewKey } from "../quotas/quotas.ts";
import type { Stores } from "../stores.ts";
import { endCredential } from "./end-access.ts";

/** Makes the member an executor, if it is not one yet. */
export function ensureExecutor(stores: Stores, actor: string, now: number): void {
  if (stores.members.findExecutor(actor)) return;
  stores.revocations.restore(actor);
  stores.members.putExecutor({ id: actor, kind: "person", capabilities: [] }, now);
}

/** Adds the key. One with a role that serves also makes its member an executor. */
export function addMemberKey(
  stores: Stores,
  key: NewMemberKey,
  source: AuditSource,
  now: number,
): Outcome<KeyInfo> {
  const actor = checkActorId(key.actor, "actor");
  if (!actor.ok) return actor;
  const limit = checkKeyPaths(key);
  if (!limit.ok) return limit;
  const full = stores.credentials.has(key.key_hash) ? undefined : checkNewKey(stores, key.actor);
  if (full) return fail(full);
  stores.members.add(key.actor, now);
  if (isServingRole(key.role)) ensureExecutor(stores, key.actor, now);
  const id = crypto.randomUUID();
  const added = stores.credentials.add({ ...key, id }, now);
  // A repeated call returns the key of the first one, which was recorded.
  if (added.ok && added.value.id === id) {
    const { label, expires, paths } = added.value;
    const detail = { actor: key.actor, role: key.role, ...defined({ label, expires, paths }) };
    stores.audit.append({ action: "key_created", source, target: id, detail }, now);
  }
  return added;
}

/** A limited key gives no other access, so that its member becomes neither an owner nor an executor by it. */
function checkKeyPaths({ paths, role }: NewMemberKey): Outcome<true> {
  if (paths === undefined) return ok(true);
  if (paths.length === 0 || paths.length > MAX_MESSAGE_PATHS || !paths.every(isMessagePath))
    return refuse(
      "bad_field",
      "paths: not paths of message sources",
      `Give 1 to ${MAX_MESSAGE_PATHS} paths: msg or msg/{source} to read, msg/*/outbox or msg/{source}/outbox to write drafts, msg/classify to classify.`,
      { path: "paths" },
    );
  return role === "agent"
    ? ok(true)
    : refuse(
        "bad_field",
        `role: a key with paths cannot have the role ${role}`,
        "Use the role agent for a key that is limited to message sources.",
        { path: "role", valid: ["agent"] },
      );
}

/** Revokes the key and ends the access that was created with it. */
export function revokeMemberKey(
  stores: Stores,
  id: string,
  source: AuditSource,
  now: number,
): Outcome<true> {
  const key = stores.credentials.list().find((one) => one.id === id);
  const revoked = stores.credentials.revoke(id, now);
  if (!key || !revoked.ok) return revoked;
  endCredential(stores, `key:${id}`, now);
  const detail = { actor: key.actor, role: key.role };
  stores.audit.append({ action: "key_revoked", source, target: id, detail }, now);
  return revoked;
}

/** Revokes the keys of an executor that is removed, with the roles that serve. */
export function revokeExecutorKeys(
  stores: Stores,
  actor: string,
  source: AuditSource,
  now: number,
): void {
  for (const { id, role } of stores.credentials.revokeServing(actor, now)) {
    endCredential(stores, `key:${id}`, now);
    const detail = { actor, role };
    stores.audit.append({ action: "key_revoked", source, target: id, detail }, now);
  }
}
