/**
 * Links: a signed token that lets its bearer act as one executor in one thread (decision 65), and the session that a
 * browser gets for it, the same claims signed for a cookie. Neither passes for the other. Revocation goes by `jti`,
 * never by the token's text, which can be spelt in more than one way.
 */
import { errors, jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { Outcome } from "../../mess/errors.ts";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { deriveBits } from "../hash.ts";
import { refuseInactiveLink } from "./inactive-link.ts";
import { LINK_PERMISSIONS, type LinkPermission, type Principal } from "../principal.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";

const ALGORITHM = "HS256";
const ISSUER = "mess";

/** Seconds that a link lives at most; the day is what it lives at least (decision 65). */
export const MAX_LINK_SECONDS = 31 * 86_400;
export const DEFAULT_LINK_SECONDS = 86_400;

/** What a token is for. */
export type LinkUse = "link" | "session";

const TOKEN_USES: Readonly<Record<LinkUse, { audience: string; typ: string }>> = {
  link: { audience: "mess:link", typ: "mess-link+jwt" },
  session: { audience: "mess:session", typ: "mess-session+jwt" },
};

const claimsSchema = z.object({
  sub: boundedText(LIMITS.nameChars).min(1),
  household: boundedText(LIMITS.nameChars).min(1),
  ref: boundedText(LIMITS.targetChars).min(1),
  permissions: z.array(z.enum(LINK_PERMISSIONS)).min(1),
  jti: boundedText(LIMITS.nameChars).min(1),
  iat: z.number().int(),
  exp: z.number().int(),
});

export interface LinkInput {
  household: string;
  ref: string;
  executor: string;
  permissions: readonly LinkPermission[];
  /** Names the link to its thread, which can revoke it. */
  jti: string;
  /** Seconds since 1970. */
  expires: number;
}

/** A token that we signed, whether or not its time is over. */
export interface VerifiedLink extends LinkInput {
  expired: boolean;
}

/** @param secret MESS_SECRET, from which the signing key is derived. */
export async function makeLink(
  secret: string,
  link: LinkInput,
  use: LinkUse = "link",
): Promise<string> {
  const { household, ref, permissions, jti } = link;
  const { audience, typ } = TOKEN_USES[use];
  return await new SignJWT({ household, ref, permissions: [...permissions] })
    .setProtectedHeader({ alg: ALGORITHM, typ })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject(link.executor)
    .setJti(jti)
    .setIssuedAt()
    .setExpirationTime(link.expires)
    .sign(await getLinkKey(secret));
}

/** The link that the token stands for; undefined for every token that we did not make for this use. */
export async function readLink(
  secret: string,
  token: string,
  use: LinkUse = "link",
): Promise<VerifiedLink | undefined> {
  const found = await verifyToken(await getLinkKey(secret), token, use);
  const read = claimsSchema.safeParse(found?.payload);
  // A signature proves who made the token, not that its life is one that we grant.
  if (!found || !read.success || read.data.exp - read.data.iat > MAX_LINK_SECONDS) return undefined;
  const { household, sub, ref, permissions, jti, exp } = read.data;
  return { household, ref, executor: sub, permissions, jti, expires: exp, expired: found.expired };
}

/** Who bears the link, held to its thread and permissions. */
export const toLinkPrincipal = ({
  household,
  executor,
  ref,
  permissions,
  jti,
}: LinkInput): Principal => ({
  household,
  actor: executor,
  role: "executor",
  scope: { ref, permissions, jti },
});

/**
 * The executor that the token speaks for. A token whose time is over is refused as `link_dead`, every other fault is
 * the same refusal.
 */
export async function verifyLink(
  secret: string,
  token: string,
  use: LinkUse = "link",
): Promise<Outcome<Principal>> {
  const link = await readLink(secret, token, use);
  if (!link) return refuseUnauthenticated();
  return link.expired ? refuseInactiveLink("expired") : ok(toLinkPrincipal(link));
}

async function verifyToken(
  key: CryptoKey,
  token: string,
  use: LinkUse,
): Promise<{ payload: unknown; expired: boolean } | undefined> {
  const { audience, typ } = TOKEN_USES[use];
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience,
      typ,
      requiredClaims: ["sub", "household", "ref", "permissions", "jti", "iat", "exp"],
      maxTokenAge: MAX_LINK_SECONDS,
    });
    return { payload, expired: false };
  } catch (error) {
    // Its times are checked last: everything else about it was right.
    return error instanceof errors.JWTExpired
      ? { payload: error.payload, expired: true }
      : undefined;
  }
}

const linkKeys = new Map<string, Promise<CryptoKey>>();

function getLinkKey(secret: string): Promise<CryptoKey> {
  const known = linkKeys.get(secret) ?? importLinkKey(secret);
  linkKeys.set(secret, known);
  return known;
}

async function importLinkKey(secret: string): Promise<CryptoKey> {
  const bits = await deriveBits(secret, "mess link");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  return await crypto.subtle.importKey("raw", bits, hmac, false, ["sign", "verify"]);
}
