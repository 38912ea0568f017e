/**
 * Passkeys: builds the prompts for the browser, and verifies its responses. The user handle of a credential names its
 * household, so no table of passkeys outside of the households is needed.
 */
import type { WorkerSecret } from "../worker-secret.ts";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { base64url } from "jose";
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { StoredPasskey } from "../../contracts/identity.ts";
import { hasAllowedAttestation } from "./attestation.ts";
import { HOUSEHOLD_ID_PATTERN } from "../known-households.ts";
import { writeCookie, readCookie } from "./cookies.ts";
import { hashSha256 } from "../hash.ts";
import { loadOnce } from "./load-once.ts";
import { type Seal, seal, unseal } from "./sealed-cookies.ts";
import type { Membership } from "./browser-session.ts";
import { stripEnd } from "../../mess/strip.ts";

/** Loaded on first use, since the library would dominate the Worker's start time. */
const loadLibrary = loadOnce(() => import("@simplewebauthn/server"));

const COOKIE_NAME = "__Host-mess-challenge";

interface Challenge {
  for: "sign-in" | "registration";
  challenge: string;
}

const CHALLENGE_SEAL: Seal<Challenge> = {
  purpose: "challenge",
  schema: z.object({
    for: z.enum(["sign-in", "registration"]),
    challenge: boundedTextSchema(1_024),
  }),
  lifetimeSeconds: 300,
};

/** The options for the browser, and the cookie that stores the challenge. */
export interface PasskeyPrompt<T> {
  options: T;
  cookie: string;
}

async function buildPrompt<T extends { challenge: string }>(
  secret: WorkerSecret,
  purpose: Challenge["for"],
  options: T,
): Promise<PasskeyPrompt<T>> {
  const token = await seal(secret, CHALLENGE_SEAL, { for: purpose, challenge: options.challenge });
  return { options, cookie: writeCookie(COOKIE_NAME, token, CHALLENGE_SEAL.lifetimeSeconds) };
}

/** The challenge that this browser got for the purpose, and its expiry. */
async function readChallenge(secret: WorkerSecret, request: Request, purpose: Challenge["for"]) {
  const challenge = await unseal(secret, CHALLENGE_SEAL, readCookie(request, COOKIE_NAME));
  return challenge?.value.for === purpose
    ? { challenge: challenge.value.challenge, expires: challenge.expires }
    : undefined;
}

/** Household ids use the base64url alphabet: 64 characters encode 48 bytes of the 64 allowed, which leaves 16. */
const PADDED_HOUSEHOLD_CHARS = 64;

async function buildUserHandle({ household, actor }: Membership): Promise<Uint8Array<ArrayBuffer>> {
  const person = (await hashSha256(`${household}/${actor}`)).slice(0, 16);
  const handle = new Uint8Array(PADDED_HOUSEHOLD_CHARS);
  handle.set(base64url.decode(household.padEnd(PADDED_HOUSEHOLD_CHARS, "_")));
  handle.set(new TextEncoder().encode(person), 48);
  return handle;
}

/** The household in a credential's user handle. */
function readHandleHousehold(handle: string | undefined): string | undefined {
  const household = stripEnd(handle?.slice(0, PADDED_HOUSEHOLD_CHARS) ?? "", "_");
  return HOUSEHOLD_ID_PATTERN.test(household) ? household : undefined;
}

export async function promptForPasskey(
  secret: WorkerSecret,
  hostname: string,
): Promise<PasskeyPrompt<PublicKeyCredentialRequestOptionsJSON>> {
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    rpID: hostname,
    userVerification: "required",
  });
  return await buildPrompt(secret, "sign-in", options);
}

/** Options to create a passkey for the person in the first of its memberships. */
export async function promptForNewPasskey(
  secret: WorkerSecret,
  hostname: string,
  first: Membership,
  known: readonly StoredPasskey[],
): Promise<PasskeyPrompt<PublicKeyCredentialCreationOptionsJSON>> {
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    rpName: "MESS exchange",
    rpID: hostname,
    userName: `${first.actor} (${first.household_name})`,
    userDisplayName: first.actor,
    userID: await buildUserHandle(first),
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return await buildPrompt(secret, "registration", options);
}

/** The new passkey, if the browser created it for this challenge at this origin. */
export async function readNewPasskey(
  secret: WorkerSecret,
  request: Request,
  response: unknown,
): Promise<
  | {
      passkey: Pick<StoredPasskey, "id" | "public_key" | "counter" | "transports">;
      answered: { challenge: string; expires: number };
    }
  | undefined
> {
  const challenge = await readChallenge(secret, request, "registration");
  if (!challenge) return undefined;
  const { origin, hostname } = new URL(request.url);
  const { verifyRegistrationResponse } = await loadLibrary();
  const registration = response as RegistrationResponseJSON;
  try {
    if (!(await hasAllowedAttestation(registration.response.attestationObject))) return undefined;
    const verified = await verifyRegistrationResponse({
      response: registration,
      expectedChallenge: challenge.challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
    });
    if (!verified.verified) return undefined;
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    return { passkey: { id, public_key: publicKey, counter, transports }, answered: challenge };
  } catch {
    // The library throws for malformed responses.
    return undefined;
  }
}

const assertionSchema = z.object({
  id: boundedTextSchema(1_024).min(1),
  response: z.object({ userHandle: boundedTextSchema(LIMITS.nameChars).optional() }),
});

/** The household and credential that a response names; unverified until `verifyPasskey`. */
export function readPasskeyClaim(response: unknown): { household: string; id: string } | undefined {
  const read = assertionSchema.safeParse(response);
  const household = readHandleHousehold(read.data?.response.userHandle);
  return read.success && household !== undefined ? { household, id: read.data.id } : undefined;
}

/** Verifies that this passkey signed the challenge; returns the passkey's usage counter. */
export async function verifyPasskey(
  secret: WorkerSecret,
  request: Request,
  response: unknown,
  { id, public_key, counter }: StoredPasskey,
): Promise<{ counter: number; answered: { challenge: string; expires: number } } | undefined> {
  const challenge = await readChallenge(secret, request, "sign-in");
  if (!challenge) return undefined;
  const { origin, hostname } = new URL(request.url);
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge.challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      credential: { id, publicKey: public_key, counter },
      requireUserVerification: true,
    });
    return verified ? { counter: authenticationInfo.newCounter, answered: challenge } : undefined;
  } catch {
    return undefined;
  }
}
