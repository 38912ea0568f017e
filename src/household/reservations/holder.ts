/** The holder of a reservation: a credential, and the id in an AI group under which it was made. */
import type { CredentialId, Principal } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseUnknownMember } from "../../mess/groups/refusals.ts";
import { ok } from "../../mess/result.ts";
import { isLive } from "../identity/end-access.ts";
import type { Stores } from "../stores.ts";
import type { StoredReservation } from "./reservations.ts";

export interface Holder {
  actor: string;
  credential: CredentialId;
  member: string | null;
}

/** @param as an id of the caller in an AI group */
export function readHolder(
  stores: Stores,
  { actor, credential, scope }: Principal,
  as: string | undefined,
  now: number,
): Outcome<Holder> {
  // The caller's isolate may still cache a revoked credential.
  if (credential === undefined || scope || !isLive(stores, credential, now))
    return refuseUnauthenticated();
  if (as !== undefined) return refuseUnknownMember("as");
  return ok({ actor, credential, member: null });
}

/** Agents that share a key are different holders if they name different ids. */
export const isHeldBy = (reservation: StoredReservation, { credential, member }: Holder): boolean =>
  reservation.credential === credential && reservation.member === member;
