/**
 * Passkeys: what the browser is asked, and whether what it answers is signed by a known key. The credential names the
 * household that knows it in its user handle, so that nothing outside of households has to.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { base64url } from "jose";
import * as z from "zod";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { StoredPasskey } from "../../contracts/identity.ts";
import { HOUSEHOLD_ID } from "../api-keys.ts";
import { cookie, cookieOf } from "./cookies.ts";
import { sha256 } from "../hash.ts";
import { type Seal, seal, unseal } from "./sealed-cookies.ts";
import type { Membership } from "./browser-session.ts";
import { stripEnd } from "../../mess/strip.ts";

/** Loaded when it is first needed: it would be the largest part of every start. */
const library = () => import("@simplewebauthn/server");

const COOKIE = "__Host-mess-challenge";

interface Challenge {
  for: "sign-in" | "registration";
  challenge: string;
}

const CHALLENGE: Seal<Challenge> = {
  purpose: "challenge",
  schema: z.object({ for: z.enum(["sign-in", "registration"]), challenge: boundedText(1_024) }),
  lives: 300,
};

/** What the browser is asked, and the cookie that remembers the challenge. */
export interface Asked<T> {
  options: T;
  cookie: string;
}

async function ask<T extends { challenge: string }>(
  secret: string,
  purpose: Challenge["for"],
  options: T,
): Promise<Asked<T>> {
  const token = await seal(secret, CHALLENGE, { for: purpose, challenge: options.challenge });
  return { options, cookie: cookie(COOKIE, token, CHALLENGE.lives) };
}

/** The challenge that this browser was given for the purpose, and until when it is good. */
async function askedOf(secret: string, request: Request, purpose: Challenge["for"]) {
  const asked = await unseal(secret, CHALLENGE, cookieOf(request, COOKIE));
  return asked?.value.for === purpose
    ? { challenge: asked.value.challenge, expires: asked.expires }
    : undefined;
}

/** Household ids are written in the alphabet of base64url: 64 of its characters are 48 bytes, 16 are left. */
const HANDLE_PART = 64;

async function handleOf({ household, actor }: Membership): Promise<Uint8Array<ArrayBuffer>> {
  const person = (await sha256(`${household}/${actor}`)).slice(0, 16);
  const handle = new Uint8Array(HANDLE_PART);
  handle.set(base64url.decode(household.padEnd(HANDLE_PART, "_")));
  handle.set(new TextEncoder().encode(person), 48);
  return handle;
}

/** The household that a credential's user handle names. */
function householdIn(handle: string | undefined): string | undefined {
  const household = stripEnd(handle?.slice(0, HANDLE_PART) ?? "", "_");
  return HOUSEHOLD_ID.test(household) ? household : undefined;
}

export async function askForPasskey(
  secret: string,
  hostname: string,
): Promise<Asked<PublicKeyCredentialRequestOptionsJSON>> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: hostname,
    userVerification: "required",
  });
  return await ask(secret, "sign-in", options);
}

/** Asks the browser to make a passkey for the person, in the first of its memberships. */
export async function askForNewPasskey(
  secret: string,
  hostname: string,
  first: Membership,
  known: readonly StoredPasskey[],
): Promise<Asked<PublicKeyCredentialCreationOptionsJSON>> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: "MESS exchange",
    rpID: hostname,
    userName: `${first.actor} (${first.household_name})`,
    userDisplayName: first.actor,
    userID: await handleOf(first),
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return await ask(secret, "registration", options);
}

/** The new passkey, if the browser made it for this challenge at this origin. */
export async function readNewPasskey(
  secret: string,
  request: Request,
  response: unknown,
): Promise<
  | {
      passkey: Pick<StoredPasskey, "id" | "public_key" | "counter" | "transports">;
      answered: { challenge: string; expires: number };
    }
  | undefined
> {
  const asked = await askedOf(secret, request, "registration");
  if (!asked) return undefined;
  const { origin, hostname } = new URL(request.url);
  const { verifyRegistrationResponse } = await library();
  try {
    const verified = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: asked.challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
    });
    if (!verified.verified) return undefined;
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    return { passkey: { id, public_key: publicKey, counter, transports }, answered: asked };
  } catch {
    // The library throws for whatever a browser would not send.
    return undefined;
  }
}

const assertion = z.object({
  id: boundedText(1_024).min(1),
  response: z.object({ userHandle: boundedText(LIMITS.name).optional() }),
});

/** Which household and credential an answer names: a claim that `verifyPasskey` checks. */
export function readClaim(response: unknown): { household: string; id: string } | undefined {
  const read = assertion.safeParse(response);
  const household = householdIn(read.data?.response.userHandle);
  return read.success && household !== undefined ? { household, id: read.data.id } : undefined;
}

/** Whether the holder of this passkey answered the challenge, and how often the passkey says it was used. */
export async function verifyPasskey(
  secret: string,
  request: Request,
  response: unknown,
  { id, public_key, counter }: StoredPasskey,
): Promise<{ counter: number; answered: { challenge: string; expires: number } } | undefined> {
  const asked = await askedOf(secret, request, "sign-in");
  if (!asked) return undefined;
  const { origin, hostname } = new URL(request.url);
  const { verifyAuthenticationResponse } = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: asked.challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      credential: { id, publicKey: public_key, counter },
      requireUserVerification: true,
    });
    return verified ? { counter: authenticationInfo.newCounter, answered: asked } : undefined;
  } catch {
    return undefined;
  }
}
