/** Reservations end at their expiry and with the credential that made them, without an alarm. */
import type { CredentialId } from "../../auth/principal.ts";
import { isLive } from "../identity/end-access.ts";
import type { Stores } from "../stores.ts";
import type { StoredReservation } from "./reservations.ts";

export function listLive(stores: Stores, now: number): StoredReservation[] {
  const liveByCredential = new Map<CredentialId, boolean>();
  return stores.reservations.list(now).filter(({ credential }) => {
    const known = liveByCredential.get(credential) ?? isLive(stores, credential, now);
    liveByCredential.set(credential, known);
    return known;
  });
}

/** Deletes those that have ended. Call it in each change. @returns the others */
export function removeEnded(stores: Stores, now: number): StoredReservation[] {
  const live = listLive(stores, now);
  stores.reservations.removeExcept(live.map(({ n }) => n));
  return live;
}
