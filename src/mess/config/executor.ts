/** Reads and writes one executor of a `config` block. */
import * as z from "zod";
import { readSpan, readWindow } from "../routing/availability.ts";
import { readDuration, writeDuration } from "../durations.ts";
import { type Outcome, refuse } from "../errors.ts";
import { PRIORITIES } from "../envelope.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { boundedTextSchema, getLengthHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import { ok } from "../result.ts";
import type { Executor } from "../routing/routing.ts";
import { capabilitiesSchema } from "../wire/schema.ts";
import { findDeepestIssue } from "../wire/body-errors.ts";
import { isZone } from "../times.ts";

const KIND_BY_WORD: Readonly<Record<string, Executor["kind"]>> = {
  person: "person",
  human: "person",
  machine: "machine",
  robot: "machine",
  device: "machine",
  service: "machine",
};

const nameSchema = boundedTextSchema(LIMITS.nameChars).trim().min(1);

const executorSchema = z.looseObject({
  name: nameSchema.optional(),
  kind: boundedTextSchema(LIMITS.wordChars)
    .refine((kind) => Object.hasOwn(KIND_BY_WORD, kind), "expected person or machine")
    .transform((kind) => KIND_BY_WORD[kind]!)
    .optional(),
  capabilities: capabilitiesSchema.optional(),
  access: z.union([z.array(nameSchema), nameSchema.transform((one) => [one])]).optional(),
  availability: z.enum(["always", "schedule", "on_demand"]).optional(),
  schedule: boundedTextSchema(LIMITS.cronChars)
    .refine(
      (text) => readWindow(text) !== undefined,
      'expected a cron expression such as "0 8-22 * * *"',
    )
    .optional(),
  hours: boundedTextSchema(LIMITS.hoursChars)
    .refine((text) => readWindow(text) !== undefined, 'expected hours such as "08:00-22:00"')
    .optional(),
  time_zone: boundedTextSchema(LIMITS.timeZoneChars)
    .refine(isZone, "expected a time zone such as Europe/Rome")
    .optional(),
  lease: boundedTextSchema(LIMITS.durationChars)
    .refine((text) => (readDuration(text) ?? 0) > 0, "expected a duration such as 2h")
    .transform((text) => readDuration(text)!)
    .optional(),
  capacity: z.number().int().min(1).max(1_000).optional(),
  min_priority: z.enum(PRIORITIES).optional(),
  quiet_hours: boundedTextSchema(LIMITS.hoursChars)
    .refine((text) => readSpan(text) !== undefined, 'expected hours such as "22:00-07:00"')
    .optional(),
  notify: z.json().optional(),
});

/** The fields that the exchange knows; others are kept. */
export const EXECUTOR_FIELDS: readonly string[] = Object.keys(executorSchema.shape);

/** Executors without a stated kind are machines if they are contacted by webhook or MCP. */
function getKind(notify: unknown): Executor["kind"] {
  const channels: readonly unknown[] = Array.isArray(notify) ? notify : [notify];
  return channels.some(
    (one) => isMap(one) && (Object.hasOwn(one, "webhook") || Object.hasOwn(one, "mcp")),
  )
    ? "machine"
    : "person";
}

/** Reads the executor's map `value`, ignoring an `id` in it. Errors name the field below `path`. */
export function readExecutor(id: string, value: Json, path: string): Outcome<Executor> {
  const read = executorSchema.safeParse(value);
  if (!read.success) {
    const issue = findDeepestIssue(read.error.issues[0]!);
    const at = [path, ...issue.path.map(String)].join(".");
    const hint = "Write {name, kind, capabilities, access, availability, schedule, notify}.";
    return refuse("bad_field", `${at}: ${issue.message}`, getLengthHint(issue) ?? hint, {
      path: at,
    });
  }
  const { kind, hours, schedule, capabilities: claimed, notify, ...otherFields } = read.data;
  const { name, access, availability, time_zone, lease, ...limits } = otherFields;
  const { capacity, min_priority, quiet_hours, id: _id, remove: _remove, ...extra } = limits;
  const window = schedule ?? hours;
  if (availability === "schedule" && window === undefined) {
    const at = `${path}.schedule`;
    const hint = 'Write a cron expression such as "0 8-22 * * *", or hours: "08:00-22:00".';
    return refuse("missing_field", `${at}: missing`, hint, { path: at });
  }
  const given = {
    name,
    access,
    availability,
    schedule: window,
    time_zone,
    lease,
    capacity,
    min_priority,
    quiet_hours,
    notify,
  };
  return ok({
    id,
    kind: kind ?? getKind(notify),
    capabilities: claimed ?? [],
    ...Object.fromEntries(Object.entries(given).filter(([, field]) => field !== undefined)),
    ...(Object.keys(extra).length > 0 ? { extra: extra as JsonMap } : {}),
  });
}

/** Writes the map that `readExecutor` reads back into the same executor. */
export function writeExecutor(executor: Executor): JsonMap {
  const { id: _id, extra, lease, ...known } = executor;
  return {
    ...(known as unknown as JsonMap),
    ...(lease === undefined ? {} : { lease: writeDuration(lease) }),
    ...extra,
  };
}
