/**
 * Checks with each household of a grant whether the grant is still active there. The answer is cached like that for a
 * key, so a revocation takes effect within 30 seconds.
 */
import { getHouseholdStub } from "../../stubs.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { GrantHolder } from "../../contracts/identity.ts";
import { ROLES } from "../principal.ts";

/** The claims in a token, encrypted with it. They date from its issue; the households decide again on each use. */
export const grantPropsSchema = z.object({
  grant: boundedTextSchema(LIMITS.nameChars),
  memberships: z.array(
    z.object({
      household: boundedTextSchema(LIMITS.nameChars),
      actor: boundedTextSchema(LIMITS.nameChars),
      role: z.enum(ROLES),
    }),
  ),
});

export type GrantProps = z.output<typeof grantPropsSchema>;

const CACHE_MS = 30_000;
const MAX_CACHED_GRANTS = 2_000;

interface CachedGrant {
  holder: GrantHolder | undefined;
  until: number;
}

const cachedGrants = new Map<string, CachedGrant>();

type HouseholdBindings = Pick<Env, "HOUSEHOLDS">;

/** The active memberships of the grant, each with the actor and role that its household reports. */
export async function findActiveMemberships(
  env: HouseholdBindings,
  { grant, memberships }: GrantProps,
): Promise<(GrantHolder & { household: string })[]> {
  const checked = await Promise.all(
    memberships.map(async ({ household }) => {
      const holder = await findGrantHolder(env, household, grant);
      return holder ? [{ household, ...holder }] : [];
    }),
  );
  return checked.flat();
}

async function findGrantHolder(
  env: HouseholdBindings,
  household: string,
  grant: string,
): Promise<CachedGrant["holder"]> {
  const key = `${household} ${grant}`;
  const known = cachedGrants.get(key);
  if (known && known.until > Date.now()) return known.holder;
  const found = await getHouseholdStub(env, household).identity.findGrantHolder(grant);
  const holder = found.ok ? found.value : undefined;
  const [oldest] = cachedGrants.keys();
  if (cachedGrants.size >= MAX_CACHED_GRANTS && oldest !== undefined) cachedGrants.delete(oldest);
  cachedGrants.set(key, { holder, until: Date.now() + CACHE_MS });
  return holder;
}

/** Clears this isolate's cached grants of a household, so that a revocation takes effect here at once. */
export function clearCachedGrants(household: string): void {
  for (const key of cachedGrants.keys())
    if (key.startsWith(`${household} `)) cachedGrants.delete(key);
}
