/** The caller: one member for an API key; one membership per household for a person who signed in. */
import type { Principal } from "../../auth/principal.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";

export interface McpCaller {
  /** At least one; the first is the default if a call names no household. */
  readonly principals: readonly [Principal, ...Principal[]];
  /** Whether the credential is still valid for these households: checked again while a stream is open. */
  isValid(): Promise<boolean>;
}

export const hasSeveral = ({ principals }: McpCaller): boolean => principals.length > 1;

/** Returns the membership that `exchange` names, checked against the grant; the first one if it is absent. */
export function findMember(
  { principals }: McpCaller,
  exchange: string | undefined,
): Outcome<Principal> {
  if (exchange === undefined) return ok(principals[0]);
  const principal = principals.find(({ household }) => household === exchange);
  return principal
    ? ok(principal)
    : refuse(
        "bad_parameter",
        "exchange: you have no access to this household",
        "Name a household that you have access to, or omit exchange.",
        { valid: principals.map(({ household }) => household) },
      );
}

/** Runs `work` for the named household, or for each in turn until one does not return `not_found`. */
export async function findInHouseholds<T>(
  caller: McpCaller,
  exchange: string | undefined,
  work: (principal: Principal) => Promise<Outcome<T>>,
  isElsewhere = isThreadElsewhere,
): Promise<Outcome<T>> {
  if (exchange !== undefined || !hasSeveral(caller)) {
    const member = findMember(caller, exchange);
    return member.ok ? await work(member.value) : member;
  }
  let found = await work(caller.principals[0]);
  for (const principal of caller.principals.slice(1)) {
    if (found.ok || !isElsewhere(found.error)) return found;
    found = await work(principal);
  }
  return found;
}

/** The household has no such thread. An error that lists what the thread has is about a part of the thread. */
const isThreadElsewhere = ({ code, valid }: MessError): boolean =>
  code === "not_found" && valid === undefined;
