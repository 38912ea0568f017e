/** `/api/v1/exchanges/{exchange}`: registration, executors with their profiles, and capabilities for MESS clients. */
import * as z from "zod";
import { generateKey } from "../../../../auth/api-keys.ts";
import { toAuditSource } from "../../../../auth/audit-source.ts";
import { HOUSEHOLD_ID_PATTERN, isKnownHousehold } from "../../../../auth/known-households.ts";
import { checkAttemptRate } from "../../../../auth/rates/attempt-rate.ts";
import { refuseRegistrationClosed } from "../../../../auth/registration-closed.ts";
import { isSuspended } from "../../../../auth/suspension.ts";
import { log } from "../../../../log.ts";
import { readMemberProfile } from "../../../../mess/config/member-profile.ts";
import { refuse } from "../../../../mess/errors.ts";
import type { JsonMap } from "../../../../mess/json.ts";
import { ok } from "../../../../mess/result.ts";
import type { Executor } from "../../../../mess/routing/routing.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import { shortTextSchema } from "../../parameters.ts";
import { parseWithSchema, readJsonMap } from "../../request-body.ts";
import {
  defineMemberRoute,
  defineNoHouseholdRoute,
  type HandlerPromise,
  type HttpCall,
  type HttpRoute,
  type NoHouseholdCall,
} from "../../route.ts";
import { refuseExchangeId } from "./exchange-id.ts";

const JSON_TYPES = ["application/json"];
const PROFILE_FIELDS = "display_name, capabilities, notifications, preferences";

const registrationSchema = z.object({ executor_id: shortTextSchema });

/** Not by `Idempotency-Key`: a stranger who guesses one must not get the key of another. */
async function register({ env, request, param }: NoHouseholdCall): HandlerPromise {
  const household = param("exchange");
  if (!HOUSEHOLD_ID_PATTERN.test(household)) return refuseExchangeId();
  const body = await readJsonMap(request);
  if (!body.ok) return body;
  const read = parseWithSchema(registrationSchema, body.value, "bad_field");
  if (!read.ok) return read;
  const profile = readMemberProfile(body.value);
  if (!profile.ok) return profile;
  const rate = await checkAttemptRate(env, request, `register ${household}`);
  if (!rate.ok) return rate;
  // Refused alike, so that strangers do not learn which households exist.
  if (!(await isKnownHousehold(env, household)) || (await isSuspended(env, household)))
    return refuseRegistrationClosed();
  const { executor_id: id } = read.value;
  const { key, hash } = await generateKey(household);
  const { settings } = getHouseholdStub(env, household);
  const { fields, warnings } = profile.value;
  const registered = await settings.registerMember({ id, fields, key_hash: hash });
  if (!registered.ok) return registered;
  log("member_registered", { household, actor: id });
  return ok({
    status: 201,
    body: {
      executor_id: id,
      api_key: key,
      message: "Save this key. It cannot be read again.",
      ...showWarnings([...warnings, ...registered.value.warnings]),
    },
  });
}

const showWarnings = (warnings: string[]) => (warnings.length > 0 ? { warnings } : {});

const showExecutor = ({ id, name, kind, capabilities, availability }: Executor): JsonMap => ({
  id,
  display_name: name ?? id,
  kind,
  capabilities,
  availability: availability ?? "always",
});

async function listExecutors({ env, principal }: HttpCall): HandlerPromise {
  const executors = await getHouseholdStub(env, principal.household).settings.listExecutors();
  return ok({ body: { executors: executors.map(showExecutor) } });
}

async function patchExecutor({ env, principal, request, param }: HttpCall): HandlerPromise {
  const id = param("id");
  if (id !== principal.actor)
    return refuse(
      "wrong_role",
      "members change their own profile only",
      "Owners change executors with POST /api/v1/config.",
    );
  const body = await readJsonMap(request);
  if (!body.ok) return body;
  const profile = readMemberProfile(body.value);
  if (!profile.ok) return profile;
  const { fields, warnings } = profile.value;
  const { settings } = getHouseholdStub(env, principal.household);
  const updated = await settings.updateProfile(id, fields, toAuditSource(principal));
  if (!updated.ok) return updated;
  return ok({
    body: {
      executor_id: id,
      updated: true,
      ...showWarnings([...warnings, ...updated.value.warnings]),
    },
  });
}

const tagQuerySchema = z.strictObject({ tag: shortTextSchema.exactOptional() });

async function listCapabilities({
  env,
  principal,
  query,
}: HttpCall<z.output<typeof tagQuerySchema>>): HandlerPromise {
  const { actor, role, household } = principal;
  const filter = query.tag === undefined ? {} : { filter: { tags: [query.tag] } };
  const answer = await getHouseholdStub(env, household).threads.answerQuery(
    { type: "capabilities", ...filter },
    { actor, role },
  );
  return ok({ body: answer as JsonMap });
}

export const exchangeExecutorRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/api/v1/exchanges/{exchange}/register",
    access: "open",
    summary: "Become a member of a household whose registration is open: {executor_id, api_key}",
    description:
      "The key is shown only once. Refused with registration_closed unless config.access.registration is open.",
    body: { description: `{executor_id, ${PROFILE_FIELDS}}`, types: JSON_TYPES },
    status: 201,
    handle: register,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/exchanges/{exchange}/executors",
    access: "exchange",
    summary: "The executors, for MESS clients: {executors}",
    handle: listExecutors,
  }),
  defineMemberRoute({
    method: "patch",
    path: "/api/v1/exchanges/{exchange}/executors/{id}",
    access: "exchange",
    summary: "Change the caller's own profile",
    description: "What is left out stays; null returns to the default.",
    body: { description: `{${PROFILE_FIELDS}}`, types: JSON_TYPES },
    handle: patchExecutor,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/exchanges/{exchange}/capabilities",
    access: "exchange",
    summary: "The capabilities with their executors, for MESS clients: {capabilities}",
    query: tagQuerySchema,
    handle: listCapabilities,
  }),
];
