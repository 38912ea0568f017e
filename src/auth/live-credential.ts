/**
 * Keys and grants are remembered for 30 seconds, so that a call does not ask the household. Calls that outlast that
 * time, or give access to others, ask it here.
 */
import { householdStub } from "../stubs.ts";
import { clearCachedKeys } from "./api-keys.ts";
import { clearCachedGrants } from "./oauth/grants.ts";
import type { Principal } from "./principal.ts";

/** Whether the caller's credential has not ended, as its household knows now. Links are judged by their thread. */
export const isStillLive = async (
  env: Pick<Env, "HOUSEHOLDS">,
  { household, credential }: Principal,
): Promise<boolean> =>
  credential === undefined || (await householdStub(env, household).isLive(credential));

/** Forgets what this isolate remembers of a household, so that a revocation takes effect here at once. */
export function clearCachedCredentials(household: string): void {
  clearCachedKeys(household);
  clearCachedGrants(household);
}
