/** `/api/v1/limits`: the quotas with their use, for owners; the operator changes them for a household. */
import { defined } from "../../../../mess/defined.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import { HOUSEHOLD_ID_PATTERN } from "../../../../auth/known-households.ts";
import type { QuotaUsage } from "../../../../contracts/quotas.ts";
import { log } from "../../../../log.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { householdLimitsSchema, QUOTA_NAMES, QUOTAS } from "../../../../mess/quotas.ts";
import { ok } from "../../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import type { ResponseData } from "../../response.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  defineNoHouseholdRoute,
  type HttpRoute,
  type NoHouseholdCall,
} from "../../route.ts";

/** Every quota with its limit, and with its use where the household counts it. */
const buildLimits = ({ limits, changed, household, members }: QuotaUsage): ResponseData => ({
  body: {
    limits: QUOTA_NAMES.map((name) => {
      const used = household[name];
      const users = Object.entries(members).flatMap(([member, counts]) =>
        counts[name] === undefined ? [] : [[member, counts[name]] as const],
      );
      return {
        name,
        limit: limits[name],
        unit: QUOTAS[name].unit,
        code: QUOTAS[name].code,
        ...defined({ used }),
        ...(users.length === 0 ? {} : { used_by: Object.fromEntries(users) }),
        ...(changed[name] === undefined ? {} : { changed: true }),
      };
    }),
  },
});

const toResponse = (usage: Outcome<QuotaUsage>): Outcome<ResponseData> =>
  usage.ok ? ok(buildLimits(usage.value)) : usage;

const readOwnLimits = async ({ env, principal }: HttpCall): HandlerPromise =>
  toResponse(await getHouseholdStub(env, principal.household).quotas.readUsage());

/** The quotas of the household in the path; refused for an invalid id, so that no object is called for it. */
function findQuotas({ env, param }: NoHouseholdCall) {
  const id = param("id");
  return HOUSEHOLD_ID_PATTERN.test(id)
    ? ok(getHouseholdStub(env, id).quotas)
    : refuse("not_found", "household not found", "Create the household first.");
}

async function readLimits(call: NoHouseholdCall): HandlerPromise {
  const quotas = findQuotas(call);
  return quotas.ok ? toResponse(await quotas.value.readUsage()) : quotas;
}

async function setLimits(call: NoHouseholdCall): HandlerPromise {
  const quotas = findQuotas(call);
  if (!quotas.ok) return quotas;
  const body = await readObject(call.request, householdLimitsSchema);
  if (!body.ok) return body;
  const usage = await quotas.value.setLimits(body.value);
  if (usage.ok) log("limits_changed", { household: call.param("id") });
  return toResponse(usage);
}

export const limitRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/api/v1/limits",
    access: "owner",
    summary: "The household's quotas with their use",
    handle: readOwnLimits,
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/api/v1/households/{id}/limits",
    access: "operator",
    summary: "The quotas of a household with their use",
    handle: readLimits,
  }),
  defineNoHouseholdRoute({
    method: "put",
    path: "/api/v1/households/{id}/limits",
    access: "operator",
    summary: "Change the quotas of a household",
    description:
      "Replaces all earlier changes; a quota that is left out has its default. Only quotas that the household counts can be changed here.",
    body: { description: "Limits by name", types: TEXT_TYPES, schema: householdLimitsSchema },
    handle: setLimits,
  }),
];
