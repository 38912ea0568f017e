/**
 * The session of a browser: a sealed cookie that holds one secret for each household in which its person is signed
 * in. Each household knows the digest of its own, so that it ends a session by itself, and the seal only keeps the
 * list from being read or put together by anybody else.
 */
import { householdStub } from "../../stubs.ts";
import * as z from "zod";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { SignedInMember } from "../../contracts/identity.ts";
import { writeCookie, readCookie } from "./cookies.ts";
import { generateSecret, sha256 } from "../hash.ts";
import { type Seal, seal, unseal } from "./sealed-cookies.ts";

/** `__Host-`: this host alone, never in clear. */
const COOKIE_NAME = "__Host-mess-session";

/** Seconds; the households' own rows live as long. */
const SESSION_SECONDS = 30 * 86_400;
/** A cookie of more would not be kept by browsers. */
const MAX_HOUSEHOLDS = 12;

const membershipsSchema = z
  .array(
    z.object({ household: boundedText(LIMITS.nameChars), secret: boundedText(LIMITS.tokenChars) }),
  )
  .max(MAX_HOUSEHOLDS);

type SealedMembership = z.output<typeof membershipsSchema>[number];

const SESSION_SEAL: Seal<SealedMembership[]> = {
  purpose: "session",
  schema: membershipsSchema,
  lifetimeSeconds: SESSION_SECONDS,
};

/** A household in which the browser's person is signed in, as the household says now. */
export interface Membership extends SignedInMember {
  household: string;
  /** Names the session to its household. */
  session: string;
}

type HouseholdBindings = Pick<Env, "HOUSEHOLDS">;

/**
 * The memberships of the request's browser, newest first; none where nobody is signed in.
 * @param among households that are asked; all of the session's where absent
 */
export async function readSession(
  env: HouseholdBindings,
  secret: string,
  request: Request,
  among: (household: string) => Promise<boolean> = async () => true,
): Promise<Membership[]> {
  const found = await Promise.all(
    (await unsealMemberships(secret, request)).map(async ({ household, secret: own }) => {
      if (!(await among(household))) return [];
      const session = await sha256(own);
      const person = await householdStub(env, household).readSession(session);
      return person.ok ? [{ household, session, ...person.value }] : [];
    }),
  );
  return found.flat();
}

/** A new secret for one household's part of a session, and the digest by which the household knows it. */
export async function createSession(): Promise<{ secret: string; session: string }> {
  const secret = generateSecret();
  return { secret, session: await sha256(secret) };
}

/** The cookie with these memberships before those that the browser had; a household is named once. */
export async function addToSession(
  secret: string,
  request: Request,
  added: readonly SealedMembership[],
): Promise<string> {
  const others = (await unsealMemberships(secret, request)).filter(
    ({ household }) => !added.some((one) => one.household === household),
  );
  const all = [...added, ...others].slice(0, MAX_HOUSEHOLDS);
  return writeCookie(COOKIE_NAME, await seal(secret, SESSION_SEAL, all), SESSION_SECONDS);
}

/** Ends the session in every household, and yields the cookie that takes it from the browser. */
export async function endSession(
  env: HouseholdBindings,
  secret: string,
  request: Request,
): Promise<string> {
  await Promise.all(
    (await unsealMemberships(secret, request)).map(async ({ household, secret: own }) =>
      householdStub(env, household).endSession(await sha256(own)),
    ),
  );
  return writeCookie(COOKIE_NAME, "", 0);
}

const unsealMemberships = async (secret: string, request: Request): Promise<SealedMembership[]> =>
  (await unseal(secret, SESSION_SEAL, readCookie(request, COOKIE_NAME)))?.value ?? [];
