/** Who calls: one member for an API key, a membership in each household for a person who signed in. */
import type { Principal } from "../../auth/principal.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";

export interface McpCaller {
  /** At least one; the first is meant where a call does not say. */
  readonly principals: readonly [Principal, ...Principal[]];
  /** Whether the credential still opens these households: asked again while a stream is open. */
  isValid(): Promise<boolean>;
}

export const hasSeveral = ({ principals }: McpCaller): boolean => principals.length > 1;

/** The membership that `exchange` names, checked against the grant; the first one where it is not given. */
export function findMember(
  { principals }: McpCaller,
  exchange: string | undefined,
): Outcome<Principal> {
  if (exchange === undefined) return ok(principals[0]);
  const named = principals.find(({ household }) => household === exchange);
  return named
    ? ok(named)
    : refuse(
        "bad_parameter",
        "exchange: not one of yours",
        "Name a household that you were given access to, or leave exchange out.",
        { valid: principals.map(({ household }) => household) },
      );
}

/**
 * Runs `work` for the household that has the thing: the named one, else each in turn until one does not answer
 * `not_found`.
 */
export async function findInHouseholds<T>(
  caller: McpCaller,
  exchange: string | undefined,
  work: (principal: Principal) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (exchange !== undefined || !hasSeveral(caller)) {
    const member = findMember(caller, exchange);
    return member.ok ? await work(member.value) : member;
  }
  let found = await work(caller.principals[0]);
  for (const principal of caller.principals.slice(1)) {
    if (found.ok || found.error.code !== "not_found") return found;
    found = await work(principal);
  }
  return found;
}
