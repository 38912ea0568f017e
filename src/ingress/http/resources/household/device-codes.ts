/** `/api/v1/device-codes` and `/api/v1/device-tokens`: the device flow of RFC 8628, for programs without a browser. */
import * as z from "zod";
import { startDeviceSignIn, takeDeviceKey } from "../../../../auth/people/device-sign-in.ts";
import { DEVICE_PATH } from "../../../../auth/people/user-codes.ts";
import { checkAttemptRate } from "../../../../auth/rates/attempt-rate.ts";
import { getCallerAddress } from "../../../../auth/rates/caller-address.ts";
import { getLinkOrigin } from "../../../../config.ts";
import { log } from "../../../../log.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  defineMemberRoute,
  defineNoHouseholdRoute,
  type HandlerPromise,
  type HttpCall,
  type HttpRoute,
  type NoHouseholdCall,
} from "../../route.ts";
import { endAccess } from "./end-access.ts";

const newCodeSchema = z.strictObject({
  client_name: boundedTextSchema(LIMITS.nameChars).min(1).default("a program"),
});
const tokenSchema = z.strictObject({ device_code: boundedTextSchema(LIMITS.nameChars).min(1) });

async function createDeviceCode({ env, request }: NoHouseholdCall): HandlerPromise {
  const allowed = await checkAttemptRate(env, request, "device code");
  if (!allowed.ok) return allowed;
  const body = await readObject(request, newCodeSchema);
  if (!body.ok) return body;
  const program = { client: body.value.client_name, address: getCallerAddress(request) ?? "" };
  const started = await startDeviceSignIn(env, program, Date.now());
  if (!started.ok) return started;
  const page = `${getLinkOrigin(env, request)}${DEVICE_PATH}`;
  const addresses = {
    verification_uri: page,
    verification_uri_complete: `${page}?code=${started.value.user_code}`,
  };
  return ok({ status: 201, body: { ...started.value, ...addresses } });
}

async function takeToken({ env, request }: NoHouseholdCall): HandlerPromise {
  const body = await readObject(request, tokenSchema);
  if (!body.ok) return body;
  const taken = await takeDeviceKey(env, body.value.device_code, Date.now());
  if (!taken.ok) return taken;
  const { exchange_id: household, actor, role } = taken.value;
  log("key_added", { household, actor, role, by: "device" });
  return ok({ body: taken.value });
}

async function endToken(call: HttpCall): HandlerPromise {
  const { household, actor, credential } = call.principal;
  const ended = await endAccess(call, (identity, by) => identity.endSessionKey(credential, by));
  if (!ended.ok) return ended;
  log("key_revoked", { household, actor, by: "device" });
  return ok({ body: { revoked: true } });
}

export const deviceRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/api/v1/device-codes",
    access: "open",
    summary: "A code with which a person lets a program sign in, as in RFC 8628",
    description:
      "The person opens verification_uri, compares user_code, and chooses household and role. The program asks for its key at POST /api/v1/device-tokens every `interval` seconds.",
    body: { description: "The program", types: TEXT_TYPES, schema: newCodeSchema },
    status: 201,
    handle: createDeviceCode,
  }),
  defineNoHouseholdRoute({
    method: "post",
    path: "/api/v1/device-tokens",
    access: "open",
    summary: "The key of a program, once a person has let it sign in",
    description:
      "Returns {api_key, exchange_id, actor, role}, once; until then authorization_pending, slow_down, access_denied or expired_token. The key acts as the person, is valid for a year, and ends with the person's access.",
    body: { description: "The code of the program", types: TEXT_TYPES, schema: tokenSchema },
    handle: takeToken,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/api/v1/device-tokens",
    access: "member",
    summary: "End the key of this call, if a program got it by signing in",
    handle: endToken,
  }),
];
