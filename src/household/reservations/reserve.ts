/** Reserves names, all or none. Runs in one transaction. */
import type { Principal } from "../../auth/principal.ts";
import type { NewReservation, ReservationView } from "../../contracts/reservations.ts";
import { defined } from "../../mess/defined.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { toOneLine } from "../../mess/one-line.ts";
import { RESERVATION_LIMITS, type ReservationMode } from "../../mess/reservations/limits.ts";
import { isOverlapping, type NamePattern, parseName } from "../../mess/reservations/overlap.ts";
import { fail, ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import { readExpiry } from "./expiry.ts";
import { getShownId, type Holder, isHeldBy, readHolder } from "./holder.ts";
import { listLive, removeEnded } from "./live-reservations.ts";
import { notifyOfWanter } from "./notify-holders.ts";
import { readNames } from "./read-names.ts";
import { toConflicts, toView } from "./reservation-views.ts";
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
  const expires = readExpiry(input, stores.settings.getZone(), now);
  if (!expires.ok) return expires;
  const { mode = "exclusive" } = input;
  const reason = input.reason === undefined ? null : toOneLine(input.reason);

  const live = removeEnded(stores, now);
  const patterns = [...names.value.keys()].map(parseName);
  const conflicts = live.filter(
    (one) => !isHeldBy(one, holder.value) && isConflicting(one, mode, patterns),
  );
  if (conflicts.length > 0) {
    recordWanter(stores, conflicts, holder.value, reason ?? undefined, now);
    return ok({ conflict: buildConflictError(stores, conflicts, holder.value) });
  }

  const own = live.filter((one) => isHeldBy(one, holder.value));
  const added = [...names.value].filter(
    ([normalized]) => !own.some((one) => one.normalized === normalized),
  );
  const error = checkReservationLimits(live, holder.value, added.length);
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
  return ok({ granted: granted.map((one) => toView(stores, one, holder.value.credential)) });
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

/** Each holder learns once of everybody else who wanted its reservation. */
function recordWanter(
  stores: Stores,
  conflicts: readonly StoredReservation[],
  holder: Holder,
  reason: string | undefined,
  now: number,
): void {
  const { actor } = holder;
  const as = getShownId(stores, holder.member);
  const unaware = conflicts.filter(
    ({ wanted }) =>
      wanted.length < RESERVATION_LIMITS.wantersPerReservation &&
      !wanted.some((one) => one.actor === actor && one.as === as),
  );
  for (const { n, wanted } of unaware)
    stores.reservations.setWanted(n, [...wanted, { actor, at: now, ...defined({ as, reason }) }]);
  notifyOfWanter(stores, unaware, holder, reason, now);
}

function buildConflictError(
  stores: Stores,
  conflicts: readonly StoredReservation[],
  { credential }: Holder,
): MessError {
  const listed = toConflicts(stores, conflicts);
  const [{ name, held_by, until }] = listed as [(typeof listed)[number]];
  const others = conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : "";
  return refuse(
    "reserved",
    `${name} is reserved by ${held_by} until ${until}${others}`,
    conflicts.some((one) => one.credential === credential)
      ? "It was reserved with your own key, under another id or without one. If that was you, repeat the call in the same way; if not, ask that agent."
      : "Ask the holder, who sees that you want it. Until it is free, choose something else.",
    { reservations: listed },
  ).error;
}

function checkReservationLimits(
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
    "Release those that you no longer need. A folder with ** takes the place of all its files.",
  ).error;
}
