/** `/api/v1/schedules`: recurring requests. */
import { getHouseholdStub } from "../../../../stubs.ts";
import * as z from "zod";
import { refuse } from "../../../../mess/errors.ts";
import type { JsonMap } from "../../../../mess/json.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const requestSchema = z
  .json()
  .describe(
    "In any form of a request block, with durations instead of fixed times, and without files.",
  );

/** The household validates the fields and reports errors with their path. */
const FIELD_SCHEMAS = {
  cron: boundedTextSchema(LIMITS.cronChars).describe(
    'Five fields, minute first, such as "0 18 * * mon,thu", or @daily.',
  ),
  time_zone: boundedTextSchema(LIMITS.timeZoneChars).describe(
    "Default: the household's time zone.",
  ),
  request: requestSchema,
  rotation: z
    .array(boundedTextSchema(LIMITS.actorIdChars))
    .describe("Members who take turns in getting the first offer."),
  skip_if_open: z
    .boolean()
    .describe("Skips a run while the thread of the previous run is open. Default: true."),
  until: boundedTextSchema(LIMITS.timeChars).describe(
    "An ISO 8601 time, after which there are no more runs.",
  ),
  paused: z.boolean(),
};

const newScheduleSchema = z.strictObject({
  id: boundedTextSchema(64).min(1),
  cron: FIELD_SCHEMAS.cron,
  request: requestSchema,
  time_zone: FIELD_SCHEMAS.time_zone.optional(),
  rotation: FIELD_SCHEMAS.rotation.optional(),
  skip_if_open: FIELD_SCHEMAS.skip_if_open.optional(),
  until: FIELD_SCHEMAS.until.optional(),
  paused: FIELD_SCHEMAS.paused.optional(),
});

const scheduleChangeSchema = z.strictObject({
  cron: FIELD_SCHEMAS.cron.optional(),
  request: requestSchema.optional(),
  time_zone: FIELD_SCHEMAS.time_zone.nullish(),
  rotation: FIELD_SCHEMAS.rotation.nullish(),
  skip_if_open: FIELD_SCHEMAS.skip_if_open.nullish(),
  until: FIELD_SCHEMAS.until.nullish(),
  paused: FIELD_SCHEMAS.paused.nullish(),
});

/** Only requestors can use schedules; another member's schedule is reported as not found. */
const readOwner = ({ principal }: HttpCall) =>
  principal.role === "executor"
    ? refuse("wrong_role", "executors cannot make requests", "Use the key of an agent or an owner.")
    : ok({
        owner: { actor: principal.actor, role: principal.role },
        household: principal.household,
      });

async function addSchedule(call: HttpCall): HandlerPromise {
  const allowed = readOwner(call);
  if (!allowed.ok) return allowed;
  const body = await readObject(call.request, newScheduleSchema);
  if (!body.ok) return body;
  const { id, ...given } = body.value;
  const { owner, household } = allowed.value;
  const added = await getHouseholdStub(call.env, household).schedules.addSchedule(
    owner,
    id,
    given as JsonMap,
  );
  if (!added.ok) return added;
  const { schedule, fresh } = added.value;
  return ok({ status: fresh ? 201 : 200, body: { schedule } });
}

async function listSchedules(call: HttpCall): HandlerPromise {
  const allowed = readOwner(call);
  if (!allowed.ok) return allowed;
  const { owner, household } = allowed.value;
  const schedules = await getHouseholdStub(call.env, household).schedules.listSchedules(owner);
  return schedules.ok ? ok({ body: { schedules: schedules.value } }) : schedules;
}

async function readSchedule(call: HttpCall): HandlerPromise {
  const allowed = readOwner(call);
  if (!allowed.ok) return allowed;
  const { owner, household } = allowed.value;
  const found = await getHouseholdStub(call.env, household).schedules.findSchedule(
    owner,
    call.param("id"),
  );
  return found.ok ? ok({ body: { schedule: found.value } }) : found;
}

async function changeSchedule(call: HttpCall): HandlerPromise {
  const allowed = readOwner(call);
  if (!allowed.ok) return allowed;
  const body = await readObject(call.request, scheduleChangeSchema);
  if (!body.ok) return body;
  const { owner, household } = allowed.value;
  const changed = await getHouseholdStub(call.env, household).schedules.changeSchedule(
    owner,
    call.param("id"),
    body.value as JsonMap,
  );
  return changed.ok ? ok({ body: { schedule: changed.value } }) : changed;
}

async function removeSchedule(call: HttpCall): HandlerPromise {
  const allowed = readOwner(call);
  if (!allowed.ok) return allowed;
  const { owner, household } = allowed.value;
  const id = call.param("id");
  const removed = await getHouseholdStub(call.env, household).schedules.removeSchedule(owner, id);
  return removed.ok ? ok({ body: { removed: id } }) : removed;
}

export const scheduleRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/api/v1/schedules",
    access: "member",
    summary: "Create a recurring request",
    description:
      "Each run creates a thread in the caller's name. A repeated call finds the existing schedule. Runs that were missed while the exchange was down are replaced by a single run.",
    body: { description: "The schedule", types: TEXT_TYPES, schema: newScheduleSchema },
    status: 201,
    handle: addSchedule,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/schedules",
    access: "member",
    summary: "The caller's recurring requests; for owners, all of the household",
    handle: listSchedules,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/schedules/{id}",
    access: "member",
    summary: "A recurring request with its last and its next run",
    handle: readSchedule,
  }),
  defineMemberRoute({
    method: "patch",
    path: "/api/v1/schedules/{id}",
    access: "member",
    summary: "Change the given fields of a recurring request; null removes a field",
    body: { description: "The fields to change", types: TEXT_TYPES, schema: scheduleChangeSchema },
    handle: changeSchedule,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/api/v1/schedules/{id}",
    access: "member",
    summary: "Delete a recurring request; its threads stay",
    handle: removeSchedule,
  }),
];
