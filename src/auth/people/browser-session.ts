/**
 * The session of a browser: a sealed cookie that holds one secret for each household in which its person is signed
 * in. Each household knows the digest of its own, so that it ends a session by itself, and the seal only keeps the
 * list from being read or put together by anybody else.
 */
import { householdStub } from "../../stubs.ts";
import * as z from "zod";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { SignedIn } from "../../contracts/identity.ts";
import { cookie, cookieOf } from "./cookies.ts";
import { randomSecret, sha256 } from "../hash.ts";
import { type Seal, seal, unseal } from "./sealed-cookies.ts";

/** `__Host-`: this host alone, never in clear. */
const COOKIE = "__Host-mess-session";

/** Seconds; the households' own rows live as long. */
const LIVES = 30 * 86_400;
/** A cookie of more would not be kept by browsers. */
const MOST_HOUSEHOLDS = 12;

const memberships = z
  .array(z.object({ household: boundedText(LIMITS.name), secret: boundedText(LIMITS.tokenChars) }))
  .max(MOST_HOUSEHOLDS);

type Sealed = z.output<typeof memberships>[number];

const SESSION: Seal<Sealed[]> = { purpose: "session", schema: memberships, lives: LIVES };

/** A household in which the browser's person is signed in, as the household says now. */
export interface Membership extends SignedIn {
  household: string;
  /** Names the session to its household. */
  session: string;
}

type Households = Pick<Env, "HOUSEHOLDS">;

/**
 * The memberships of the request's browser, newest first; none where nobody is signed in.
 * @param among households that are asked; all of the session's where absent
 */
export async function sessionOf(
  env: Households,
  secret: string,
  request: Request,
  among: (household: string) => Promise<boolean> = async () => true,
): Promise<Membership[]> {
  const found = await Promise.all(
    (await unsealed(secret, request)).map(async ({ household, secret: own }) => {
      if (!(await among(household))) return [];
      const session = await sha256(own);
      const person = await householdStub(env, household).inSession(session);
      return person.ok ? [{ household, session, ...person.value }] : [];
    }),
  );
  return found.flat();
}

/** A new secret for one household's part of a session, and the digest by which the household knows it. */
export async function newSession(): Promise<{ secret: string; session: string }> {
  const secret = randomSecret();
  return { secret, session: await sha256(secret) };
}

/** The cookie with these memberships before those that the browser had; a household is named once. */
export async function addToSession(
  secret: string,
  request: Request,
  added: readonly Sealed[],
): Promise<string> {
  const others = (await unsealed(secret, request)).filter(
    ({ household }) => !added.some((one) => one.household === household),
  );
  const all = [...added, ...others].slice(0, MOST_HOUSEHOLDS);
  return cookie(COOKIE, await seal(secret, SESSION, all), LIVES);
}

/** Ends the session in every household, and yields the cookie that takes it from the browser. */
export async function endSession(
  env: Households,
  secret: string,
  request: Request,
): Promise<string> {
  await Promise.all(
    (await unsealed(secret, request)).map(async ({ household, secret: own }) =>
      householdStub(env, household).endSession(await sha256(own)),
    ),
  );
  return cookie(COOKIE, "", 0);
}

const unsealed = async (secret: string, request: Request): Promise<Sealed[]> =>
  (await unseal(secret, SESSION, cookieOf(request, COOKIE)))?.value ?? [];
