/** Authenticates callers by their credential, and limits their rate. No other code decides who a caller is (decision 35). */
import type { WorkerSecret } from "./worker-secret.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { authenticateGrant } from "./oauth/access-tokens.ts";
import type { McpPath } from "./oauth/resources.ts";
import { authenticateKey } from "./api-keys.ts";
import { authenticateCallback } from "./callbacks/callback-caller.ts";
import { verifyLink } from "./links/links.ts";
import type { Principal } from "./principal.ts";
import { getCallerAddress } from "./rates/caller-address.ts";
import type { RateBindings } from "./rates/request-rate.ts";
import { admitCaller } from "./suspension.ts";
import { refuseUnauthenticated } from "./unauthenticated.ts";

type AuthBindings = Pick<Env, "HOUSEHOLDS" | "INDEX" | "STRANGERS"> & RateBindings;

/** Admits the members of a grant; those of suspended households are left out unless there are no others. */
async function admitMembers(
  env: AuthBindings,
  principals: readonly Principal[],
): Promise<Outcome<readonly [Principal, ...Principal[]]>> {
  const admitted: Principal[] = [];
  let suspended: Outcome<never> = refuseUnauthenticated();
  for (const principal of principals) {
    const allowed = await admitCaller(env, principal);
    if (allowed.ok) admitted.push(principal);
    else if (allowed.error.code === "household_suspended") suspended = allowed;
    else return allowed;
  }
  const [first, ...others] = admitted;
  return first ? ok([first, ...others]) : suspended;
}

/** The calls for which a credential is used: `messages` for message sources, `all` for everything else. */
export type CredentialUse = "all" | "messages";

/** A credential that is limited to message sources can be used for nothing else. */
const checkUse = (use: CredentialUse, { paths }: Principal): Outcome<true> =>
  paths === undefined || use === "messages"
    ? ok(true)
    : refuse(
        "wrong_role",
        "this credential is limited to message sources",
        "Use it for message sources only, or ask an owner for another key.",
      );

/**
 * Authenticates a member by its API key.
 * @param use a key that is limited to message sources is refused unless it is `messages`
 */
export async function authenticateMember(
  env: AuthBindings,
  request: Request,
  token: string | undefined,
  use: CredentialUse = "all",
): Promise<Outcome<Principal>> {
  if (token === undefined) return refuseUnauthenticated();
  const member = await authenticateKey(env, token, getCallerAddress(request));
  if (!member.ok) return member;
  const admitted = await admitCaller(env, member.value);
  if (!admitted.ok) return admitted;
  const usable = checkUse(use, member.value);
  return usable.ok ? member : usable;
}

/** Authenticates a member by its API key, or the bearer of a link or callback token, who is limited to one thread. */
export async function authenticateVisitor(
  env: AuthBindings,
  secret: WorkerSecret,
  request: Request,
  token: string | undefined,
): Promise<Outcome<Principal>> {
  if (token?.split(".").length !== 3) return await authenticateMember(env, request, token);
  const link = await verifyLink(secret, token);
  if (!link.ok && link.error.code === "unauthenticated") {
    const caller = await authenticateCallback(env, secret, token);
    return caller.ok ? ok(caller.value.principal) : caller;
  }
  const admitted = link.ok ? await admitCaller(env, link.value) : link;
  return admitted.ok ? link : admitted;
}

/**
 * Authenticates a caller as all of its members: one for an API key, one per household for an OAuth access token.
 * @param paths of the request's origin; the access token must have been issued for one of them (RFC 8707)
 */
export async function authenticateCaller(
  env: Env,
  paths: readonly McpPath[],
  request: Request,
  token: string | undefined,
  use: CredentialUse = "all",
): Promise<Outcome<readonly [Principal, ...Principal[]]>> {
  if (token === undefined) return refuseUnauthenticated();
  if (!token.startsWith("mess_")) {
    const { origin } = new URL(request.url);
    const members = await authenticateGrant(env, origin, paths, token);
    if (!members.ok) return members;
    const usable = members.value.map((one) => checkUse(use, one)).find(({ ok: may }) => !may);
    return usable && !usable.ok ? usable : await admitMembers(env, members.value);
  }
  const member = await authenticateMember(env, request, token, use);
  return member.ok ? ok([member.value]) : member;
}
