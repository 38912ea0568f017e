/** The part of the household's object for schedules, and for threads that the exchange creates automatically. */
import type { Outcome } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { Effect } from "../../mess/thread/effects.ts";
import { ContactsObject } from "../contacts/contacts-object.ts";
import { enqueueEffect, planEffect } from "../threads/suggestion-jobs.ts";
import * as keeping from "./manage-schedules.ts";
import type { ScheduleOwner, ScheduleInfo, SchedulesRpc } from "../../contracts/schedules.ts";
import type { Stores } from "../stores.ts";

export class SchedulesObject extends ContactsObject implements SchedulesRpc {
  async addSchedule(
    owner: ScheduleOwner,
    id: string,
    fields: JsonMap,
  ): ReturnType<SchedulesRpc["addSchedule"]> {
    return await this.#transactAndSetAlarm((stores, now) =>
      keeping.addSchedule(stores, owner, id, fields, now),
    );
  }

  async listSchedules(owner: ScheduleOwner): Promise<Outcome<ScheduleInfo[]>> {
    return this.context.transact((stores) => ok(keeping.listSchedules(stores, owner)));
  }

  async findSchedule(owner: ScheduleOwner, id: string): Promise<Outcome<ScheduleInfo>> {
    return this.context.transact((stores) => keeping.findSchedule(stores, owner, id));
  }

  async changeSchedule(
    owner: ScheduleOwner,
    id: string,
    fields: JsonMap,
  ): Promise<Outcome<ScheduleInfo>> {
    return await this.#transactAndSetAlarm((stores, now) =>
      keeping.changeSchedule(stores, owner, id, fields, now),
    );
  }

  async removeSchedule(owner: ScheduleOwner, id: string): Promise<Outcome<true>> {
    return this.context.transact((stores) => keeping.removeSchedule(stores, owner, id));
  }

  async enqueueEffect(ref: string, effect: Effect): Promise<void> {
    const stores = this.context.openStores();
    if (!stores) return;
    const plan = await planEffect(this.env, stores, ref, effect);
    await this.#transactAndSetAlarm((_stores, now) => {
      enqueueEffect(stores, ref, plan, now);
      return ok(true as const);
    });
  }

  async #transactAndSetAlarm<T>(
    work: (stores: Stores, now: number) => Outcome<T>,
  ): Promise<Outcome<T>> {
    const outcome = this.context.transact(work);
    if (outcome.ok) await this.context.setAlarm();
    return outcome;
  }
}
