/** Reservations for a model: one line each, with the texts of other members quoted. */
import type { ReservationView, ReservationWanter } from "../../../contracts/reservations.ts";
import type { ConflictingReservation } from "../../../mess/errors.ts";
import { inlineText } from "./untrusted-text.ts";

const formatMember = (actor: string, as?: string): string =>
  as === undefined ? actor : `${actor} ${as}`;

const formatReason = (reason?: string): string =>
  reason === undefined ? "" : `, "${inlineText(reason, 120)}"`;

export const describeConflict = ({
  name,
  mode,
  held_by,
  as,
  until,
  reason,
}: ConflictingReservation): string =>
  `"${inlineText(name, 120)}" ${mode} by ${formatMember(held_by, as)} until ${until}${formatReason(reason)}`;

const describeWanter = ({ actor, as, at, reason }: ReservationWanter): string =>
  `${formatMember(actor, as)} at ${at}${formatReason(reason)}`;

export function describeReservation(reservation: ReservationView): string {
  const { mine, wanted_by = [] } = reservation;
  const wanted =
    wanted_by.length === 0 ? "" : `; wanted by ${wanted_by.map(describeWanter).join("; ")}`;
  return `${mine ? "yours: " : ""}${describeConflict(reservation)}${wanted}`;
}
