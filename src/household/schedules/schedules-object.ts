/** The household's object as those meet it who keep recurring requests, and as it makes threads by itself. */
import type { Outcome } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { Effect } from "../../mess/thread/effects.ts";
import { ContactsObject } from "../contacts/contacts-object.ts";
import { carryOut, planEffect } from "../threads/suggestion-jobs.ts";
import * as keeping from "./manage-schedules.ts";
import type { Keeper, ScheduleInfo, SchedulesRpc } from "../../contracts/schedules.ts";
import type { Stores } from "../stores.ts";

export class SchedulesObject extends ContactsObject implements SchedulesRpc {
  async addSchedule(
    keeper: Keeper,
    id: string,
    fields: JsonMap,
  ): ReturnType<SchedulesRpc["addSchedule"]> {
    return await this.#keep((stores, now) => keeping.add(stores, keeper, id, fields, now));
  }

  async schedules(keeper: Keeper): Promise<Outcome<ScheduleInfo[]>> {
    return this.home.within((stores) => ok(keeping.list(stores, keeper)));
  }

  async schedule(keeper: Keeper, id: string): Promise<Outcome<ScheduleInfo>> {
    return this.home.within((stores) => keeping.read(stores, keeper, id));
  }

  async changeSchedule(
    keeper: Keeper,
    id: string,
    fields: JsonMap,
  ): Promise<Outcome<ScheduleInfo>> {
    return await this.#keep((stores, now) => keeping.change(stores, keeper, id, fields, now));
  }

  async removeSchedule(keeper: Keeper, id: string): Promise<Outcome<true>> {
    return this.home.within((stores) => keeping.remove(stores, keeper, id));
  }

  async carryOut(ref: string, effect: Effect): Promise<void> {
    const stores = this.home.open();
    if (!stores) return;
    const plan = await planEffect(this.env, stores, ref, effect);
    await this.#keep((_stores, now) => {
      carryOut(stores, ref, plan, now);
      return ok(true as const);
    });
  }

  async #keep<T>(work: (stores: Stores, now: number) => Outcome<T>): Promise<Outcome<T>> {
    const outcome = this.home.within(work);
    const stores = this.home.open();
    if (outcome.ok && stores) await this.home.arm(stores);
    return outcome;
  }
}
