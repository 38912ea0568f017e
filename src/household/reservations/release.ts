/** Ends reservations. Runs in one transaction. */
import { toAuditSource } from "../../auth/audit-source.ts";
import type { Principal } from "../../auth/principal.ts";
import type { ReservationRelease } from "../../contracts/reservations.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import { readHolder } from "./holder.ts";
import { removeEnded } from "./live-reservations.ts";
import { notifyOfForce } from "./notify-holders.ts";
import { readNames } from "./read-names.ts";
import type { StoredReservation } from "./reservations.ts";
import { toConflicts } from "./reservation-views.ts";

export function release(
  stores: Stores,
  caller: Principal,
  { names, as, force = false }: ReservationRelease,
  now: number,
): Outcome<string[]> {
  const holder = readHolder(stores, caller, as, now);
  if (!holder.ok) return holder;
  if (force && caller.role !== "owner")
    return refuse(
      "wrong_role",
      "only owners can release reservations of others",
      "Ask the holder, or an owner of the household.",
    );
  const live = removeEnded(stores, now);
  const isOwn = ({ credential, member }: StoredReservation) =>
    credential === holder.value.credential && (as === undefined || member === holder.value.member);
  if (names === undefined)
    return force
      ? refuse("missing_field", "names: missing", "Name what you want to release by force.", {
          path: "names",
        })
      : ok(remove(stores, live.filter(isOwn)));

  const given = readNames(names);
  if (!given.ok) return given;
  const named = live.filter(({ normalized }) => given.value.has(normalized));
  const own = named.filter(isOwn);
  const foreign = named.filter((one) => !isOwn(one));
  if (force) {
    for (const one of foreign) recordForce(stores, caller, one, now);
    notifyOfForce(stores, foreign, caller.actor, now);
    return ok(remove(stores, named));
  }
  const blocked = foreign.filter(
    ({ normalized }) => !own.some((one) => one.normalized === normalized),
  );
  return blocked.length > 0 ? refuseNotHolder(stores, blocked) : ok(remove(stores, own));
}

function remove({ reservations }: Stores, ended: readonly StoredReservation[]): string[] {
  for (const { n } of ended) reservations.remove(n);
  return [...new Set(ended.map(({ name }) => name))];
}

function recordForce(
  { audit }: Stores,
  caller: Principal,
  { name, actor, mode, member }: StoredReservation,
  now: number,
): void {
  audit.append(
    {
      action: "reservation_released",
      source: toAuditSource(caller),
      target: name,
      detail: { held_by: actor, mode, ...(member === null ? {} : { as: member }) },
    },
    now,
  );
}

const refuseNotHolder = (stores: Stores, blocked: readonly StoredReservation[]) =>
  refuse(
    "not_holder",
    "names: reserved by somebody else",
    "Ask the holder to release it, or an owner, who can force it.",
    { path: "names", reservations: toConflicts(stores, blocked) },
  );
