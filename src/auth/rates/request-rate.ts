/** Limits the requests of a credential, a household and an address, in the Worker: no object is called before. */
import type { Outcome } from "../../mess/errors.ts";
import { QUOTAS, refuseQuota } from "../../mess/quotas.ts";
import { ok } from "../../mess/result.ts";
import type { Principal } from "../principal.ts";
import { getCallerAddress } from "./caller-address.ts";

export type RateBindings = Pick<Env, "CREDENTIAL_REQUESTS" | "HOUSEHOLD_REQUESTS">;

/** What a rate is counted by. */
export type RatedCaller = Pick<Principal, "household" | "actor" | "credential" | "scope">;

/** Identifies the credential of a caller: a key, grant or session, else a link, else a callback token. */
export const getRateKey = ({ household, actor, credential, scope }: RatedCaller): string =>
  `${household} ${credential ?? (scope?.jti === undefined ? `callback:${actor} ${scope?.ref ?? ""}` : `link:${scope.jti}`)}`;

/**
 * Counts one or more requests of the caller. A credential's refused requests do not count for its household, so that
 * one key cannot use up the requests of the others.
 */
export async function checkRequestRate(
  { CREDENTIAL_REQUESTS, HOUSEHOLD_REQUESTS }: RateBindings,
  caller: RatedCaller,
  count = 1,
): Promise<Outcome<true>> {
  for (let counted = 0; counted < count; counted++) {
    const own = await CREDENTIAL_REQUESTS.limit({ key: getRateKey(caller) });
    if (!own.success)
      return refuseQuota("requests_per_credential", QUOTAS.requests_per_credential.limit);
    const all = await HOUSEHOLD_REQUESTS.limit({ key: caller.household });
    if (!all.success)
      return refuseQuota("requests_per_household", QUOTAS.requests_per_household.limit);
  }
  return ok(true);
}

/**
 * Counts a request to a route that authenticates by itself or not at all: pages, files, webhooks of channels. Counted
 * by address and household, so that nobody can use up the requests of a family's channels.
 */
export async function checkOpenRate(
  { HOUSEHOLD_REQUESTS }: RateBindings,
  request: Request,
  household: string,
): Promise<Outcome<true>> {
  const address = getCallerAddress(request);
  if (address === undefined) return ok(true);
  const { success } = await HOUSEHOLD_REQUESTS.limit({ key: `open ${address} ${household}` });
  return success
    ? ok(true)
    : refuseQuota("requests_per_household", QUOTAS.requests_per_household.limit);
}
