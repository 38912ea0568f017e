/** Reservations as members see them. */
import type { CredentialId } from "../../auth/principal.ts";
import type { ReservationView } from "../../contracts/reservations.ts";
import { defined } from "../../mess/defined.ts";
import type { ConflictingReservation } from "../../mess/errors.ts";
import { RESERVATION_LIMITS } from "../../mess/reservations/limits.ts";
import { writeTime } from "../../mess/times.ts";
import type { Stores } from "../stores.ts";
import { getShownId } from "./holder.ts";
import type { StoredReservation } from "./reservations.ts";

const toConflict = (
  stores: Stores,
  { name, mode, actor, member, expires, reason }: StoredReservation,
): ConflictingReservation => ({
  name,
  mode,
  held_by: actor,
  ...defined({ as: getShownId(stores, member) }),
  until: writeTime(expires, stores.settings.getZone()),
  ...defined({ reason: reason ?? undefined }),
});

/** The reservations that a refusal lists. */
export const toConflicts = (
  stores: Stores,
  reservations: readonly StoredReservation[],
): ConflictingReservation[] =>
  reservations.slice(0, RESERVATION_LIMITS.listedConflicts).map((one) => toConflict(stores, one));

export function toView(
  stores: Stores,
  reservation: StoredReservation,
  caller: CredentialId,
): ReservationView {
  const zone = stores.settings.getZone();
  const { created, credential, wanted } = reservation;
  return {
    ...toConflict(stores, reservation),
    since: writeTime(created, zone),
    ...(credential === caller ? { mine: true } : {}),
    ...(wanted.length > 0
      ? { wanted_by: wanted.map(({ at, ...one }) => ({ ...one, at: writeTime(at, zone) })) }
      : {}),
  };
}
