/** RPC surface of the household for reservations: advisory leases on names. Types only. */
import type { Principal } from "../auth/principal.ts";
import type { ConflictingReservation, Outcome } from "../mess/errors.ts";
import type { ReservationMode } from "../mess/reservations/limits.ts";

export interface NewReservation {
  /** Files, globs, devices, rooms. */
  names: string[];
  /** Default: exclusive. */
  mode?: ReservationMode;
  /** Default: 30 minutes. */
  seconds?: number;
  /** In place of `seconds`: `15:00` on the household's clock, a duration such as `45m`, or ISO 8601. */
  until?: string;
  reason?: string;
  /** The caller's id in an AI group: others see it, and are told apart by it if they share the caller's key. */
  as?: string;
}

/** Somebody who was refused because of a reservation. */
export interface ReservationWanter {
  actor: string;
  as?: string;
  /** ISO 8601 in the household's zone. */
  at: string;
  reason?: string;
}

/** A reservation as every member of the household sees it; times are ISO 8601 in the household's zone. */
export interface ReservationView extends ConflictingReservation {
  since: string;
  /** The caller holds it. */
  mine?: true;
  wanted_by?: ReservationWanter[];
}

export interface ReservationRelease {
  /** Default: all that the caller holds. */
  names?: string[];
  /** Releases only what was reserved under this id. */
  as?: string;
  /** Ends the reservations of others with exactly these names. Owners only; recorded in the audit trail. */
  force?: boolean;
}

/** Callers are members of the household with a credential; bearers of links are refused. */
export interface ReservationsRpc {
  /** Reserves all names or none. A name that the caller holds is extended. */
  reserve(caller: Principal, input: NewReservation): Promise<Outcome<ReservationView[]>>;
  /** @returns the names that were released; names that nobody holds are not among them */
  release(caller: Principal, input: ReservationRelease): Promise<Outcome<string[]>>;
  /** All reservations of the household, by name. */
  list(caller: Principal): Promise<Outcome<ReservationView[]>>;
}
