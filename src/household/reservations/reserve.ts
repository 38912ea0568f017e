/** Reserves names, all or none. Runs in one transaction. */
import type { Principal } from "../../auth/principal.ts";
import type { NewReservation, ReservationView } from "../../contracts/reservations.ts";
import { defined } from "../../mess/defined.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { RESERVATION_LIMITS, type ReservationMode } from "../../mess/reservations/limits.ts";
import { isOverlapping, type NamePattern, parseName } from "../../mess/reservations/overlap.ts";
import { fail, ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import { readExpiry } from "./expiry.ts";
import { type Holder, isHeldBy, readHolder } from "./holder.ts";
import { listLive, removeEnded } from "./live-reservations.ts";
import { readNames } from "./read-names.ts";
import { toConflict, toView } from "./reservation-views.ts";
import type { StoredReservation } from "./reservations.ts";

/** A conflict is a value that commits, since the holders are informed of it in the same transaction. */
export type Reserved = { granted: ReservationView[] } | { conflict: MessError };

export function reserve(
  stores: Stores,
  caller: Principal,
  input: NewReservation,
  now: number,
): Outcome<Reserved> {
  const holder = readHolder(stores, caller, input.as, now);
  if (!holder.ok) return holder;
  const names = readNames(input.names);
  if (!names.ok) return names;
  const zone = stores.settings.getZone();
  const expires = readExpiry(input, zone, now);
  if (!expires.ok) return expires;
  const { mode = "exclusive", reason = null } = input;

  const live = removeEnded(stores, now);
  const patterns = [...names.value.keys()].map(parseName);
  const conflicts = live.filter(
    (one) => !isHeldBy(one, holder.value) && isConflicting(one, mode, patterns),
  );
  if (conflicts.length > 0) {
    for (const conflict of conflicts) recordWanter(stores, conflict, holder.value, input, now);
    return ok({ conflict: buildConflictError(conflicts, holder.value, zone) });
  }

  const own = live.filter((one) => isHeldBy(one, holder.value));
  const added = [...names.value].filter(
    ([normalized]) => !own.some((one) => one.normalized === normalized),
  );
  const error = checkRoom(live, holder.value, added.length);
  if (error) return fail(error);
  for (const { n, normalized } of own)
    if (names.value.has(normalized))
      stores.reservations.extend(n, { mode, reason, expires: expires.value });
  for (const [normalized, name] of added)
    stores.reservations.add(
      { ...holder.value, name, normalized, mode, reason, expires: expires.value },
      now,
    );
  const granted = listLive(stores, now).filter(
    (one) => isHeldBy(one, holder.value) && names.value.has(one.normalized),
  );
  return ok({ granted: granted.map((one) => toView(one, holder.value.credential, zone)) });
}

const isConflicting = (
  { mode, normalized }: StoredReservation,
  wantedMode: ReservationMode,
  patterns: readonly NamePattern[],
): boolean => {
  if (mode === "shared" && wantedMode === "shared") return false;
  const held = parseName(normalized);
  return patterns.some((pattern) => isOverlapping(pattern, held));
};

/** Each holder of a name learns once of everybody else who wanted it. */
function recordWanter(
  { reservations }: Stores,
  { n, wanted }: StoredReservation,
  { actor, member }: Holder,
  { reason }: NewReservation,
  now: number,
): void {
  const as = member ?? undefined;
  if (wanted.length >= RESERVATION_LIMITS.wantersPerReservation) return;
  if (wanted.some((one) => one.actor === actor && one.as === as)) return;
  reservations.setWanted(n, [...wanted, { actor, at: now, ...defined({ as, reason }) }]);
}

function buildConflictError(
  conflicts: readonly StoredReservation[],
  { credential }: Holder,
  zone: string,
): MessError {
  const listed = conflicts
    .slice(0, RESERVATION_LIMITS.listedConflicts)
    .map((one) => toConflict(one, zone));
  const [{ name, held_by, until }] = listed as [(typeof listed)[number]];
  const others = conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : "";
  return refuse(
    "reserved",
    `${name} is reserved by ${held_by} until ${until}${others}`,
    conflicts.some((one) => one.credential === credential)
      ? "It was reserved with your own key under another id: repeat the call with that id in as, or ask that agent."
      : "Ask the holder, who sees that you want it, or wait until then, or reserve something else.",
    { reservations: listed },
  ).error;
}

function checkRoom(
  live: readonly StoredReservation[],
  { credential }: Holder,
  added: number,
): MessError | undefined {
  const { perCredential, perHousehold } = RESERVATION_LIMITS;
  const own = live.filter((one) => one.credential === credential).length;
  const isOwnFull = own + added > perCredential;
  if (!isOwnFull && live.length + added <= perHousehold) return undefined;
  return refuse(
    "too_many",
    isOwnFull
      ? `more than ${perCredential} reservations with your key`
      : `more than ${perHousehold} reservations in the household`,
    "Release those that are not needed, or reserve a folder with ** in place of its files.",
  ).error;
}
