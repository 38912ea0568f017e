/**
 * What was made with a credential ends with it: links and sockets in threads, sign-in links, the sessions that began by
 * them, and what was granted in those sessions. Keys and passkeys are credentials of their own, which owners see in
 * their lists and end by themselves. All of it runs in the caller's transaction.
 */
import type { CredentialId } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { LinkRequest } from "../../contracts/identity.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";

/** Asked of the household itself, so that no copy of a credential that an isolate remembers counts. */
export function isLive(
  { credentials, grants, people }: Stores,
  credential: CredentialId,
  now: number,
): boolean {
  const at = credential.indexOf(":");
  const id = credential.slice(at + 1);
  switch (credential.slice(0, at)) {
    case "key":
      return credentials.isLive(id);
    case "grant":
      return grants.isLive(id);
    case "session":
      return people.findBySession(id, now) !== undefined;
    default:
      return false;
  }
}

/** The credential itself is ended by the caller. */
export function endCredential(stores: Stores, credential: CredentialId, now: number): void {
  stores.revocations.endCredential(credential, now);
  for (const session of stores.people.endMadeWith(credential)) endSession(stores, session, now);
  for (const grant of stores.grants.endMadeWith(credential))
    endCredential(stores, `grant:${grant}`, now);
}

/** The browser that had the session takes no push messages any more either. */
export function endSession(stores: Stores, session: string, now: number): void {
  stores.people.endSession(session);
  stores.subscriptions.removeOfSession(session);
  endCredential(stores, `session:${session}`, now);
}

/**
 * Whether the caller may have a link made for the executor, and the membership with which it ends. The thread is noted
 * before the link is made: should the credential end meanwhile, the thread is notified and refuses the link.
 */
export function permitLink(
  stores: Stores,
  { credential, executor, ref }: LinkRequest,
  now: number,
): Outcome<{ membership: number }> {
  if (!isLive(stores, credential, now)) return refuseUnauthenticated();
  if (!stores.members.findExecutor(executor))
    return refuse("unknown_executor", "no such executor", "Name an executor of this household.");
  stores.revocations.recordUse(credential, ref, now);
  return ok({ membership: stores.members.membership(executor) });
}
