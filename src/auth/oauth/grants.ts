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
export const grantProps = z.object({
  grant: boundedText(LIMITS.name),
  memberships: z.array(
    z.object({
      household: boundedText(LIMITS.name),
      actor: boundedText(LIMITS.name),
      role: z.enum(ROLES),
    }),
  ),
});

export type GrantProps = z.output<typeof grantProps>;

const REMEMBERED = 30_000;
const MOST_REMEMBERED = 2_000;

interface Remembered {
  holder: { actor: string; role: Role } | undefined;
  until: number;
}

const remembered = new Map<string, Remembered>();

type Households = Pick<Env, "HOUSEHOLDS">;

/** The grant's memberships that still hold, each with the actor and role that its household says. */
export async function liveMemberships(
  env: Households,
  { grant, memberships }: GrantProps,
): Promise<GrantProps["memberships"]> {
  const asked = await Promise.all(
    memberships.map(async ({ household }) => {
      const holder = await holderOf(env, household, grant);
      return holder ? [{ household, ...holder }] : [];
    }),
  );
  return asked.flat();
}

async function holderOf(
  env: Households,
  household: string,
  grant: string,
): Promise<Remembered["holder"]> {
  const key = `${household} ${grant}`;
  const known = remembered.get(key);
  if (known && known.until > Date.now()) return known.holder;
  const found = await householdStub(env, household).grantHolder(grant);
  const holder = found.ok ? found.value : undefined;
  const [oldest] = remembered.keys();
  if (remembered.size >= MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  remembered.set(key, { holder, until: Date.now() + REMEMBERED });
  return holder;
}

/** Forgets what this isolate remembers of a household's grants, so that a revocation bites here at once. */
export function forgetGrants(household: string): void {
  for (const key of remembered.keys()) if (key.startsWith(`${household} `)) remembered.delete(key);
}
