/**
 * Refuses callers of a household that the operator has suspended. Every way in asks here after it has identified the
 * household. The answer is cached like that for a key, so a suspension takes effect within 30 seconds.
 */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { getHouseholdStub } from "../stubs.ts";
import { isKnownHousehold } from "./known-households.ts";
import { checkRequestRate, type RateBindings, type RatedCaller } from "./rates/request-rate.ts";

type HouseholdBindings = Pick<Env, "HOUSEHOLDS">;

const CACHE_MS = 30_000;
const MAX_CACHED_HOUSEHOLDS = 5_000;

const cachedAnswers = new Map<string, { answer: Promise<boolean>; until: number }>();

/** The household exists. Where its object does not respond, what needs it fails by itself. */
export function isSuspended(env: HouseholdBindings, household: string): Promise<boolean> {
  const known = cachedAnswers.get(household);
  if (known && known.until > Date.now()) return known.answer;
  cachedAnswers.delete(household);
  const [oldest] = cachedAnswers.keys();
  if (cachedAnswers.size >= MAX_CACHED_HOUSEHOLDS && oldest !== undefined)
    cachedAnswers.delete(oldest);
  const answer = getHouseholdStub(env, household)
    .settings.isSuspended()
    .catch(() => {
      cachedAnswers.delete(household);
      return false;
    });
  cachedAnswers.set(household, { answer, until: Date.now() + CACHE_MS });
  return answer;
}

/** Lets this isolate ask again, so that a change takes effect here at once. */
export const clearCachedSuspension = (household: string): void =>
  void cachedAnswers.delete(household);

export const refuseSuspended = () =>
  refuse(
    "household_suspended",
    "the operator has suspended this household",
    "Nothing is lost. Ask the operator of this exchange to resume it, then repeat the call.",
  );

export const checkNotSuspended = async (
  env: HouseholdBindings,
  household: string,
): Promise<Outcome<true>> => ((await isSuspended(env, household)) ? refuseSuspended() : ok(true));

/** For routes whose path names the household before anybody has proven to belong to it. */
export const checkNamedHousehold = async (
  env: HouseholdBindings & Pick<Env, "INDEX">,
  household: string,
): Promise<Outcome<true>> =>
  (await isKnownHousehold(env, household)) ? await checkNotSuspended(env, household) : ok(true);

/** Counts the request of an authenticated caller, and refuses it where its household is suspended. */
export async function admitCaller(
  env: HouseholdBindings & RateBindings,
  caller: RatedCaller,
): Promise<Outcome<true>> {
  const rate = await checkRequestRate(env, caller);
  return rate.ok ? await checkNotSuspended(env, caller.household) : rate;
}
