/**
 * What a grant is worth: each household is asked whether it still holds there. The answer is remembered as a key's
 * is, so that a revocation bites within 30 seconds.
 */
import { householdStub } from "../../stubs.ts";
import * as z from "zod";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { type Role, ROLES } from "../principal.ts";

/** What a token carries, sealed with the token itself: claims of that day, which the households decide anew. */
export const grantPropsSchema = z.object({
  grant: boundedText(LIMITS.nameChars),
  memberships: z.array(
    z.object({
      household: boundedText(LIMITS.nameChars),
      actor: boundedText(LIMITS.nameChars),
      role: z.enum(ROLES),
    }),
  ),
});

export type GrantProps = z.output<typeof grantPropsSchema>;

const CACHE_MS = 30_000;
const MAX_CACHED_GRANTS = 2_000;

interface CachedGrant {
  holder: { actor: string; role: Role } | undefined;
  until: number;
}

const cachedGrants = new Map<string, CachedGrant>();

type HouseholdBindings = Pick<Env, "HOUSEHOLDS">;

/** The grant's memberships that still hold, each with the actor and role that its household says. */
export async function findActiveMemberships(
  env: HouseholdBindings,
  { grant, memberships }: GrantProps,
): Promise<GrantProps["memberships"]> {
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
  const found = await householdStub(env, household).findGrantHolder(grant);
  const holder = found.ok ? found.value : undefined;
  const [oldest] = cachedGrants.keys();
  if (cachedGrants.size >= MAX_CACHED_GRANTS && oldest !== undefined) cachedGrants.delete(oldest);
  cachedGrants.set(key, { holder, until: Date.now() + CACHE_MS });
  return holder;
}

/** Forgets what this isolate remembers of a household's grants, so that a revocation bites here at once. */
export function clearCachedGrants(household: string): void {
  for (const key of cachedGrants.keys())
    if (key.startsWith(`${household} `)) cachedGrants.delete(key);
}
