/** Sign-in of people, and their sign-in links, passkeys and grants. Each function runs in one transaction. */
import { type CredentialId, isBrowserSession, type Role, ROLES } from "../../auth/principal.ts";
import type { AuditAction, AuditSource } from "../../contracts/audit.ts";
import { checkActorId } from "../../mess/actors.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import { LINK_LIFETIME_MS } from "./people.ts";
import type {
  AnsweredChallenge,
  CreatedGrant,
  GrantHolder,
  GrantInput,
  Invitation,
  SignedInMember,
  StoredPasskey,
} from "../../contracts/identity.ts";
import { refuseUnverifiedSession } from "../../auth/person-required.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { Stores } from "../stores.ts";
import { endCredential, endSession, isLive } from "./end-access.ts";
import { describeReading } from "./effective-role.ts";
import { ensureExecutor } from "./member-keys.ts";

/** One refusal for every failed sign-in, so that it does not reveal which part was wrong. */
const refuseNotSignedIn = () =>
  refuse("unauthenticated", "sign-in failed", "Sign in again, or request a new link.");

function toSignedInMember(
  stores: Stores,
  { actor, role, verified }: { actor: string; role: Role; verified: boolean },
): SignedInMember {
  const { id, name } = stores.settings.getHousehold();
  const has_passkey = listKnownPasskeys(stores, { actor, verified }).length > 0;
  return {
    actor,
    name: stores.members.findExecutor(actor)?.name ?? actor,
    role,
    household_name: name ?? id,
    ...describeReading(stores, role),
    has_passkey,
    ...(verified ? { verified } : {}),
  };
}

/** The person's passkeys; in a verified session only verified ones, so that another one can be added in their place. */
const listKnownPasskeys = (
  { passkeys }: Stores,
  { actor, verified }: { actor: string; verified: boolean },
): StoredPasskey[] => passkeys.listByActor(actor).filter((one) => one.verified || !verified);

/** The role of a member that is not a person yet: that of its keys, or executor. */
const getInitialRole = ({ credentials, members }: Stores, actor: string): Role | undefined =>
  credentials.getRole(actor) ?? (members.findExecutor(actor) ? "executor" : undefined);

export function invite(
  stores: Stores,
  { actor, role, hash, by_operator, made_with }: Invitation,
  source: AuditSource,
  now: number,
): Outcome<{ actor: string; role: Role; expires: string }> {
  // The key may have been revoked since the caller was authenticated from an isolate's cache.
  if (made_with !== undefined && !isLive(stores, made_with, now)) return refuseUnauthenticated();
  const id = checkActorId(actor, "actor");
  if (!id.ok) return id;
  const known = stores.people.find(actor)?.role;
  if (known && role && known !== role)
    return refuse(
      "already_exists",
      `${actor} is already a person with the role ${known}`,
      "Omit role, or remove the person first.",
    );
  const grantedRole = known ?? role ?? getInitialRole(stores, actor);
  if (by_operator && grantedRole !== "owner")
    return refuse(
      "wrong_role",
      "the operator can create sign-in links for owners only",
      "Ask an owner of the household for a link.",
    );
  if (!grantedRole)
    return refuse(
      "missing_field",
      "role: required for a new member",
      "Give the role of the person.",
      {
        path: "role",
        valid: ROLES,
      },
    );
  stores.members.add(actor, now);
  if (grantedRole === "member") ensureExecutor(stores, actor, now);
  stores.people.add({ actor, role: grantedRole }, now);
  const verified = by_operator === true || isVerifiedSession(stores, made_with, now);
  const origin = { made_with: made_with ?? null, verified };
  stores.people.addLink(hash, actor, origin, now);
  const record = { action: "sign_in_link_created", source, target: actor } as const;
  stores.audit.append({ ...record, detail: { role: grantedRole } }, now);
  return ok({ actor, role: grantedRole, expires: writeTime(now + LINK_LIFETIME_MS, "UTC") });
}

/** In a verified session, an owner vouches for the person to whom they give the link. */
const isVerifiedSession = (
  { people }: Stores,
  credential: CredentialId | undefined,
  now: number,
): boolean =>
  isBrowserSession(credential) &&
  people.findBySession(credential!.slice("session:".length), now)?.verified === true;

export function readInvitation(stores: Stores, link: string, now: number): Outcome<SignedInMember> {
  const person = stores.people.findByLink(link, now);
  return person ? ok(toSignedInMember(stores, person)) : refuseNotSignedIn();
}

export function acceptInvitation(
  stores: Stores,
  link: string,
  session: string,
  now: number,
): Outcome<SignedInMember> {
  const person = stores.people.findByLink(link, now);
  if (!person) return refuseNotSignedIn();
  stores.people.dropLink(link);
  stores.people.beginSession(session, person, now);
  recordPersonally(stores, person.actor, "sign_in_link", "signed_in", now);
  return ok(toSignedInMember(stores, person));
}

/** Records what a person does in the browser. */
const recordPersonally = (
  { audit }: Stores,
  actor: string,
  credential: AuditSource["credential"],
  action: AuditAction,
  now: number,
  more: { target?: string; detail?: JsonMap } = {},
): void => audit.append({ action, source: { actor, credential }, ...more }, now);

/** Ends the session at the request of its person. */
export function signOut(stores: Stores, session: string, now: number): void {
  const person = stores.people.findBySession(session, now);
  endSession(stores, session, now);
  if (person) recordPersonally(stores, person.actor, "session", "signed_out", now);
}

export function readSession(stores: Stores, session: string, now: number): Outcome<SignedInMember> {
  const person = stores.people.findBySession(session, now);
  return person ? ok(toSignedInMember(stores, person)) : refuseNotSignedIn();
}

/** The owner of a verified session (`Principal.verified`). */
export function findVerifiedOwner(
  { people }: Pick<Stores, "people">,
  session: string,
  now: number,
): Outcome<string> {
  const person = people.findBySession(session, now);
  if (!person) return refuseNotSignedIn();
  return person.verified && person.role === "owner" ? ok(person.actor) : refuseUnverifiedSession();
}

export function removePerson(
  stores: Stores,
  actor: string,
  source: AuditSource,
  now: number,
): Outcome<true> {
  for (const session of stores.people.listSessions(actor)) endSession(stores, session, now);
  for (const grant of stores.grants.revokePerson(actor))
    endCredential(stores, `grant:${grant}`, now);
  for (const key of stores.credentials.revokePrograms(actor, now))
    endCredential(stores, `key:${key}`, now);
  stores.subscriptions.removeAll(actor);
  stores.approvalChats.removeActor(actor);
  if (!stores.people.remove(actor))
    return refuse("not_found", "person not found", "List the people to see the valid ids.");
  stores.audit.append({ action: "person_removed", source, target: actor }, now);
  return ok(true);
}

export function findPasskey(stores: Stores, id: string): Outcome<StoredPasskey> {
  const known = stores.passkeys.get(id);
  return known ? ok(known) : refuseNotSignedIn();
}

export function listSessionPasskeys(
  stores: Stores,
  session: string,
  now: number,
): Outcome<StoredPasskey[]> {
  const person = stores.people.findBySession(session, now);
  return person ? ok(listKnownPasskeys(stores, person)) : refuseNotSignedIn();
}

export function addPasskey(
  stores: Stores,
  session: string,
  added: Omit<StoredPasskey, "actor" | "verified">,
  answered: AnsweredChallenge,
  now: number,
): Outcome<true> {
  const person = stores.people.findBySession(session, now);
  if (!person || !spendChallenge(stores, answered, now)) return refuseNotSignedIn();
  if (stores.passkeys.get(added.id))
    return refuse("already_exists", "this passkey is already registered", "Sign in with it.");
  // A session that a key opened must not make itself verified by a passkey of its own.
  const { actor, verified } = person;
  stores.passkeys.add({ ...added, actor, verified }, now);
  recordPersonally(stores, person.actor, "session", "passkey_added", now);
  return ok(true);
}

export function acceptPasskey(
  stores: Stores,
  { id, counter }: { id: string; counter: number },
  answered: AnsweredChallenge,
  session: string,
  now: number,
): Outcome<SignedInMember> {
  const known = stores.passkeys.get(id);
  const person = known && stores.people.find(known.actor);
  if (!known || !person || !spendChallenge(stores, answered, now)) return refuseNotSignedIn();
  // A counter that does not increase indicates a cloned authenticator. Authenticators that do not count always send 0.
  if (counter <= known.counter && (counter > 0 || known.counter > 0)) return refuseNotSignedIn();
  stores.passkeys.updateCounter(id, counter);
  const { verified } = known;
  stores.people.beginSession(session, { ...person, made_with: null, verified }, now);
  recordPersonally(stores, person.actor, "passkey", "signed_in", now);
  return ok(toSignedInMember(stores, { ...person, verified }));
}

const spendChallenge = (
  { passkeys }: Stores,
  { challenge, expires }: AnsweredChallenge,
  now: number,
): boolean => expires > now && passkeys.spendChallenge(challenge, expires, now);

export function createGrant(
  stores: Stores,
  session: string,
  input: GrantInput,
  now: number,
): Outcome<CreatedGrant> {
  const person = stores.people.findBySession(session, now);
  if (!person) return refuseNotSignedIn();
  const replaced = stores.grants.replace(person.actor, input.client_id);
  recordReplaced(stores, person.actor, replaced, now);
  const granted = stores.grants.add(input, person, now);
  recordPersonally(stores, person.actor, "session", "grant_created", now, {
    target: input.id,
    detail: { client: input.client, host: input.host, ...granted },
  });
  return ok({ ...granted, replaced });
}

export function endReplacedGrants(
  stores: Stores,
  session: string,
  ids: readonly string[],
  now: number,
): Outcome<true> {
  const person = stores.people.findBySession(session, now);
  if (!person) return refuseNotSignedIn();
  const ended = ids.flatMap((id) => stores.grants.end(person.actor, id));
  recordReplaced(stores, person.actor, ended, now);
  return ok(true);
}

function recordReplaced(
  stores: Stores,
  actor: string,
  grants: readonly string[],
  now: number,
): void {
  for (const grant of grants) {
    endCredential(stores, `grant:${grant}`, now);
    recordPersonally(stores, actor, "session", "grant_revoked", now, { target: grant });
  }
}

export function revokeGrant(
  stores: Stores,
  id: string,
  source: AuditSource,
  now: number,
): Outcome<true> {
  const revoked = stores.grants.revoke(id);
  if (!revoked.ok) return revoked;
  endCredential(stores, `grant:${id}`, now);
  stores.audit.append({ action: "grant_revoked", source, target: id }, now);
  return revoked;
}

export function findGrantHolder(stores: Stores, id: string, now: number): Outcome<GrantHolder> {
  const holder = stores.grants.findHolder(id, now);
  return holder ? ok({ ...holder, ...describeReading(stores, holder.role) }) : refuseNotSignedIn();
}
