/** Creates, lists and changes schedules. Each function runs in one transaction. */
import { getLesserRole } from "../../auth/roles.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { toCanonicalJson, isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { fail, ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import { getNextRun, readSchedule, type Schedule, writeSchedule } from "./schedule.ts";
import { checkActorId } from "../../mess/actors.ts";
import type { StoredSchedule } from "./schedules.ts";
import type { ScheduleOwner, ScheduleInfo } from "../../contracts/schedules.ts";
import { canMakeRequests } from "../identity/effective-role.ts";
import { checkNewSchedule } from "../quotas/quotas.ts";
import type { Stores } from "../stores.ts";

const refuseScheduleNotFound = () =>
  refuse("not_found", "schedule not found", "List the schedules to see the valid ids.");

const refuseField = (path: string, message: string, hint: string) =>
  refuse("bad_field", `${path}: ${message}`, hint, { path });

function toScheduleInfo({ schedule, next, last }: StoredSchedule, zone: string): ScheduleInfo {
  const own = schedule.time_zone ?? zone;
  const { request, role: _role, ...fields } = schedule;
  return {
    ...fields,
    request: request as Json,
    ...(last === undefined ? {} : { last: { ...last, at: writeTime(last.at, own) } }),
    ...(next === null ? {} : { next: writeTime(next, own) }),
  };
}

/** A repeated call changes nothing, also with another role. */
const serializeFields = ({ role: _role, ...fields }: Schedule): string => toCanonicalJson(fields);

function findOwnSchedule({ schedules }: Stores, { actor, role }: ScheduleOwner, id: string) {
  const found = schedules.get(id);
  return found && (role === "owner" || found.schedule.by === actor) ? found : undefined;
}

export function addSchedule(
  stores: Stores,
  owner: ScheduleOwner,
  id: string,
  fields: JsonMap,
  now: number,
): Outcome<{ schedule: ScheduleInfo; fresh: boolean }> {
  const zone = stores.settings.getZone();
  const read = readSchedule({ id, by: owner.actor, role: owner.role }, fields, zone);
  if (!read.ok) return read;
  const known = stores.schedules.get(id);
  if (known) {
    if (serializeFields(known.schedule) === serializeFields(read.value))
      return ok({ schedule: toScheduleInfo(known, zone), fresh: false });
    return refuse("already_exists", "a schedule with this id already exists", "Choose another id.");
  }
  const full = checkNewSchedule(stores, owner.actor);
  if (full) return fail(full);
  putSchedule(stores, read.value, now);
  return ok({ schedule: toScheduleInfo(stores.schedules.get(id)!, zone), fresh: true });
}

export const listSchedules = (
  { schedules, settings }: Stores,
  { actor, role }: ScheduleOwner,
): ScheduleInfo[] =>
  schedules
    .list()
    .filter(({ schedule }) => role === "owner" || schedule.by === actor)
    .map((one) => toScheduleInfo(one, settings.getZone()));

export function findSchedule(
  stores: Stores,
  owner: ScheduleOwner,
  id: string,
): Outcome<ScheduleInfo> {
  const found = findOwnSchedule(stores, owner, id);
  return found ? ok(toScheduleInfo(found, stores.settings.getZone())) : refuseScheduleNotFound();
}

export function changeSchedule(
  stores: Stores,
  owner: ScheduleOwner,
  id: string,
  fields: JsonMap,
  now: number,
): Outcome<ScheduleInfo> {
  const found = findOwnSchedule(stores, owner, id);
  if (!found) return refuseScheduleNotFound();
  const { by, role: before = "agent" } = found.schedule;
  // Whoever changes the times only does not vouch for a request that another credential wrote.
  const role = "request" in fields ? owner.role : getLesserRole(before, owner.role);
  const changed = { ...writeSchedule(found.schedule), ...fields };
  const next = readSchedule({ id, by, role }, changed, stores.settings.getZone());
  if (!next.ok) return next;
  putSchedule(stores, next.value, now, found);
  return findSchedule(stores, owner, id);
}

export function removeSchedule(stores: Stores, owner: ScheduleOwner, id: string): Outcome<true> {
  if (!findOwnSchedule(stores, owner, id)) return refuseScheduleNotFound();
  stores.schedules.remove(id);
  return ok(true);
}

const serializeTimes = ({ cron, time_zone, until, paused }: Schedule): string =>
  toCanonicalJson({ cron, time_zone, until, paused });

/** Stores the schedule. A firing that is already due stays due, unless the times were changed. */
function putSchedule(
  stores: Stores,
  schedule: Schedule,
  now: number,
  before?: StoredSchedule,
): void {
  const same = before && serializeTimes(before.schedule) === serializeTimes(schedule);
  const next = same
    ? (before.next ?? undefined)
    : getNextRun(schedule, stores.settings.getZone(), now);
  stores.schedules.put(schedule, next, now);
}

/**
 * Applies `schedules` of a `config` block, a map by id: each schedule is created or replaced, and null deletes it.
 * @param owner who configures; the requestor of schedules without `by`
 * @returns warnings
 */
export function configureSchedules(
  stores: Stores,
  block: Json | undefined,
  owner: string,
  now: number,
): Outcome<string[]> {
  const warnings: string[] = [];
  if (block === undefined || block === null) return ok(warnings);
  const path = "config.schedules";
  if (!isMap(block))
    return refuseField(path, "must be a map", "Write schedules: {id: {cron, request}}.");
  for (const [id, value] of Object.entries(block)) {
    if (value === null) {
      stores.schedules.remove(id);
      continue;
    }
    const at = `${path}.${id.slice(0, 64)}`;
    const { by, ...fields } = isMap(value) ? value : {};
    if (by !== undefined && typeof by !== "string")
      return refuseField(`${at}.by`, "not a member id", "Name the member that is the requestor.");
    const known = stores.schedules.get(id);
    const maker = checkActorId(by ?? known?.schedule.by ?? owner, `${at}.by`);
    if (!maker.ok) return maker;
    const read = readSchedule(
      { id, by: maker.value, role: "owner" },
      isMap(value) ? fields : value,
      stores.settings.getZone(),
      at,
    );
    if (!read.ok) return read;
    const full = known ? undefined : checkNewSchedule(stores, maker.value);
    if (full) return fail(full);
    putSchedule(stores, read.value, now, known);
    if (!canMakeRequests(stores, maker.value))
      warnings.push(`schedule ${id} has the requestor ${maker.value}, who may not create requests`);
  }
  return ok(warnings);
}

/** The schedules as a `config` block that restores them. */
export function exportSchedules({ schedules }: Stores): JsonMap {
  const all = schedules.list();
  if (all.length === 0) return {};
  return {
    schedules: Object.fromEntries(
      all.map(({ schedule }) => [schedule.id, { by: schedule.by, ...writeSchedule(schedule) }]),
    ),
  };
}
