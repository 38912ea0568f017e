/**
 * Refuses calls by strangers that name a household that does not exist, without calling its object: a call to any name
 * creates an object, which is billed.
 */
import { findHousehold } from "../partitions/household-list.ts";

/** Household ids are part of keys and of object names, so they contain no underscore and no slash. */
export const HOUSEHOLD_ID_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const MAX_KNOWN_HOUSEHOLDS = 5_000;
/** After a failed lookup, this isolate admits every well-formed id for this long: D1 must not delay authentication. */
const SKIP_MS = 10_000;

/** Listed households, in the order of their lookup. None is ever deleted. */
const knownHouseholds = new Set<string>();
let skipUntil = 0;

/** Whether a call that names this household may reach its object, which decides about everything else. */
export async function isKnownHousehold(
  { INDEX }: Pick<Env, "INDEX">,
  household: string,
): Promise<boolean> {
  if (!HOUSEHOLD_ID_PATTERN.test(household)) return false;
  const now = Date.now();
  if (knownHouseholds.has(household) || now < skipUntil) return true;
  try {
    const found = await findHousehold(INDEX, household, now);
    if (found === "listed") rememberHousehold(household);
    return found !== "absent";
  } catch {
    skipUntil = Date.now() + SKIP_MS;
    return true;
  }
}

function rememberHousehold(household: string): void {
  const [oldest] = knownHouseholds;
  if (knownHouseholds.size >= MAX_KNOWN_HOUSEHOLDS && oldest !== undefined)
    knownHouseholds.delete(oldest);
  knownHouseholds.add(household);
}
