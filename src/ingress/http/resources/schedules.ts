/** `/api/v1/schedules`: recurring requests. */
import { householdStub } from "../../../stubs.ts";
import * as z from "zod";
import { refuse } from "../../../mess/errors.ts";
import type { JsonMap } from "../../../mess/json.ts";
import { boundedText } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { ok } from "../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../request-body.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";

const request = z
  .json()
  .describe("In any form that a request block has; durations instead of moments, and no files.");

/** What each field may hold is told by the household, with its place. */
const fields = {
  cron: boundedText(LIMITS.cronChars).describe(
    'Five fields, minute first, such as "0 18 * * mon,thu", or @daily.',
  ),
  time_zone: boundedText(LIMITS.timeZoneChars).describe(
    "The household's zone where there is none.",
  ),
  request,
  rotation: z
    .array(boundedText(LIMITS.actorIdChars))
    .describe("Members who are asked first in turn."),
  skip_if_open: z
    .boolean()
    .describe("Not to ask again while the last thread is open; true when not given."),
  until: boundedText(LIMITS.timeChars).describe("ISO 8601: it fires no more after this."),
  paused: z.boolean(),
};

const newBody = z.strictObject({
  id: boundedText(64).min(1),
  cron: fields.cron,
  request,
  time_zone: fields.time_zone.optional(),
  rotation: fields.rotation.optional(),
  skip_if_open: fields.skip_if_open.optional(),
  until: fields.until.optional(),
  paused: fields.paused.optional(),
});

const changeBody = z.strictObject({
  cron: fields.cron.optional(),
  request: request.optional(),
  time_zone: fields.time_zone.nullish(),
  rotation: fields.rotation.nullish(),
  skip_if_open: fields.skip_if_open.nullish(),
  until: fields.until.nullish(),
  paused: fields.paused.nullish(),
});

/** Only those who may ask keep schedules; what is not theirs does not exist for them. */
const keeperOf = ({ principal }: Call) =>
  principal.role === "executor"
    ? refuse("wrong_role", "executors do not make requests", "Use the key of an agent or an owner.")
    : ok({
        keeper: { actor: principal.actor, role: principal.role },
        household: principal.household,
      });

async function addSchedule(call: Call): Handled {
  const who = keeperOf(call);
  if (!who.ok) return who;
  const body = await readObject(call.request, newBody);
  if (!body.ok) return body;
  const { id, ...given } = body.value;
  const { keeper, household } = who.value;
  const added = await householdStub(call.env, household).addSchedule(keeper, id, given as JsonMap);
  if (!added.ok) return added;
  const { schedule, fresh } = added.value;
  return ok({ status: fresh ? 201 : 200, body: { schedule } });
}

async function listSchedules(call: Call): Handled {
  const who = keeperOf(call);
  if (!who.ok) return who;
  const { keeper, household } = who.value;
  const schedules = await householdStub(call.env, household).schedules(keeper);
  return schedules.ok ? ok({ body: { schedules: schedules.value } }) : schedules;
}

async function readSchedule(call: Call): Handled {
  const who = keeperOf(call);
  if (!who.ok) return who;
  const { keeper, household } = who.value;
  const found = await householdStub(call.env, household).schedule(keeper, call.param("id"));
  return found.ok ? ok({ body: { schedule: found.value } }) : found;
}

async function changeSchedule(call: Call): Handled {
  const who = keeperOf(call);
  if (!who.ok) return who;
  const body = await readObject(call.request, changeBody);
  if (!body.ok) return body;
  const { keeper, household } = who.value;
  const changed = await householdStub(call.env, household).changeSchedule(
    keeper,
    call.param("id"),
    body.value as JsonMap,
  );
  return changed.ok ? ok({ body: { schedule: changed.value } }) : changed;
}

async function removeSchedule(call: Call): Handled {
  const who = keeperOf(call);
  if (!who.ok) return who;
  const { keeper, household } = who.value;
  const id = call.param("id");
  const removed = await householdStub(call.env, household).removeSchedule(keeper, id);
  return removed.ok ? ok({ body: { removed: id } }) : removed;
}

export const scheduleRoutes: readonly Route[] = [
  memberRoute({
    method: "post",
    path: "/api/v1/schedules",
    access: "member",
    summary: "Ask again and again: make a recurring request",
    description:
      "Each firing makes a thread in the caller's name. The same call again finds the schedule in place. What was missed while the exchange was down is made good once.",
    body: { description: "The schedule", types: TEXT_TYPES, schema: newBody },
    status: 201,
    handle: addSchedule,
  }),
  memberRoute({
    method: "get",
    path: "/api/v1/schedules",
    access: "member",
    summary: "The caller's recurring requests; to owners, the household's",
    handle: listSchedules,
  }),
  memberRoute({
    method: "get",
    path: "/api/v1/schedules/{id}",
    access: "member",
    summary: "A recurring request, with its last firing and its next",
    handle: readSchedule,
  }),
  memberRoute({
    method: "patch",
    path: "/api/v1/schedules/{id}",
    access: "member",
    summary: "Change what is given of a recurring request; null takes a field out",
    body: { description: "The fields to change", types: TEXT_TYPES, schema: changeBody },
    handle: changeSchedule,
  }),
  memberRoute({
    method: "delete",
    path: "/api/v1/schedules/{id}",
    access: "member",
    summary: "Delete a recurring request; threads that it made stay",
    handle: removeSchedule,
  }),
];
