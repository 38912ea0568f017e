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
    const reserved = this.#context.transact((stores, now) => reserve(stores, caller, input, now));
    if (!reserved.ok) return reserved;
    return "conflict" in reserved.value
      ? fail(reserved.value.conflict)
      : ok(reserved.value.granted);
  }

  async release(caller: Principal, input: ReservationRelease): Promise<Outcome<string[]>> {
    return this.#context.transact((stores, now) => release(stores, caller, input, now));
  }

  async list(caller: Principal): Promise<Outcome<ReservationView[]>> {
    return this.#context.transact((stores, now) => {
      const holder = readHolder(stores, caller, undefined, now);
      if (!holder.ok) return holder;
      const zone = stores.settings.getZone();
      return ok(listLive(stores, now).map((one) => toView(one, holder.value.credential, zone)));
    });
  }
}
