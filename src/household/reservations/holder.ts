/** The holder of a reservation: a credential, and the id in an AI group under which it was made. */
import type { CredentialId, Principal } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseUnknownMember } from "../../mess/groups/refusals.ts";
import { ok } from "../../mess/result.ts";
import { isLive } from "../identity/end-access.ts";
import { adoptMember } from "../memberships/group-callers.ts";
import type { Stores } from "../stores.ts";
import type { StoredReservation } from "./reservations.ts";

export interface Holder {
  actor: string;
  credential: CredentialId;
  /** Key of the member of an AI group, which stays the same when a handoff gives it a new id. */
  member: string | null;
}

/** @param as an id of the caller in an AI group */
export function readHolder(
  stores: Stores,
  principal: Principal,
  as: string | undefined,
  now: number,
): Outcome<Holder> {
  const { actor, credential, scope } = principal;
  // The caller's isolate may still cache a revoked credential.
  if (credential === undefined || scope || !isLive(stores, credential, now))
    return refuseUnauthenticated();
  if (as === undefined) return ok({ actor, credential, member: null });
  const member = stores.groupMembers
    .listById(as)
    .find((one) => adoptMember(stores, one, { ...principal, credential }, now));
  return member ? ok({ actor, credential, member: member.key }) : refuseUnknownMember("my_id");
}

/** Agents that share a key are different holders if they name different ids. */
export const isHeldBy = (reservation: StoredReservation, { credential, member }: Holder): boolean =>
  reservation.credential === credential && reservation.member === member;

/** The present id of a member of an AI group. */
export const getShownId = ({ groupMembers }: Stores, member: string | null): string | undefined =>
  member === null ? undefined : (groupMembers.listById(member)[0]?.id ?? member);
