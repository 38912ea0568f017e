/** The authorization endpoint: a client's request, its person's sign-in and decision, and the way back. */
import { householdStub } from "../../../stubs.ts";
import {
  AuthorizationError,
  type AuthRequest,
  authorizationErrorRedirect,
  CimdFetchError,
  type ConsentDescription,
  type OAuthHelpers,
} from "@cloudflare/workers-oauth-provider";
import { html } from "hono/html";
import { formToken } from "../../../auth/people/csrf-token.ts";
import type { GrantProps } from "../../../auth/oauth/grants.ts";
import { sha256 } from "../../../auth/hash.ts";
import { authorizationServer } from "../../../auth/oauth/oauth.ts";
import { type Role, ROLES } from "../../../auth/principal.ts";
import { isWithin, lesser } from "../../../auth/roles.ts";
import { roleOfScopes, scopesOfRole } from "../../../auth/oauth/oauth-scopes.ts";
import { type Membership, sessionOf } from "../../../auth/people/browser-session.ts";
import { configOf } from "../../../config.ts";
import { log } from "../../../log.ts";
import { consentPage } from "./consent-page.ts";
import { readForm } from "./form.ts";
import { message, page } from "./page.ts";
import { refusedPage } from "./sign-in.ts";
import { signInPage } from "./sign-in-page.ts";
import { visible } from "./display-name.ts";

/** Runs a handler with the library's helpers, and shows what they refuse. */
async function withHelpers(
  request: Request,
  env: Env,
  act: (oauth: OAuthHelpers) => Promise<Response>,
): Promise<Response> {
  const server = authorizationServer(new URL(request.url).origin);
  if (!server)
    return await message(
      400,
      "Not in clear",
      "Apps are connected over https only, or on this machine.",
    );
  try {
    return await act(server.getOAuthApi(env));
  } catch (error) {
    if (error instanceof AuthorizationError)
      return await faultPage(error.description, error.redirectTo);
    if (error instanceof CimdFetchError)
      return await faultPage("What the app publishes about itself could not be read.", undefined);
    throw error;
  }
}

/**
 * Strangers can register any address, so nobody is sent on to it for a mere mistake: the person decides
 * (RFC 9700, section 4.11.2).
 */
const faultPage = (description: string, back: string | undefined): Promise<Response> =>
  message(
    400,
    "This app cannot be connected",
    description,
    back === undefined ? undefined : { href: back, label: `Back to ${new URL(back).hostname}` },
  );

export const showAuthorize = (request: Request, env: Env): Promise<Response> =>
  withHelpers(request, env, async (oauth) => {
    const asked = await oauth.parseAuthRequest(request);
    // The library lets clients with a secret go without.
    if (!asked.codeChallenge || asked.codeChallengeMethod !== "S256") {
      const back = authorizationErrorRedirect(asked, "invalid_request");
      return await faultPage("It must use PKCE with code_challenge_method S256.", back);
    }
    const client = await oauth.describeConsent(asked);
    const { secret } = configOf(env);
    const memberships = await sessionOf(env, secret, request);
    const form = await formToken(secret, request);
    if (memberships.length === 0) {
      const { hostname, pathname, search } = new URL(request.url);
      const purpose = `To decide whether “${visible(client.clientName)}” may act for you.`;
      return await signInPage({ form, hostname, purpose, next: `${pathname}${search}` });
    }
    const { handle, headers } = await oauth.beginConsent(asked);
    const wanted = roleOfScopes(asked.scope) ?? "agent";
    const cookies = headers.getSetCookie();
    return await consentPage({ client, handle, form, cookies, memberships, wanted });
  });

/** The form is known by the handle of its consent, which fits a cookie of this browser and works once. */
export const decide = (request: Request, env: Env): Promise<Response> =>
  withHelpers(request, env, async (oauth) => {
    const form = await readForm(request, undefined);
    if (!form.ok) return await refusedPage(form.error);
    const handle = form.value.get("handle") ?? "";
    if (form.value.get("decision") !== "allow") {
      const { redirectTo, headers } = await oauth.denyConsent(request, handle);
      return await goOn("Access was not given", redirectTo, headers);
    }
    const memberships = await sessionOf(env, configOf(env).secret, request);
    const chosen = memberships.flatMap((membership) => choiceOf(membership, form.value));
    if (chosen.length === 0)
      return await message(
        400,
        "Choose a household",
        "Go back and choose at least one household that the app gets access to, or deny it.",
      );
    const most = ROLES.find((role) => chosen.some((one) => one.role === role)) ?? "executor";
    const approved = await oauth.approveConsent(request, handle, { scope: scopesOfRole(most) });
    const client = await oauth.describeConsent(approved.request);
    const redirectTo = await give(env, oauth, approved.request, client, memberships, chosen);
    return redirectTo === undefined
      ? await message(401, "You are signed out", "Sign in again, then connect the app anew.")
      : await goOn("Access was given", redirectTo, approved.headers);
  });

interface Choice {
  membership: Membership;
  role: Role;
}

/** What the form says of one of the session's own memberships; those of others cannot be named. */
function choiceOf(membership: Membership, form: URLSearchParams): Choice[] {
  if (!form.getAll("household").includes(membership.household)) return [];
  const given = form.get(`role-${membership.household}`);
  const role = ROLES.find((one) => one === given) ?? "executor";
  return isWithin(role, membership.role) ? [{ membership, role }] : [];
}

/** Writes the grant into each household, then makes the code; undefined when the session ended meanwhile. */
async function give(
  env: Env,
  oauth: OAuthHelpers,
  request: AuthRequest,
  client: ConsentDescription,
  memberships: readonly Membership[],
  chosen: readonly Choice[],
): Promise<string | undefined> {
  const id = crypto.randomUUID();
  const client_id = clientOf(client);
  const given: GrantProps["memberships"] = [];
  for (const { membership, role } of chosen) {
    const { household, session } = membership;
    const granted = await householdStub(env, household).grant(session, {
      id,
      client_id,
      client: visible(client.clientName),
      host: client.redirectHost,
      label: labelOf(client),
      role,
    });
    if (granted.ok) given.push({ household, ...granted.value });
  }
  if (given.length < chosen.length) {
    await Promise.all(given.map(({ household }) => householdStub(env, household).revokeGrant(id)));
    return undefined;
  }
  const left = memberships.filter(
    ({ household }) => !given.some((one) => one.household === household),
  );
  await Promise.all(
    left.map(({ household, session }) =>
      householdStub(env, household).replaceGrant(session, client_id),
    ),
  );
  for (const { household, actor, role } of given)
    log("grant_given", { household, actor, role, grant: id });
  const { redirectTo } = await oauth.completeAuthorization({
    request,
    userId: await userOf(chosen),
    metadata: { grant: id },
    scope: scopesOfRole(given.map(({ role }) => role).reduce(farther)),
    props: { grant: id, memberships: given } satisfies GrantProps,
  });
  return redirectTo;
}

const farther = (one: Role, other: Role): Role => (lesser(one, other) === one ? other : one);

/** A published client has one id for all its installations; the address tells them apart, as in the library. */
const clientOf = ({ clientId, clientDomain, redirectUri }: ConsentDescription): string =>
  clientDomain === undefined ? clientId : `${clientId} ${redirectUri}`;

/**
 * Where the tokens go is the one thing of a client that is no mere claim, so it names the member as which the client
 * acts. Programs on a person's own machine have nothing better than their name.
 */
const labelOf = ({ redirectHost, redirectIsLoopback, clientName }: ConsentDescription): string =>
  redirectIsLoopback ? `local-${visible(clientName).slice(0, 24)}` : redirectHost;

/** The library's user, who has one grant for each client: the person in the first of the chosen households. */
async function userOf(chosen: readonly Choice[]): Promise<string> {
  const [first] = chosen
    .map(({ membership: { household, actor } }) => `${household}/${actor}`)
    .toSorted();
  return (await sha256(first ?? "")).slice(0, 32);
}

const goOn = (title: string, redirectTo: string, headers: Headers): Promise<Response> =>
  page({
    title,
    goOn: redirectTo,
    cookies: headers.getSetCookie(),
    body: html`<h1>${title}</h1>
      <p>You are on your way back to ${new URL(redirectTo).hostname}.</p>
      <p class="actions"><a class="button" href="${redirectTo}">Go on</a></p>`,
  });
