/** Reservations as members see them. */
import type { CredentialId } from "../../auth/principal.ts";
import type { ReservationView } from "../../contracts/reservations.ts";
import { defined } from "../../mess/defined.ts";
import type { ConflictingReservation } from "../../mess/errors.ts";
import { writeTime } from "../../mess/times.ts";
import type { StoredReservation } from "./reservations.ts";

export const toConflict = (
  { name, mode, actor, member, expires, reason }: StoredReservation,
  zone: string,
): ConflictingReservation => ({
  name,
  mode,
  held_by: actor,
  ...defined({ as: member ?? undefined }),
  until: writeTime(expires, zone),
  ...defined({ reason: reason ?? undefined }),
});

export const toView = (
  reservation: StoredReservation,
  caller: CredentialId,
  zone: string,
): ReservationView => ({
  ...toConflict(reservation, zone),
  since: writeTime(reservation.created, zone),
  ...(reservation.credential === caller ? { mine: true } : {}),
  ...(reservation.wanted.length > 0
    ? {
        wanted_by: reservation.wanted.map(({ at, ...one }) => ({
          ...one,
          at: writeTime(at, zone),
        })),
      }
    : {}),
});
