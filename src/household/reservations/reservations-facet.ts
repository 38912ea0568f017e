/** Advisory leases on names: files, globs, devices, rooms. */
import type { Principal } from "../../auth/principal.ts";
import type {
  NewReservation,
  ReservationRelease,
  ReservationsRpc,
  ReservationView,
} from "../../contracts/reservations.ts";
import type { Outcome } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import type { HouseholdContext } from "../household-context.ts";
import { GROUP_JOB_KINDS } from "../memberships/group-jobs.ts";
import type { Stores } from "../stores.ts";
import { readHolder } from "./holder.ts";
import { listLive } from "./live-reservations.ts";
import { release } from "./release.ts";
import { toView } from "./reservation-views.ts";
import { reserve } from "./reserve.ts";

export class ReservationsFacet implements ReservationsRpc {
  readonly #context: HouseholdContext;

  constructor(context: HouseholdContext) {
    this.#context = context;
  }

  async reserve(caller: Principal, input: NewReservation): Promise<Outcome<ReservationView[]>> {
    const reserved = await this.#change((stores, now) => reserve(stores, caller, input, now));
    if (!reserved.ok) return reserved;
    return "conflict" in reserved.value
      ? fail(reserved.value.conflict)
      : ok(reserved.value.granted);
  }

  async release(caller: Principal, input: ReservationRelease): Promise<Outcome<string[]>> {
    return await this.#change((stores, now) => release(stores, caller, input, now));
  }

  async list(caller: Principal): Promise<Outcome<ReservationView[]>> {
    return this.#context.transact((stores, now) => {
      const holder = readHolder(stores, caller, undefined, now);
      if (!holder.ok) return holder;
      return ok(listLive(stores, now).map((one) => toView(stores, one, holder.value.credential)));
    });
  }

  /** A transaction that may post to groups. */
  async #change<T>(work: (stores: Stores, now: number) => Outcome<T>): Promise<Outcome<T>> {
    const outcome = this.#context.transact(work);
    if (outcome.ok) await this.#context.runJobsNow(...GROUP_JOB_KINDS);
    return outcome;
  }
}
