/** A schedule: a recurring request, its validation, and the message of one firing. */
import { defined } from "../../mess/defined.ts";
import * as z from "zod";
import type { Role } from "../../auth/principal.ts";
import { checkActorId } from "../../mess/actors.ts";
import { listFileTokens, extractInlineData } from "../../mess/wire/content/content.ts";
import { readDuration } from "../../mess/durations.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { boundedTextSchema, getLengthHint } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { isId } from "../../mess/names.ts";
import { readRequest } from "../../mess/wire/read-request.ts";
import { fail, ok } from "../../mess/result.ts";
import type { Message, Request } from "../../mess/wire/schema.ts";
import { isZone, readTime } from "../../mess/times.ts";
import { getNextFiring, readCron } from "./cron.ts";

export interface Schedule {
  id: string;
  /** The requestor of the threads that it creates. */
  by: string;
  /** Role of the credential that wrote the request, which may be below the requestor's. Absent in older schedules. */
  role?: Role;
  cron: string;
  /** Absent for the household's time zone. */
  time_zone?: string;
  request: Request;
  /** Members that are offered the thread first, in turn, one per firing. */
  rotation?: string[];
  /** Skips a firing while the thread of the previous firing is open. */
  skip_if_open: boolean;
  /** ISO 8601; there are no firings after this instant. */
  until?: string;
  paused: boolean;
}

/** The fields of a written schedule, without its id and its requestor. */
export const scheduleFields = {
  cron: boundedTextSchema(LIMITS.cronChars).min(1),
  time_zone: boundedTextSchema(LIMITS.timeZoneChars).optional(),
  request: z.json(),
  rotation: z.array(boundedTextSchema(LIMITS.actorIdChars)).min(1).max(64).optional(),
  skip_if_open: z.boolean().optional(),
  until: boundedTextSchema(LIMITS.timeChars).optional(),
  paused: z.boolean().optional(),
};

const scheduleSchema = z.strictObject(scheduleFields);

const refuseField = (
  path: string,
  message: string,
  hint: string,
): { ok: false; error: MessError } => refuse("bad_field", `${path}: ${message}`, hint, { path });

/**
 * Validates the fields of a schedule; a field with the value null is ignored.
 * @param zone the household's time zone
 * @param path of the fields, for refusals; empty if they are a whole body
 */
export function readSchedule(
  { id, by, role }: Pick<Schedule, "id" | "by" | "role">,
  raw: Json,
  zone: string,
  path = "",
): Outcome<Schedule> {
  const joinPath = (field: string) => [path, field].filter((part) => part !== "").join(".");
  if (!isId(id) || id.length > 64)
    return refuseField(joinPath("id"), "not an id", "Use up to 64 letters, digits, dots, dashes.");
  if (!isMap(raw))
    return refuseField(path || "schedule", "must be a map", "Write {cron, request}.");
  const fields = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
  const read = scheduleSchema.safeParse(fields);
  if (!read.success) {
    const [issue] = read.error.issues;
    const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    const field = joinPath(
      [...(issue?.path ?? []), ...unknown].map(String).join(".").slice(0, 128),
    );
    return refuseField(
      field,
      issue?.message.slice(0, 200) ?? "not valid",
      getLengthHint(issue) ??
        "Write {cron, time_zone, request, rotation, skip_if_open, until, paused}.",
    );
  }
  const { cron, time_zone, rotation, until, skip_if_open = true, paused = false } = read.data;
  if (!readCron(cron))
    return refuseField(
      joinPath("cron"),
      "not a cron expression that ever fires",
      'Write five fields, minute first, such as "0 18 * * mon,thu", or @daily.',
    );
  if (time_zone !== undefined && !isZone(time_zone))
    return refuseField(
      joinPath("time_zone"),
      "unknown time zone",
      "Use an IANA name such as Europe/Rome.",
    );
  if (until !== undefined && readTime(until, time_zone ?? zone) === undefined)
    return refuseField(
      joinPath("until"),
      "not a time",
      "Write ISO 8601, such as 2031-06-01T12:00:00+02:00.",
    );
  for (const [index, member] of (rotation ?? []).entries()) {
    const named = checkActorId(member, joinPath(`rotation[${index}]`));
    if (!named.ok) return named;
  }
  const request = readRequest(read.data.request, joinPath("request").split("."));
  if (!request.ok) return request;
  const error = checkTemplate(request.value, joinPath("request"));
  if (error) return fail(error);
  return ok({
    id,
    by,
    cron: cron.trim(),
    ...defined({ role, time_zone }),
    request: request.value,
    ...defined({ rotation }),
    skip_if_open,
    ...defined({ until }),
    paused,
  });
}

/** Refuses values that are valid in a single request, but not in a recurring one. */
function checkTemplate(request: Request, path: string): MessError | undefined {
  const { timing } = request.constraints ?? {};
  const expires = timing?.expires;
  const fixed =
    request.needed_by !== undefined
      ? "needed_by"
      : timing?.not_before !== undefined
        ? "constraints.timing.not_before"
        : expires !== undefined && readDuration(expires) === undefined
          ? "constraints.timing.expires"
          : undefined;
  if (fixed !== undefined)
    return refuseField(
      `${path}.${fixed}`,
      "a fixed time cannot apply to every firing",
      "Write a duration that begins with each firing: constraints: {timing: {expires: 4h}}.",
    ).error;
  const message: Message = { blocks: [{ type: "request", body: request }] };
  const hasFiles =
    extractInlineData(message, () => "").inline.length > 0 || listFileTokens(message).length > 0;
  return hasFiles
    ? refuseField(
        `${path}.context`,
        "a recurring request cannot contain files",
        "Reference the file by its address instead.",
      ).error
    : undefined;
}

/** The fields in the form that `readSchedule` parses back to the same schedule. */
export function writeSchedule({ id: _id, by: _by, role: _role, ...fields }: Schedule): JsonMap {
  const { skip_if_open, paused, ...written } = fields;
  return {
    ...(written as unknown as JsonMap),
    ...(skip_if_open ? {} : { skip_if_open }),
    ...(paused ? { paused } : {}),
  };
}

/** The next firing after the instant, in milliseconds since 1970; undefined if there is none. */
export function getNextRun(schedule: Schedule, zone: string, after: number): number | undefined {
  if (schedule.paused) return undefined;
  const scheduleZone = schedule.time_zone ?? zone;
  const next = getNextFiring(schedule.cron, scheduleZone, after);
  const last =
    schedule.until === undefined ? Infinity : (readTime(schedule.until, scheduleZone) ?? 0);
  return next !== undefined && next <= last ? next : undefined;
}

/** The message of one firing. A request without an id gets the schedule's id. */
export const buildFiringMessage = ({ id, request }: Schedule): Message => ({
  blocks: [{ type: "request", body: { ...request, id: request.id ?? id } }],
});
