/**
 * `POST /respond/renew`: the bearer of a dead link wants a new one. No link is ever given here: the wish goes into
 * the thread's history and the household's events, where whoever can make one sees it.
 */
import { householdStub, threadStub } from "../../../stubs.ts";
import { authenticateLinkSession } from "../../../auth/links/link-sessions.ts";
import { getConfig } from "../../../config.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { fail, ok } from "../../../mess/result.ts";
import { buildRefusal } from "../../http/response.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import {
  type HandlerPromise,
  type OpenHttpCall,
  openRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { findLink, type LinkAddress, linkInputSchema } from "./open-link.ts";
import { checkOrigin } from "./check-origin.ts";

interface RenewalRequest {
  household: string;
  ref: string;
  executor: string;
  jti: string;
}

async function requestRenewal({ env, request }: OpenHttpCall): HandlerPromise {
  const foreign = checkOrigin(request);
  if (foreign) return fail(foreign);
  const address = await readObject(request, linkInputSchema);
  if (!address.ok) return address;
  const renewal = await findRenewal(env, request, address.value);
  if (!renewal.ok) return renewal;
  const { household, ref, executor, jti } = renewal.value;
  const requested = await threadStub(env, household, ref).requestLink(executor, jti);
  if (!requested.ok) return requested;
  // Told again where an earlier call broke off here: the household logs it once an hour.
  await householdStub(env, household).recordLinkRequest(requested.value.summary, executor);
  if (requested.value.fresh) return ok({ body: { asked: true } });
  const error = {
    code: "rate_limited",
    message: "a new link was asked for within the last hour",
    hint: "Wait for it to come by the way on which the first one came.",
  } as const;
  return ok(buildRefusal(request, error, { "Retry-After": "3600" }));
}

/** Who wishes for which thread: by the dead link, else by the browser's session for a revoked one. */
async function findRenewal(
  env: Env,
  request: Request,
  address: LinkAddress,
): Promise<Outcome<RenewalRequest>> {
  if (address.token !== undefined || address.code !== undefined || address.ref === undefined)
    return await findLink(env, address);
  const bearer = await authenticateLinkSession(getConfig(env).secret, request, address.ref);
  if (!bearer.ok) return bearer;
  const { household, actor, scope } = bearer.value;
  return ok({ household, ref: address.ref, executor: actor, jti: scope?.jti ?? "" });
}

export const renewRoutes: readonly HttpRoute[] = [
  openRoute({
    method: "post",
    path: "/respond/renew",
    access: "open",
    summary: "Ask for a new link where this one is dead; once an hour for an executor and a thread",
    body: {
      description: "{token} or {code}, as the dead link had it",
      types: TEXT_TYPES,
      schema: linkInputSchema,
    },
    handle: requestRenewal,
  }),
];
