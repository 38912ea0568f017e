/**
 * `POST /respond/renew`: the bearer of an inactive link requests a new one. The response never contains a link. In
 * place of an expired link, a new one is sent through the channel by which the member was notified. In any case the
 * request is recorded in the thread's history and the household's events, for those who can make links.
 */
import { getHouseholdStub, getThreadStub } from "../../../stubs.ts";
import { authenticateLinkSession } from "../../../auth/links/link-sessions.ts";
import { getConfig } from "../../../config.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { fail, ok } from "../../../mess/result.ts";
import { buildRefusal } from "../../http/response.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
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

async function requestRenewal({ env, request }: NoHouseholdCall): HandlerPromise {
  const foreign = checkOrigin(request);
  if (foreign) return fail(foreign);
  const address = await readObject(request, linkInputSchema);
  if (!address.ok) return address;
  const renewal = await findRenewal(env, request, address.value);
  if (!renewal.ok) return renewal;
  const { household, ref, executor, jti } = renewal.value;
  const requested = await getThreadStub(env, household, ref).requestLink(executor, jti);
  if (!requested.ok) return requested;
  // Log it again if an earlier call failed after this point: the household logs it once an hour.
  await getHouseholdStub(env, household).events.recordLinkRequest(
    requested.value.summary,
    executor,
  );
  const { fresh, sent } = requested.value;
  if (fresh) return ok({ body: { asked: true, sent } });
  const error = {
    code: "rate_limited",
    message: "a new link was requested within the last hour",
    hint: "Wait: a new link, if one is made, arrives by the same channel as the first one.",
  } as const;
  return ok(buildRefusal(request, error, { "Retry-After": "3600" }));
}

/** The member and thread of the request: by the inactive link, else by the browser's session of a revoked link. */
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
  defineNoHouseholdRoute({
    method: "post",
    path: "/respond/renew",
    access: "open",
    summary:
      "Request a new link in place of an inactive one; once an hour for each executor and thread",
    description:
      "sent is true if a new link is sent through the member's own channel. A revoked link is not replaced.",
    body: {
      description: "{token} or {code} of the inactive link",
      types: TEXT_TYPES,
      schema: linkInputSchema,
    },
    handle: requestRenewal,
  }),
];
