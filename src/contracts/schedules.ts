/** RPC surface of the household for recurring requests. Types only. */
import type { Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";

export type ScheduleOwner = Pick<Principal, "actor" | "role">;

/** A schedule as callers see it; times are ISO 8601 in the household's zone. */
export interface ScheduleInfo {
  id: string;
  /** The member in whose name requests are created. */
  by: string;
  cron: string;
  time_zone?: string;
  request: Json;
  rotation?: string[];
  skip_if_open: boolean;
  until?: string;
  paused: boolean;
  /** The last firing: its scheduled time, the created thread, and the member whose turn it was. */
  last?: { at: string; ref: string; member?: string };
  /** When it fires next; absent where it does not fire again. */
  next?: string;
}

/** Agents manage their own schedules, owners all; other callers get `not_found`. */
export interface SchedulesRpc {
  /** Creates a schedule in the caller's name. Idempotent for the same schedule. */
  addSchedule(
    owner: ScheduleOwner,
    id: string,
    fields: JsonMap,
  ): Promise<Outcome<{ schedule: ScheduleInfo; fresh: boolean }>>;
  /** Lists the schedules that the caller may change, by id. */
  listSchedules(owner: ScheduleOwner): Promise<Outcome<ScheduleInfo[]>>;
  findSchedule(owner: ScheduleOwner, id: string): Promise<Outcome<ScheduleInfo>>;
  /** Replaces the given fields; null removes a field. */
  changeSchedule(owner: ScheduleOwner, id: string, fields: JsonMap): Promise<Outcome<ScheduleInfo>>;
  removeSchedule(owner: ScheduleOwner, id: string): Promise<Outcome<true>>;
}
