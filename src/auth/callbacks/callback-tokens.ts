/**
 * The token with which a machine calls back without an API key: it acts as one executor in one thread for some hours.
 * It is not stored. The thread refuses it after its end, and the household compares the binding that the token carries.
 */
import { findAccepted, getCurrent, type WorkerSecret } from "../worker-secret.ts";
import { defined } from "../../mess/defined.ts";
import { jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { getHmacKey } from "../hash.ts";

const ALGORITHM = "HS256";
const ISSUER = "mess";
const AUDIENCE = "mess:callback";
const TOKEN_TYPE = "mess-callback+jwt";
/** A separate key, so that a link is not accepted as a callback token, nor the reverse. */
const KEY_PURPOSE = "mess callback";

/** Maximum lifetime. A machine that works longer gets a new token with the next notice, or signs its callbacks. */
export const MAX_CALLBACK_SECONDS = 6 * 3_600;

export interface CallbackClaims {
  household: string;
  executor: string;
  ref: string;
  /** `CallbackCredentials.token_binding` at issue. Absent in tokens of earlier versions, which last six hours. */
  binding?: string;
}

const claimsSchema = z.object({
  sub: boundedTextSchema(LIMITS.nameChars).min(1),
  household: boundedTextSchema(LIMITS.nameChars).min(1),
  ref: boundedTextSchema(LIMITS.targetChars).min(1),
  binding: boundedTextSchema(LIMITS.nameChars).exactOptional(),
  iat: z.number().int(),
  exp: z.number().int(),
});

/**
 * @param now milliseconds since 1970
 * @returns the token, and its expiry in seconds since 1970
 */
export async function makeCallbackToken(
  secret: WorkerSecret,
  { household, executor, ref, binding }: CallbackClaims,
  now: number,
): Promise<{ token: string; expires: number }> {
  const made = Math.floor(now / 1_000);
  const expires = made + MAX_CALLBACK_SECONDS;
  const token = await new SignJWT({ household, ref, ...defined({ binding }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(executor)
    .setIssuedAt(made)
    .setExpirationTime(expires)
    .sign(await getHmacKey(getCurrent(secret), KEY_PURPOSE));
  return { token, expires };
}

/** The claims of a valid token; undefined for any token that is expired or was not issued for this use. */
export const readCallbackToken = (
  secret: WorkerSecret,
  token: string,
): Promise<CallbackClaims | undefined> => findAccepted(secret, (one) => readTokenOf(one, token));

async function readTokenOf(secret: string, token: string): Promise<CallbackClaims | undefined> {
  try {
    const { payload } = await jwtVerify(token, await getHmacKey(secret, KEY_PURPOSE), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: TOKEN_TYPE,
      requiredClaims: ["sub", "household", "ref", "iat", "exp"],
      maxTokenAge: MAX_CALLBACK_SECONDS,
    });
    const read = claimsSchema.safeParse(payload);
    // A signature proves the issuer, but not that the lifetime is one that this version grants.
    if (!read.success || read.data.exp - read.data.iat > MAX_CALLBACK_SECONDS) return undefined;
    const { household, sub, ref, binding } = read.data;
    return { household, executor: sub, ref, ...defined({ binding }) };
  } catch {
    return undefined;
  }
}
