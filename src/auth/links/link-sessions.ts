/**
 * The session that a browser gets for a link: one cookie for each thread, so that several are open side by side, with
 * the link's claims and its lifetime. A ref is its household's own, so the name tells both.
 */
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import { writeCookie, readCookies } from "../people/cookies.ts";
import { sha256 } from "../hash.ts";
import { refuseInactiveLink } from "./inactive-link.ts";
import { toLinkPrincipal, type LinkInput, makeLink, readLink, type VerifiedLink } from "./links.ts";
import type { Principal } from "../principal.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";

const COOKIE_PREFIX = "__Host-mess-respond-";

/** Cookies of one browser: more would make requests larger than servers take them. The oldest go. */
const MAX_SESSIONS = 16;

/** What a request that acts by a cookie must say of itself: no other site can make a browser send it. */
const CLIENT_HEADER = "X-MESS-Client";
const RESPOND_CLIENT = "respond";
/** Which of several households' threads of the same ref is meant. */
const SESSION_HEADER = "X-MESS-Session";

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

const hashShort = async (text: string): Promise<string> => (await sha256(text)).slice(0, 12);

/** Tells the household of a session to the page without its name: goes back as `X-MESS-Session` or `session`. */
export const buildSessionId = (household: string): Promise<string> => hashShort(household);

const buildCookieName = async (household: string, ref: string): Promise<string> =>
  `${COOKIE_PREFIX}${await hashShort(ref)}-${await buildSessionId(household)}`;

/** The `Set-Cookie` values that begin the session, and end the oldest where the browser has too many. */
export async function beginLinkSession(
  secret: string,
  request: Request,
  link: LinkInput,
): Promise<string[]> {
  const name = await buildCookieName(link.household, link.ref);
  const value = await makeLink(secret, link, "session");
  const seconds = Math.max(0, link.expires - Math.floor(Date.now() / 1_000));
  const others = readCookies(request).filter(
    ([one]) => one.startsWith(COOKIE_PREFIX) && one !== name,
  );
  // Browsers list cookies of the same path oldest first (RFC 6265, 5.4).
  const dropped = others.slice(0, Math.max(0, others.length + 1 - MAX_SESSIONS));
  return [
    writeCookie(name, value, seconds, "Strict"),
    ...dropped.map(([one]) => writeCookie(one, "", 0, "Strict")),
  ];
}

/** The `Set-Cookie` values that forget the thread's sessions; all of them where `session` does not say which. */
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

/** Which session the request means, where it says so. */
export const readSessionName = (request: Request): string | undefined =>
  request.headers.get(SESSION_HEADER) ??
  new URL(request.url).searchParams.get("session") ??
  undefined;

/**
 * The bearer of the link whose session the browser has for this thread. What is not read only must carry
 * `X-MESS-Client: respond`; two households' threads of the same ref must be told apart by `X-MESS-Session`.
 */
export async function authenticateLinkSession(
  secret: string,
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
      "this browser has links to threads of this ref in several households",
      `Send the header ${SESSION_HEADER} with the session that the link was exchanged for.`,
    );
  return ok(toLinkPrincipal(link));
}

/** A refusal for what acts by a cookie and does not say that our own page sent it. */
export const checkClientHeader = (request: Request): MessError | undefined =>
  SAFE_METHODS.includes(request.method) || request.headers.get(CLIENT_HEADER) === RESPOND_CLIENT
    ? undefined
    : {
        code: "unsafe_message",
        message: "a browser's session acts only for the exchange's own page",
        hint: `Send the header ${CLIENT_HEADER}: ${RESPOND_CLIENT}.`,
      };

/** The links for which the browser has a session, dead or alive; at most as many as it may keep. */
export const readLinkSessions = (secret: string, request: Request): Promise<VerifiedLink[]> =>
  readLinks(
    secret,
    readCookies(request)
      .filter(([name]) => name.startsWith(COOKIE_PREFIX))
      .slice(-MAX_SESSIONS),
  );

async function readLinks(
  secret: string,
  cookies: readonly (readonly [string, string])[],
): Promise<VerifiedLink[]> {
  const read = await Promise.all(cookies.map(([, value]) => readLink(secret, value, "session")));
  return read.filter((link) => link !== undefined);
}
