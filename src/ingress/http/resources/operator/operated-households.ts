/** `/api/v1/households`: lists, suspends and resumes households, for the operator of the deployment. */
import * as z from "zod";
import { HOUSEHOLD_ID_PATTERN } from "../../../../auth/known-households.ts";
import { clearCachedCredentials } from "../../../../auth/live-credential.ts";
import { clearCachedSuspension } from "../../../../auth/suspension.ts";
import { listHouseholds } from "../../../../exchange/list-households.ts";
import { log } from "../../../../log.ts";
import { refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import { numberSchema } from "../../parameters.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../route.ts";

/** Each is one call to a Durable Object. */
const MAX_HOUSEHOLDS_PER_PAGE = 50;

const listQuerySchema = z.strictObject({
  cursor: boundedTextSchema(LIMITS.actorIdChars).default(""),
  limit: numberSchema(1, MAX_HOUSEHOLDS_PER_PAGE).default(20),
});

const refuseUnknown = () =>
  refuse("not_found", "household not found", "GET /api/v1/households lists all households.");

async function showHouseholds({
  env,
  query: { cursor, limit },
}: NoHouseholdCall<z.output<typeof listQuerySchema>>): HandlerPromise {
  const listed = await listHouseholds(env, cursor, limit);
  return listed.ok ? ok({ body: listed.value }) : listed;
}

async function readHousehold({ env, param }: NoHouseholdCall): HandlerPromise {
  const id = param("id");
  if (!HOUSEHOLD_ID_PATTERN.test(id)) return refuseUnknown();
  const household = await getHouseholdStub(env, id).settings.describeForOperator();
  return household ? ok({ body: { household } }) : refuseUnknown();
}

async function changeSuspension(
  { env, param }: NoHouseholdCall,
  isSuspended: boolean,
): HandlerPromise {
  const id = param("id");
  if (!HOUSEHOLD_ID_PATTERN.test(id)) return refuseUnknown();
  const { settings } = getHouseholdStub(env, id);
  const changed = await settings.setSuspended(isSuspended);
  if (!changed.ok) return changed;
  clearCachedSuspension(id);
  clearCachedCredentials(id);
  log(isSuspended ? "household_suspended" : "household_resumed", { household: id });
  return ok({ body: { household: await settings.describeForOperator() } });
}

export const operatedHouseholdRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/api/v1/households",
    access: "operator",
    summary: "The households with their health and use; never content or names",
    query: listQuerySchema,
    handle: showHouseholds,
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/api/v1/households/{id}",
    access: "operator",
    summary: "One household with its health and use",
    handle: readHousehold,
  }),
  defineNoHouseholdRoute({
    method: "put",
    path: "/api/v1/households/{id}/suspension",
    access: "operator",
    summary:
      "Suspend a household: all its calls are refused and no notice is sent, within 30 seconds",
    description: "Nothing is deleted. Deadlines of open requests pass meanwhile.",
    handle: (call) => changeSuspension(call, true),
  }),
  defineNoHouseholdRoute({
    method: "delete",
    path: "/api/v1/households/{id}/suspension",
    access: "operator",
    summary: "Resume a suspended household; held notices are sent",
    handle: (call) => changeSuspension(call, false),
  }),
];
