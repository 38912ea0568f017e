/** Making, showing and changing recurring requests. Each is run in one transaction. */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { canonicalJson, isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import { nextOf, readSchedule, type Schedule, writeSchedule } from "./schedule.ts";
import { checkActorId } from "../../mess/actors.ts";
import type { KeptSchedule } from "./schedules.ts";
import type { Keeper, ScheduleInfo } from "../../contracts/schedules.ts";
import { mayAsk } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";

/** Schedules of one household. */
const MOST = 200;

const noSuchSchedule = () =>
  refuse("not_found", "no such schedule", "List the schedules to see their ids.");

const wrong = (path: string, message: string, hint: string) =>
  refuse("bad_field", `${path}: ${message}`, hint, { path });

function shown({ schedule, next, last }: KeptSchedule, zone: string): ScheduleInfo {
  const own = schedule.time_zone ?? zone;
  const { request, ...fields } = schedule;
  return {
    ...fields,
    request: request as Json,
    ...(last === undefined ? {} : { last: { ...last, at: writeTime(last.at, own) } }),
    ...(next === null ? {} : { next: writeTime(next, own) }),
  };
}

function kept({ schedules }: Stores, { actor, role }: Keeper, id: string) {
  const found = schedules.get(id);
  return found && (role === "owner" || found.schedule.by === actor) ? found : undefined;
}

export function add(
  stores: Stores,
  keeper: Keeper,
  id: string,
  fields: JsonMap,
  now: number,
): Outcome<{ schedule: ScheduleInfo; fresh: boolean }> {
  const zone = stores.settings.zone();
  const read = readSchedule({ id, by: keeper.actor }, fields, zone);
  if (!read.ok) return read;
  const known = stores.schedules.get(id);
  if (known) {
    if (canonicalJson(known.schedule) === canonicalJson(read.value))
      return ok({ schedule: shown(known, zone), fresh: false });
    return refuse("already_exists", "a schedule of this id exists", "Choose another id.");
  }
  const full = fullFault(stores);
  if (full) return full;
  put(stores, read.value, now);
  return ok({ schedule: shown(stores.schedules.get(id)!, zone), fresh: true });
}

const fullFault = ({ schedules }: Stores) =>
  schedules.list().length < MOST
    ? undefined
    : refuse("too_many", `the household has ${MOST} schedules`, "Delete one that is over.");

export const list = ({ schedules, settings }: Stores, { actor, role }: Keeper): ScheduleInfo[] =>
  schedules
    .list()
    .filter(({ schedule }) => role === "owner" || schedule.by === actor)
    .map((one) => shown(one, settings.zone()));

export function read(stores: Stores, keeper: Keeper, id: string): Outcome<ScheduleInfo> {
  const found = kept(stores, keeper, id);
  return found ? ok(shown(found, stores.settings.zone())) : noSuchSchedule();
}

export function change(
  stores: Stores,
  keeper: Keeper,
  id: string,
  fields: JsonMap,
  now: number,
): Outcome<ScheduleInfo> {
  const found = kept(stores, keeper, id);
  if (!found) return noSuchSchedule();
  const { by } = found.schedule;
  const changed = { ...writeSchedule(found.schedule), ...fields };
  const next = readSchedule({ id, by }, changed, stores.settings.zone());
  if (!next.ok) return next;
  put(stores, next.value, now, found);
  return read(stores, keeper, id);
}

export function remove(stores: Stores, keeper: Keeper, id: string): Outcome<true> {
  if (!kept(stores, keeper, id)) return noSuchSchedule();
  stores.schedules.remove(id);
  return ok(true);
}

const timesOf = ({ cron, time_zone, until, paused }: Schedule): string =>
  canonicalJson({ cron, time_zone, until, paused });

/** A firing that is due already stays due, unless the times were changed. */
function put(stores: Stores, schedule: Schedule, now: number, before?: KeptSchedule): void {
  const same = before && timesOf(before.schedule) === timesOf(schedule);
  const next = same ? (before.next ?? undefined) : nextOf(schedule, stores.settings.zone(), now);
  stores.schedules.put(schedule, next, now);
}

/**
 * `schedules` of a `config` block, as a map by id: each is made or replaced, null takes one out.
 * @param owner who configures: schedules that name nobody in `by` ask in this name
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
  if (!isMap(block)) return wrong(path, "not a map", "Write schedules: {id: {cron, request}}.");
  for (const [id, value] of Object.entries(block)) {
    if (value === null) {
      stores.schedules.remove(id);
      continue;
    }
    const at = `${path}.${id.slice(0, 64)}`;
    const { by, ...fields } = isMap(value) ? value : {};
    if (by !== undefined && typeof by !== "string")
      return wrong(`${at}.by`, "not a member id", "Name the member in whose name it asks.");
    const known = stores.schedules.get(id);
    const maker = checkActorId(by ?? known?.schedule.by ?? owner, `${at}.by`);
    if (!maker.ok) return maker;
    const read = readSchedule(
      { id, by: maker.value },
      isMap(value) ? fields : value,
      stores.settings.zone(),
      at,
    );
    if (!read.ok) return read;
    const full = known ? undefined : fullFault(stores);
    if (full) return full;
    put(stores, read.value, now, known);
    if (!mayAsk(stores, maker.value))
      warnings.push(`schedule ${id} asks in the name of ${maker.value}, who may not ask here`);
  }
  return ok(warnings);
}

/** The schedules as a `config` block has them, which makes the same ones again. */
export function configuredSchedules({ schedules }: Stores): JsonMap {
  const all = schedules.list();
  if (all.length === 0) return {};
  return {
    schedules: Object.fromEntries(
      all.map(({ schedule }) => [schedule.id, { by: schedule.by, ...writeSchedule(schedule) }]),
    ),
  };
}
