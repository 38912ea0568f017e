/**
 * Links: a signed token that lets its bearer act as one executor in one thread (decision 65). Revocation goes by
 * `jti`, never by the token's text, which can be spelt in more than one way.
 */
import { jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { deriveBits } from "./hash.ts";
import { LINK_PERMISSIONS, type LinkPermission, type Principal } from "./principal.ts";
import { unauthenticated } from "./unauthenticated.ts";

const ALGORITHM = "HS256";
const ISSUER = "mess";
const AUDIENCE = "mess:link";
const TYPE = "mess-link+jwt";

/** Seconds that a link lives at most; the day is what it lives at least (decision 65). */
export const LONGEST_LINK = 31 * 86_400;
export const USUAL_LINK = 86_400;

const claims = z.object({
  sub: z.string().min(1),
  household: z.string().min(1),
  ref: z.string().min(1),
  permissions: z.array(z.enum(LINK_PERMISSIONS)).min(1),
  jti: z.string().min(1),
  iat: z.number().int(),
  exp: z.number().int(),
});

export interface LinkInput {
  household: string;
  ref: string;
  executor: string;
  permissions: readonly LinkPermission[];
  /** Seconds since 1970. */
  expires: number;
}

/** @param secret MESS_SECRET, from which the signing key is derived. */
export async function makeLink(secret: string, link: LinkInput): Promise<string> {
  const { household, ref, permissions } = link;
  return await new SignJWT({ household, ref, permissions: [...permissions] })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(link.executor)
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .setExpirationTime(link.expires)
    .sign(await linkKey(secret));
}

/** The executor that the token speaks for, held to its thread and permissions; every fault is the same refusal. */
export async function verifyLink(secret: string, token: string): Promise<Outcome<Principal>> {
  const payload = await verified(await linkKey(secret), token);
  const read = claims.safeParse(payload);
  // A signature proves who made the token, not that its life is one that we grant.
  if (!read.success || read.data.exp - read.data.iat > LONGEST_LINK) return unauthenticated();
  const { household, sub, ref, permissions, jti } = read.data;
  return ok({ household, actor: sub, role: "executor", scope: { ref, permissions, jti } });
}

async function verified(key: CryptoKey, token: string): Promise<unknown> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: TYPE,
      requiredClaims: ["sub", "household", "ref", "permissions", "jti", "iat", "exp"],
      maxTokenAge: LONGEST_LINK,
    });
    return payload;
  } catch {
    return undefined;
  }
}

const keys = new Map<string, Promise<CryptoKey>>();

function linkKey(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret) ?? importLinkKey(secret);
  keys.set(secret, known);
  return known;
}

async function importLinkKey(secret: string): Promise<CryptoKey> {
  const bits = await deriveBits(secret, "mess link");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  return await crypto.subtle.importKey("raw", bits, hmac, false, ["sign", "verify"]);
}
