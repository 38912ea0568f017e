/** Recurring requests, which members manage. The alarm fires them. */
import type { Outcome } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { HouseholdContext } from "../household-context.ts";
import * as schedules from "./manage-schedules.ts";
import type { ScheduleOwner, ScheduleInfo, SchedulesRpc } from "../../contracts/schedules.ts";

export class SchedulesFacet implements SchedulesRpc {
  readonly #context: HouseholdContext;

  constructor(context: HouseholdContext) {
    this.#context = context;
  }

  async addSchedule(
    owner: ScheduleOwner,
    id: string,
    fields: JsonMap,
  ): ReturnType<SchedulesRpc["addSchedule"]> {
    return await this.#context.transactAndSetAlarm((stores, now) =>
      schedules.addSchedule(stores, owner, id, fields, now),
    );
  }

  async listSchedules(owner: ScheduleOwner): Promise<Outcome<ScheduleInfo[]>> {
    return this.#context.transact((stores) => ok(schedules.listSchedules(stores, owner)));
  }

  async findSchedule(owner: ScheduleOwner, id: string): Promise<Outcome<ScheduleInfo>> {
    return this.#context.transact((stores) => schedules.findSchedule(stores, owner, id));
  }

  async changeSchedule(
    owner: ScheduleOwner,
    id: string,
    fields: JsonMap,
  ): Promise<Outcome<ScheduleInfo>> {
    return await this.#context.transactAndSetAlarm((stores, now) =>
      schedules.changeSchedule(stores, owner, id, fields, now),
    );
  }

  async removeSchedule(owner: ScheduleOwner, id: string): Promise<Outcome<true>> {
    return this.#context.transact((stores) => schedules.removeSchedule(stores, owner, id));
  }
}
