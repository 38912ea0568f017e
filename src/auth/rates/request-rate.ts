/** Limits the requests of a credential, a household and an address, in the Worker: no object is called before. */
import type { Outcome } from "../../mess/errors.ts";
import { getConfig } from "../../config.ts";
import { refuseQuota } from "../../mess/quotas.ts";
import { ok } from "../../mess/result.ts";
import type { Principal } from "../principal.ts";
import { getCallerAddress } from "./caller-address.ts";

export type RateBindings = Pick<
  Env,
  "CREDENTIAL_REQUESTS" | "HOUSEHOLD_REQUESTS" | "MESS_SECRET" | "MESS_OPERATOR_KEY"
> & { readonly LIMITS?: string };

type RateName = "requests_per_credential" | "requests_per_household";

/** Counts one request; refused beyond the rate, unless the deployment has turned it off. */
async function countRequest(
  env: RateBindings,
  name: RateName,
  key: string,
): Promise<Outcome<true>> {
  const limit = getConfig(env).limits[name];
  if (limit === Infinity) return ok(true);
  const binding =
    name === "requests_per_credential" ? env.CREDENTIAL_REQUESTS : env.HOUSEHOLD_REQUESTS;
  const { success } = await binding.limit({ key });
  return success ? ok(true) : refuseQuota(name, limit);
}

/** The fields of a caller by which its rate is counted. */
export type RatedCaller = Pick<Principal, "household" | "actor" | "credential" | "scope">;

/** Identifies the credential of a caller: a key, grant or session, else a link, else a callback token. */
export const getRateKey = ({ household, actor, credential, scope }: RatedCaller): string =>
  `${household} ${credential ?? (scope?.jti === undefined ? `callback:${actor} ${scope?.ref ?? ""}` : `link:${scope.jti}`)}`;

/**
 * Counts one or more requests of the caller. A credential's refused requests do not count for its household, so that
 * one key cannot use up the requests of the others. Links count apart: a revoked one is recognized only by its thread,
 * and must not use up the requests of the family until then.
 */
export async function checkRequestRate(
  env: RateBindings,
  caller: RatedCaller,
  count = 1,
): Promise<Outcome<true>> {
  for (let counted = 0; counted < count; counted++) {
    const own = await countRequest(env, "requests_per_credential", getRateKey(caller));
    if (!own.ok) return own;
    const group = caller.scope === undefined ? caller.household : `links ${caller.household}`;
    const all = await countRequest(env, "requests_per_household", group);
    if (!all.ok) return all;
  }
  return ok(true);
}

/**
 * Counts a request to a route that checks its own credential or none: pages, files, webhooks of channels. Counted
 * by address and household, so that nobody can use up the requests of a family's channels.
 */
export async function checkOpenRate(
  env: RateBindings,
  request: Request,
  household: string,
): Promise<Outcome<true>> {
  const address = getCallerAddress(request);
  return address === undefined
    ? ok(true)
    : await countRequest(env, "requests_per_household", `open ${address} ${household}`);
}
