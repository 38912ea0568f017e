/**
 * Browser sessions of links: one cookie per thread, so that several can be open side by side, with the claims and the
 * lifetime of the link. The cookie name contains ref and household, since refs are unique per household only.
 */
import type { WorkerSecret } from "../worker-secret.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import { writeCookie, readCookies } from "../people/cookies.ts";
import { hashSha256 } from "../hash.ts";
import { refuseInactiveLink } from "./inactive-link.ts";
import { toLinkPrincipal, type LinkInput, makeLink, readLink, type VerifiedLink } from "./links.ts";
import type { Principal } from "../principal.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";

const COOKIE_PREFIX = "__Host-mess-respond-";

/** Maximum number of cookies per browser, to stay below the header limits of servers. The oldest are deleted. */
const MAX_SESSIONS = 16;

/** Required for requests that change something, to prevent CSRF: other sites cannot make a browser send this header. */
const CLIENT_HEADER = "X-MESS-Client";
const RESPOND_CLIENT = "respond";
/** Selects the household if threads of several households have the same ref. */
const SESSION_HEADER = "X-MESS-Session";

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

const hashShort = async (text: string): Promise<string> => (await hashSha256(text)).slice(0, 12);

/** Identifies a session's household without naming it. The page sends it back as `X-MESS-Session` or `session`. */
export const buildSessionId = (household: string): Promise<string> => hashShort(household);

const buildCookieName = async (household: string, ref: string): Promise<string> =>
  `${COOKIE_PREFIX}${await hashShort(ref)}-${await buildSessionId(household)}`;

/**
 * Begins the session: returns the `Set-Cookie` values, including those that delete the oldest sessions above the limit.
 */
export async function beginLinkSession(
  secret: WorkerSecret,
  request: Request,
  link: LinkInput,
): Promise<string[]> {
  const name = await buildCookieName(link.household, link.ref);
  const value = await makeLink(secret, link, "session");
  const seconds = Math.max(0, link.expires - Math.floor(Date.now() / 1_000));
  const others = readCookies(request).filter(
    ([one]) => one.startsWith(COOKIE_PREFIX) && one !== name,
  );
  // Browsers list cookies of the same path oldest first (RFC 6265, section 5.4).
  const dropped = others.slice(0, Math.max(0, others.length + 1 - MAX_SESSIONS));
  return [
    writeCookie(name, value, seconds, "Strict"),
    ...dropped.map(([one]) => writeCookie(one, "", 0, "Strict")),
  ];
}

/**
 * The `Set-Cookie` values that end the thread's session in the household of `session`, or in all households without it.
 */
export async function endLinkSession(
  request: Request,
  ref: string,
  session: string | undefined,
): Promise<string[]> {
  const cookies = await findSessionCookies(request, ref, session);
  return cookies.map(([name]) => writeCookie(name, "", 0, "Strict"));
}

async function findSessionCookies(
  request: Request,
  ref: string,
  session: string | undefined,
): Promise<[string, string][]> {
  const prefix = `${COOKIE_PREFIX}${await hashShort(ref)}-`;
  return readCookies(request).filter(([name]) =>
    session === undefined ? name.startsWith(prefix) : name === `${prefix}${session}`,
  );
}

/** The session that the request names; undefined if it names none. */
export const readSessionName = (request: Request): string | undefined =>
  request.headers.get(SESSION_HEADER) ??
  new URL(request.url).searchParams.get("session") ??
  undefined;

/**
 * Authenticates the bearer of the link whose session the browser has for this thread. Requests that change something
 * need the header `X-MESS-Client: respond`; if several households have the same ref, `X-MESS-Session` selects one.
 */
export async function authenticateLinkSession(
  secret: WorkerSecret,
  request: Request,
  ref: string,
): Promise<Outcome<Principal>> {
  const cookies = await findSessionCookies(request, ref, readSessionName(request));
  const links = (await readLinks(secret, cookies)).filter((link) => link.ref === ref);
  const [link, ...others] = links.filter(({ expired }) => !expired);
  if (!link) return links.length > 0 ? refuseInactiveLink("expired") : refuseUnauthenticated();
  const unsafe = checkClientHeader(request);
  if (unsafe) return fail(unsafe);
  if (others.length > 0)
    return refuse(
      "ambiguous_ref",
      "this browser has links to threads with this ref in several households",
      `Send the header ${SESSION_HEADER} with the session that was returned for the link.`,
    );
  return ok(toLinkPrincipal(link));
}

/** A refusal for requests that change something and do not come from our own page, to prevent CSRF. */
export const checkClientHeader = (request: Request): MessError | undefined =>
  SAFE_METHODS.includes(request.method) || request.headers.get(CLIENT_HEADER) === RESPOND_CLIENT
    ? undefined
    : {
        code: "unsafe_message",
        message: "a browser session can be used from the exchange's own pages only",
        hint: `Send the header ${CLIENT_HEADER}: ${RESPOND_CLIENT}.`,
      };

/** The links for which the browser has a session, expired ones included. */
export const readLinkSessions = (secret: WorkerSecret, request: Request): Promise<VerifiedLink[]> =>
  readLinks(
    secret,
    readCookies(request)
      .filter(([name]) => name.startsWith(COOKIE_PREFIX))
      .slice(-MAX_SESSIONS),
  );

async function readLinks(
  secret: WorkerSecret,
  cookies: readonly (readonly [string, string])[],
): Promise<VerifiedLink[]> {
  const read = await Promise.all(cookies.map(([, value]) => readLink(secret, value, "session")));
  return read.filter((link) => link !== undefined);
}
