/**
 * Checks credentials against the household itself. Keys and grants are cached for 30 seconds, so calls that outlast
 * that time, or give access to others, must bypass the cache.
 */
import { getHouseholdStub } from "../stubs.ts";
import { clearCachedKeys } from "./api-keys.ts";
import { clearCachedGrants } from "./oauth/grants.ts";
import type { Principal } from "./principal.ts";

/** True if the caller's credential has not ended. Links have no credential here; their thread checks them. */
export const isStillLive = async (
  env: Pick<Env, "HOUSEHOLDS">,
  { household, credential }: Principal,
): Promise<boolean> =>
  credential === undefined || (await getHouseholdStub(env, household).identity.isLive(credential));

/** Clears the credentials of a household that this isolate caches, so that a revocation takes effect here at once. */
export function clearCachedCredentials(household: string): void {
  clearCachedKeys(household);
  clearCachedGrants(household);
}
