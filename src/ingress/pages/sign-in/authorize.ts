/**
 * The OAuth authorization endpoint: checks a client's request, signs the person in, asks for consent and redirects
 * back.
 */
import { getHouseholdStub } from "../../../stubs.ts";
import {
  AuthorizationError,
  type AuthRequest,
  authorizationErrorRedirect,
  CimdFetchError,
  type ConsentDescription,
  type OAuthHelpers,
} from "@cloudflare/workers-oauth-provider";
import { html } from "hono/html";
import { makeFormToken } from "../../../auth/people/csrf-token.ts";
import type { GrantMetadata } from "../../../auth/oauth/refresh-reuse.ts";
import type { GrantProps } from "../../../auth/oauth/grants.ts";
import { hashSha256 } from "../../../auth/hash.ts";
import { getAuthorizationServer } from "../../../auth/oauth/oauth.ts";
import { DEFAULT_MCP_PATH, isMcpPath, type McpPath } from "../../../auth/oauth/resources.ts";
import { type Role, ROLES } from "../../../auth/principal.ts";
import { isRoleWithin, getLesserRole } from "../../../auth/roles.ts";
import { scopesToRole, roleToScopes } from "../../../auth/oauth/oauth-scopes.ts";
import { type Membership, readSession } from "../../../auth/people/browser-session.ts";
import { getConfig } from "../../../config.ts";
import { log } from "../../../log.ts";
import {
  formatRedirect,
  getRedirectName,
  isAllowedRedirect,
  isOnDevice,
  isSafeClientId,
} from "./client-ids.ts";
import { loadPageTexts, type PageTextKey, type PageTexts } from "../page-texts.ts";
import { buildConsentPage } from "./consent-page.ts";
import { readForm } from "./form.ts";
import { buildMessagePage, buildPage } from "./page.ts";
import { buildRefusedPage } from "./sign-in.ts";
import { buildSignInPage } from "./sign-in-page.ts";
import { toDisplayName } from "./display-name.ts";

/** Runs a handler with the OAuth library's helpers, and shows their errors as a page. */
async function withOAuthHelpers(
  request: Request,
  env: Env,
  work: (oauth: OAuthHelpers, texts: PageTexts) => Promise<Response>,
): Promise<Response> {
  const texts = await loadPageTexts(env, request);
  const server = getAuthorizationServer(new URL(request.url).origin);
  if (!server)
    return await buildMessagePage(
      texts,
      400,
      texts.text("secure_needed"),
      texts.text("secure_needed_how"),
    );
  try {
    return await work(server.getOAuthApi(env), texts);
  } catch (error) {
    if (error instanceof AuthorizationError)
      return await buildErrorPage(texts, error.description, error.redirectTo);
    if (error instanceof CimdFetchError)
      return await buildErrorPage(texts, "The app's own description could not be read.");
    throw error;
  }
}

/**
 * Anyone can register a redirect address, so an error page never redirects there automatically: the person decides
 * (RFC 9700, section 4.11.2).
 */
const buildErrorPage = (texts: PageTexts, description: string, back?: string): Promise<Response> =>
  buildMessagePage(
    texts,
    400,
    texts.text("app_failed"),
    // The description is for the maker of the app, in English.
    html`${texts.text("app_failed_how")}<br /><bdi lang="en">${description}</bdi>`,
    back === undefined || !isAllowedRedirect(back)
      ? undefined
      : { href: back, label: texts.text("back_to", { host: getRedirectName(back) }) },
  );

export const showAuthorize = (request: Request, env: Env): Promise<Response> =>
  withOAuthHelpers(request, env, async (oauth, texts) => {
    const { origin, searchParams } = new URL(request.url);
    if (!isSafeClientId(searchParams.get("client_id") ?? "", origin))
      return await buildErrorPage(texts, "The address of the app's own description is not public.");
    const authRequest = await oauth.parseAuthRequest(request);
    if (!isAllowedRedirect(authRequest.redirectUri))
      return await buildErrorPage(texts, "It has an address to which nobody can be sent safely.");
    // The OAuth library does not require PKCE from clients with a secret.
    if (!authRequest.codeChallenge || authRequest.codeChallengeMethod !== "S256") {
      const back = authorizationErrorRedirect(authRequest, "invalid_request");
      return await buildErrorPage(texts, "It must use PKCE with code_challenge_method S256.", back);
    }
    const client = await oauth.describeConsent(authRequest);
    const { secret } = getConfig(env);
    const memberships = await readSession(env, secret, request);
    const form = await makeFormToken(secret, request);
    if (memberships.length === 0) {
      const { hostname, pathname, search } = new URL(request.url);
      const purpose = texts.text("sign_in_for_app", { name: toDisplayName(client.clientName) });
      return await buildSignInPage({
        texts,
        form,
        hostname,
        purpose,
        next: `${pathname}${search}`,
      });
    }
    const { handle, headers } = await oauth.beginConsent(authRequest);
    const requestedRole = scopesToRole(authRequest.scope) ?? "agent";
    const cookies = headers.getSetCookie();
    return await buildConsentPage({
      texts,
      client,
      path: getMcpPath(authRequest),
      handle,
      form,
      cookies,
      memberships,
      requestedRole,
    });
  });

/** The form is identified by its consent handle, which is bound to a cookie of this browser and works once. */
export const handleDecision = (request: Request, env: Env): Promise<Response> =>
  withOAuthHelpers(request, env, async (oauth, texts) => {
    const form = await readForm(request, undefined);
    if (!form.ok) return await buildRefusedPage(texts, form.error);
    const handle = form.value.get("handle") ?? "";
    if (form.value.get("decision") !== "allow") {
      const { redirectTo, headers } = await oauth.denyConsent(request, handle);
      return await buildContinuePage(texts, "access_denied", redirectTo, headers);
    }
    const memberships = await readSession(env, getConfig(env).secret, request);
    const chosen = memberships.flatMap((membership) => readChoice(membership, form.value));
    if (chosen.length === 0)
      return await buildMessagePage(
        texts,
        400,
        texts.text("choose_household"),
        texts.text("choose_household_how"),
      );
    const grantedRole = ROLES.find((role) => chosen.some((one) => one.role === role)) ?? "executor";
    const approved = await oauth.approveConsent(request, handle, {
      scope: roleToScopes(grantedRole),
    });
    const client = await oauth.describeConsent(approved.request);
    const redirectTo = await createGrants(
      env,
      oauth,
      approved.request,
      client,
      memberships,
      chosen,
    );
    return redirectTo === undefined
      ? await buildMessagePage(texts, 401, texts.text("signed_out"), texts.text("signed_out_how"))
      : await buildContinuePage(texts, "access_given", redirectTo, approved.headers);
  });

interface Choice {
  membership: Membership;
  role: Role;
}

/** Reads the chosen memberships from the form; only those of the session can be named. */
function readChoice(membership: Membership, form: URLSearchParams): Choice[] {
  if (!form.getAll("household").includes(membership.household)) return [];
  const given = form.get(`role-${membership.household}`);
  const role = ROLES.find((one) => one === given) ?? "executor";
  return isRoleWithin(role, membership.role) ? [{ membership, role }] : [];
}

/** Stores the grant in each household, then creates the code; undefined if the session ended in the meantime. */
async function createGrants(
  env: Env,
  oauth: OAuthHelpers,
  request: AuthRequest,
  client: ConsentDescription,
  memberships: readonly Membership[],
  chosen: readonly Choice[],
): Promise<string | undefined> {
  const id = crypto.randomUUID();
  const client_id = buildClientId(client, request);
  const grantedMemberships: GrantProps["memberships"] = [];
  const replaced: string[] = [];
  for (const { membership, role } of chosen) {
    const { household, session } = membership;
    const granted = await getHouseholdStub(env, household).identity.createGrant(session, {
      id,
      client_id,
      client: toDisplayName(client.clientName),
      host: formatRedirect(client),
      label: buildClientLabel(client),
      role,
    });
    if (!granted.ok) continue;
    const { actor, role: givenRole } = granted.value;
    grantedMemberships.push({ household, actor, role: givenRole });
    replaced.push(...granted.value.replaced);
  }
  if (grantedMemberships.length < chosen.length) {
    await Promise.all(
      grantedMemberships.map(({ household, actor }) =>
        getHouseholdStub(env, household).identity.revokeGrant(id, { actor, credential: "session" }),
      ),
    );
    return undefined;
  }
  const left = memberships.filter(
    ({ household }) => !grantedMemberships.some((one) => one.household === household),
  );
  // Only grants that overlap with this one: a grant for other households is another connector of the same account.
  if (replaced.length > 0)
    await Promise.all(
      left.map(({ household, session }) =>
        getHouseholdStub(env, household).identity.endReplacedGrants(session, replaced),
      ),
    );
  for (const { household, actor, role } of grantedMemberships)
    log("grant_given", { household, actor, role, grant: id });
  const { redirectTo } = await oauth.completeAuthorization({
    request,
    userId: await buildUserId(chosen),
    metadata: {
      grant: id,
      households: grantedMemberships.map(({ household }) => household),
    } satisfies GrantMetadata,
    scope: roleToScopes(grantedMemberships.map(({ role }) => role).reduce(getGreaterRole)),
    props: { grant: id, memberships: grantedMemberships } satisfies GrantProps,
  });
  return redirectTo;
}

const getGreaterRole = (one: Role, other: Role): Role =>
  getLesserRole(one, other) === one ? other : one;

/** The OAuth library accepts the addresses of the MCP server only. */
function getMcpPath({ resource }: AuthRequest): McpPath {
  const { pathname } = new URL(String(resource));
  if (!isMcpPath(pathname)) throw new Error("the resource is no address of the MCP server");
  return pathname;
}

/**
 * A published client has one id for all its installations; the redirect address tells them apart, as in the OAuth
 * library. Grants for different resources are separate connectors, so one does not replace the other.
 */
function buildClientId(
  { clientId, clientDomain, redirectUri }: ConsentDescription,
  request: AuthRequest,
): string {
  const path = getMcpPath(request);
  return [
    clientId,
    ...(clientDomain === undefined ? [] : [redirectUri]),
    ...(path === DEFAULT_MCP_PATH ? [] : [path]),
  ].join(" ");
}

/**
 * The name of the member as which a client acts. The redirect host is the only verified property of a client;
 * programs on a person's own machine have only the name that they claim.
 */
const buildClientLabel = (client: ConsentDescription): string =>
  isOnDevice(client)
    ? `local-${toDisplayName(client.clientName).slice(0, 24)}`
    : client.redirectHost;

/**
 * The user id for the OAuth library, which keeps one grant per client, resource and user: the person in the first
 * chosen household.
 */
async function buildUserId(chosen: readonly Choice[]): Promise<string> {
  const [first] = chosen
    .map(({ membership: { household, actor } }) => `${household}/${actor}`)
    .toSorted();
  return (await hashSha256(first ?? "")).slice(0, 32);
}

const buildContinuePage = (
  texts: PageTexts,
  title: PageTextKey,
  redirectTo: string,
  headers: Headers,
): Promise<Response> =>
  buildPage({
    texts,
    title: texts.text(title),
    continueTo: redirectTo,
    cookies: headers.getSetCookie(),
    body: html`<h1>${texts.text(title)}</h1>
      <p>${texts.rich("going_back", { host: getRedirectName(redirectTo) })}</p>
      <p class="actions"><a class="button" href="${redirectTo}">${texts.text("proceed")}</a></p>`,
  });
