/**
 * Browser sessions of people: an encrypted cookie with one secret per household in which the person is signed in. Each
 * household stores the digest of its secret, so it can end the session alone. The encryption only protects the list
 * from being read or changed.
 */
import type { WorkerSecret } from "../worker-secret.ts";
import { getHouseholdStub } from "../../stubs.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { SignedInMember } from "../../contracts/identity.ts";
import { writeCookie, readCookie } from "./cookies.ts";
import { generateSecret, hashSha256 } from "../hash.ts";
import { isSuspended } from "../suspension.ts";
import { type Seal, seal, unseal } from "./sealed-cookies.ts";

/** The prefix `__Host-` restricts the cookie to this host and to HTTPS. */
const COOKIE_NAME = "__Host-mess-session";

/** The households' rows have the same lifetime. */
const SESSION_SECONDS = 30 * 86_400;
/** Browsers do not store larger cookies. */
const MAX_HOUSEHOLDS = 12;

const membershipsSchema = z
  .array(
    z.object({
      household: boundedTextSchema(LIMITS.nameChars),
      secret: boundedTextSchema(LIMITS.tokenChars),
    }),
  )
  .max(MAX_HOUSEHOLDS);

type SealedMembership = z.output<typeof membershipsSchema>[number];

const SESSION_SEAL: Seal<SealedMembership[]> = {
  purpose: "session",
  schema: membershipsSchema,
  lifetimeSeconds: SESSION_SECONDS,
};

/** A household in which the browser's person is signed in, as the household reports it now. */
export interface Membership extends SignedInMember {
  household: string;
  /** Digest by which the household knows the session. */
  session: string;
}

type HouseholdBindings = Pick<Env, "HOUSEHOLDS">;

/**
 * The memberships of the request's browser, newest first, without suspended households; empty if it is not signed in.
 * @param among selects the households to ask; all of the session's if absent
 */
export async function readSession(
  env: HouseholdBindings,
  secret: WorkerSecret,
  request: Request,
  among: (household: string, session: string) => Promise<boolean> = async () => true,
): Promise<Membership[]> {
  const found = await Promise.all(
    (await unsealMemberships(secret, request)).map(async ({ household, secret: own }) => {
      const session = await hashSha256(own);
      if (!(await among(household, session)) || (await isSuspended(env, household))) return [];
      const person = await getHouseholdStub(env, household).identity.readSession(session);
      return person.ok ? [{ household, session, ...person.value }] : [];
    }),
  );
  return found.flat();
}

/** Creates the secret of a new session in one household, and the digest that the household stores. */
export async function createSession(): Promise<{ secret: string; session: string }> {
  const secret = generateSecret();
  return { secret, session: await hashSha256(secret) };
}

/** A cookie with these memberships followed by the browser's earlier ones, each household once. */
export async function addToSession(
  secret: WorkerSecret,
  request: Request,
  added: readonly SealedMembership[],
): Promise<string> {
  const others = (await unsealMemberships(secret, request)).filter(
    ({ household }) => !added.some((one) => one.household === household),
  );
  const all = [...added, ...others].slice(0, MAX_HOUSEHOLDS);
  return writeCookie(COOKIE_NAME, await seal(secret, SESSION_SEAL, all), SESSION_SECONDS);
}

/** Ends the session in every household; returns the `Set-Cookie` value that deletes the cookie. */
export async function endSession(
  env: HouseholdBindings,
  secret: WorkerSecret,
  request: Request,
): Promise<string> {
  await Promise.all(
    (await unsealMemberships(secret, request)).map(async ({ household, secret: own }) =>
      getHouseholdStub(env, household).identity.endSession(await hashSha256(own)),
    ),
  );
  return writeCookie(COOKIE_NAME, "", 0);
}

const unsealMemberships = async (
  secret: WorkerSecret,
  request: Request,
): Promise<SealedMembership[]> =>
  (await unseal(secret, SESSION_SEAL, readCookie(request, COOKIE_NAME)))?.value ?? [];
