/**
 * Ends everything that was made with a credential when the credential ends: links and sockets in threads, sign-in
 * links, the sessions that these began, and the grants and keys of programs made in those sessions. Other API keys and
 * passkeys stay: owners list and revoke them separately. All functions run in the caller's transaction.
 */
import type { CredentialId } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { LinkRequest } from "../../contracts/identity.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { EXCHANGE_SOURCE } from "../audit/audit.ts";
import { endMemberships } from "../memberships/end-memberships.ts";
import type { Stores } from "../stores.ts";

/**
 * True while the credential is active and the household is not suspended. Reads the household's own tables, since an isolate may still cache a revoked
 * one.
 */
export function isLive(
  { credentials, grants, people, settings }: Stores,
  credential: CredentialId,
  now: number,
): boolean {
  if (settings.isSuspended()) return false;
  const at = credential.indexOf(":");
  const id = credential.slice(at + 1);
  switch (credential.slice(0, at)) {
    case "key":
      return credentials.isLive(id, now);
    case "grant":
      return grants.isLive(id);
    case "session":
      return people.findBySession(id, now) !== undefined;
    default:
      return false;
  }
}

/** Ends what was made with the credential. The caller ends the credential itself. */
export function endCredential(stores: Stores, credential: CredentialId, now: number): void {
  stores.revocations.endCredential(credential, now);
  endMemberships(stores, credential, now);
  for (const session of stores.people.endMadeWith(credential)) endSession(stores, session, now);
  for (const grant of stores.grants.endMadeWith(credential))
    endCredential(stores, `grant:${grant}`, now);
  for (const key of stores.credentials.revokeMadeWith(credential, now))
    endCredential(stores, `key:${key}`, now);
}

/** Ends the API keys that have expired. True if there were any. */
export function endExpiredKeys(stores: Stores, now: number): boolean {
  const expired = stores.credentials.expire(now);
  for (const { id, actor } of expired) {
    endCredential(stores, `key:${id}`, now);
    const record = { action: "key_expired", source: EXCHANGE_SOURCE, target: id } as const;
    stores.audit.append({ ...record, detail: { actor } }, now);
  }
  return expired.length > 0;
}

/** Ends a browser session and what was made with it, including its push subscription. */
export function endSession(stores: Stores, session: string, now: number): void {
  stores.people.endSession(session);
  stores.subscriptions.removeOfSession(session);
  endCredential(stores, `session:${session}`, now);
}

/**
 * Checks whether the caller may have a link made for the executor; returns the membership with which the link ends. The
 * thread is recorded before the link exists: if the credential ends in between, the thread is notified and refuses the
 * link.
 */
export function permitLink(
  stores: Stores,
  { credential, executor, ref }: LinkRequest,
  now: number,
): Outcome<{ membership: number }> {
  if (!isLive(stores, credential, now)) return refuseUnauthenticated();
  if (!stores.members.findExecutor(executor))
    return refuse("unknown_executor", "executor not found", "Name an executor of this household.");
  stores.revocations.recordUse(credential, ref, now);
  return ok({ membership: stores.members.getMembership(executor) });
}
