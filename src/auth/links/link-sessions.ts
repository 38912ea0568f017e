/**
 * The session that a browser gets for a link: one cookie for each thread, so that several are open side by side, with
 * the link's claims and its lifetime. A ref is its household's own, so the name tells both.
 */
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import { cookie, cookiesOf } from "../people/cookies.ts";
import { sha256 } from "../hash.ts";
import { linkDead } from "./inactive-link.ts";
import { bearerOfLink, type LinkInput, makeLink, readLink, type ReadLink } from "./links.ts";
import type { Principal } from "../principal.ts";
import { unauthenticated } from "../unauthenticated.ts";

const PREFIX = "__Host-mess-respond-";

/** Cookies of one browser: more would make requests larger than servers take them. The oldest go. */
const MOST_SESSIONS = 16;

/** What a request that acts by a cookie must say of itself: no other site can make a browser send it. */
const CLIENT_HEADER = "X-MESS-Client";
const CLIENT = "respond";
/** Which of several households' threads of the same ref is meant. */
const SESSION_HEADER = "X-MESS-Session";

const SAFE = ["GET", "HEAD", "OPTIONS"];

const digest = async (text: string): Promise<string> => (await sha256(text)).slice(0, 12);

/** Tells the household of a session to the page without its name: goes back as `X-MESS-Session` or `session`. */
export const sessionId = (household: string): Promise<string> => digest(household);

const cookieName = async (household: string, ref: string): Promise<string> =>
  `${PREFIX}${await digest(ref)}-${await sessionId(household)}`;

/** The `Set-Cookie` values that begin the session, and end the oldest where the browser has too many. */
export async function beginLinkSession(
  secret: string,
  request: Request,
  link: LinkInput,
): Promise<string[]> {
  const name = await cookieName(link.household, link.ref);
  const value = await makeLink(secret, link, "session");
  const seconds = Math.max(0, link.expires - Math.floor(Date.now() / 1_000));
  const others = cookiesOf(request).filter(([one]) => one.startsWith(PREFIX) && one !== name);
  // Browsers list cookies of the same path oldest first (RFC 6265, 5.4).
  const dropped = others.slice(0, Math.max(0, others.length + 1 - MOST_SESSIONS));
  return [
    cookie(name, value, seconds, "Strict"),
    ...dropped.map(([one]) => cookie(one, "", 0, "Strict")),
  ];
}

/** The `Set-Cookie` values that forget the thread's sessions; all of them where `session` does not say which. */
export async function endLinkSession(
  request: Request,
  ref: string,
  session: string | undefined,
): Promise<string[]> {
  const cookies = await cookiesFor(request, ref, session);
  return cookies.map(([name]) => cookie(name, "", 0, "Strict"));
}

async function cookiesFor(
  request: Request,
  ref: string,
  session: string | undefined,
): Promise<[string, string][]> {
  const prefix = `${PREFIX}${await digest(ref)}-`;
  return cookiesOf(request).filter(([name]) =>
    session === undefined ? name.startsWith(prefix) : name === `${prefix}${session}`,
  );
}

/** Which session the request means, where it says so. */
export const namedSession = (request: Request): string | undefined =>
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
  const cookies = await cookiesFor(request, ref, namedSession(request));
  const links = (await linksIn(secret, cookies)).filter((link) => link.ref === ref);
  const [link, ...others] = links.filter(({ expired }) => !expired);
  if (!link) return links.length > 0 ? linkDead("expired") : unauthenticated();
  const unsafe = unsafeFault(request);
  if (unsafe) return fail(unsafe);
  if (others.length > 0)
    return refuse(
      "ambiguous_ref",
      "this browser has links to threads of this ref in several households",
      `Send the header ${SESSION_HEADER} with the session that the link was exchanged for.`,
    );
  return ok(bearerOfLink(link));
}

/** A refusal for what acts by a cookie and does not say that our own page sent it. */
export const unsafeFault = (request: Request): MessError | undefined =>
  SAFE.includes(request.method) || request.headers.get(CLIENT_HEADER) === CLIENT
    ? undefined
    : {
        code: "unsafe_message",
        message: "a browser's session acts only for the exchange's own page",
        hint: `Send the header ${CLIENT_HEADER}: ${CLIENT}.`,
      };

/** The links for which the browser has a session, dead or alive; at most as many as it may keep. */
export const linkSessionsOf = (secret: string, request: Request): Promise<ReadLink[]> =>
  linksIn(
    secret,
    cookiesOf(request)
      .filter(([name]) => name.startsWith(PREFIX))
      .slice(-MOST_SESSIONS),
  );

async function linksIn(
  secret: string,
  cookies: readonly (readonly [string, string])[],
): Promise<ReadLink[]> {
  const read = await Promise.all(cookies.map(([, value]) => readLink(secret, value, "session")));
  return read.filter((link) => link !== undefined);
}
