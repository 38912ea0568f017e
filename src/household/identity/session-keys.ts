/** Keys of programs that people let sign in, such as the command line. */
import type { CredentialId, Role } from "../../auth/principal.ts";
import { getLesserRole } from "../../auth/roles.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { AuditSource } from "../../contracts/audit.ts";
import type { SessionKey } from "../../contracts/identity.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import { addMemberKey, revokeMemberKey } from "./member-keys.ts";

const LIFETIME_SECONDS = 365 * 86_400;

export function addSessionKey(
  stores: Stores,
  session: string,
  { role: wanted, key_hash, label }: SessionKey,
  now: number,
): Outcome<{ actor: string; role: Role }> {
  const person = stores.people.findBySession(session, now);
  if (!person) return refuseUnauthenticated();
  const { actor } = person;
  const role = getLesserRole(wanted, person.role);
  const key = { actor, role, key_hash, label, expiry: { seconds: LIFETIME_SECONDS } };
  const added = addMemberKey(stores, key, { actor, credential: "session" }, now);
  if (!added.ok) return added;
  stores.credentials.recordPerson(added.value.id, actor, person.made_with);
  return ok({ actor, role });
}

export function endSessionKey(
  stores: Stores,
  credential: CredentialId | undefined,
  source: AuditSource,
  now: number,
): Outcome<true> {
  const id = credential?.startsWith("key:") ? credential.slice("key:".length) : "";
  return stores.credentials.isOfProgram(id)
    ? revokeMemberKey(stores, id, source, now)
    : refuse(
        "wrong_role",
        "this credential does not belong to a program that signed in",
        "An owner can revoke it in the list of keys.",
      );
}
