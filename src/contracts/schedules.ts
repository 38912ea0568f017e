/** How the household's object answers about recurring requests. Types only. */
import type { Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";

export type ScheduleOwner = Pick<Principal, "actor" | "role">;

/** A schedule as it is shown; times are ISO 8601 on the household's clock. */
export interface ScheduleInfo {
  id: string;
  /** The member in whose name it asks. */
  by: string;
  cron: string;
  time_zone?: string;
  request: Json;
  rotation?: string[];
  skip_if_open: boolean;
  until?: string;
  paused: boolean;
  /** The last firing: for which instant, the thread that it made, and whose turn it was. */
  last?: { at: string; ref: string; member?: string };
  /** When it fires next; absent when it does not. */
  next?: string;
}

/** Agents keep their own schedules, owners all; to others one does not exist. */
export interface SchedulesRpc {
  /** Makes a schedule in the keeper's name. The same again is not made twice. */
  addSchedule(
    owner: ScheduleOwner,
    id: string,
    fields: JsonMap,
  ): Promise<Outcome<{ schedule: ScheduleInfo; fresh: boolean }>>;
  /** Those that the keeper may change, by id. */
  listSchedules(owner: ScheduleOwner): Promise<Outcome<ScheduleInfo[]>>;
  findSchedule(owner: ScheduleOwner, id: string): Promise<Outcome<ScheduleInfo>>;
  /** Replaces the fields that are given; null takes one out. */
  changeSchedule(owner: ScheduleOwner, id: string, fields: JsonMap): Promise<Outcome<ScheduleInfo>>;
  removeSchedule(owner: ScheduleOwner, id: string): Promise<Outcome<true>>;
}
