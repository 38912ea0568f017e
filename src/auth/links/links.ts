/**
 * Links: a signed token that lets its bearer act as one executor in one thread (decision 65), and the same claims
 * signed as a browser session. One use is not accepted as the other. Revocation is by `jti`, not by the token's text,
 * since one token can be encoded in more than one way.
 */
import { findAccepted, getCurrent, type WorkerSecret } from "../worker-secret.ts";
import { errors, jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { Outcome } from "../../mess/errors.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { getHmacKey } from "../hash.ts";
import { refuseInactiveLink } from "./inactive-link.ts";
import { LINK_PERMISSIONS, type LinkPermission, type Principal } from "../principal.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";

const ALGORITHM = "HS256";
const ISSUER = "mess";
const KEY_PURPOSE = "mess link";

/** Maximum lifetime of a link (decision 65). */
export const MAX_LINK_SECONDS = 31 * 86_400;
/** Lifetime of a link without a stated expiry, unless its thread expires later. */
export const DEFAULT_LINK_SECONDS = 86_400;

/** The intended use of a token. */
export type LinkUse = "link" | "session";

const TOKEN_USES: Readonly<Record<LinkUse, { audience: string; typ: string }>> = {
  link: { audience: "mess:link", typ: "mess-link+jwt" },
  session: { audience: "mess:session", typ: "mess-session+jwt" },
};

const claimsSchema = z.object({
  sub: boundedTextSchema(LIMITS.nameChars).min(1),
  household: boundedTextSchema(LIMITS.nameChars).min(1),
  ref: boundedTextSchema(LIMITS.targetChars).min(1),
  permissions: z.array(z.enum(LINK_PERMISSIONS)).min(1),
  jti: boundedTextSchema(LIMITS.nameChars).min(1),
  iat: z.number().int(),
  exp: z.number().int(),
});

export interface LinkInput {
  household: string;
  ref: string;
  executor: string;
  permissions: readonly LinkPermission[];
  /** Id under which the thread knows the link and can revoke it. */
  jti: string;
  /** Seconds since 1970. */
  expires: number;
}

/** The claims of a token with a valid signature, expired or not. */
export interface VerifiedLink extends LinkInput {
  expired: boolean;
}

/** @param secret MESS_SECRET, from which the signing key is derived */
export async function makeLink(
  secret: WorkerSecret,
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
    .sign(await getHmacKey(getCurrent(secret), KEY_PURPOSE));
}

/** The claims of a token; undefined for any token that was not issued for this use. */
export const readLink = (
  secret: WorkerSecret,
  token: string,
  use: LinkUse = "link",
): Promise<VerifiedLink | undefined> => findAccepted(secret, (one) => readLinkOf(one, token, use));

async function readLinkOf(
  secret: string,
  token: string,
  use: LinkUse,
): Promise<VerifiedLink | undefined> {
  const found = await verifyToken(await getHmacKey(secret, KEY_PURPOSE), token, use);
  const read = claimsSchema.safeParse(found?.payload);
  // A signature proves the issuer, but not that the lifetime is one that this version grants.
  if (!found || !read.success || read.data.exp - read.data.iat > MAX_LINK_SECONDS) return undefined;
  const { household, sub, ref, permissions, jti, exp } = read.data;
  return { household, ref, executor: sub, permissions, jti, expires: exp, expired: found.expired };
}

/** The principal for a link's bearer, limited to its thread and permissions. */
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
 * Authenticates the bearer of a link. An expired token is refused as `link_dead`, any other invalid token as
 * unauthenticated.
 */
export async function verifyLink(
  secret: WorkerSecret,
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
    // jose checks the times last, so everything else about an expired token is valid.
    return error instanceof errors.JWTExpired
      ? { payload: error.payload, expired: true }
      : undefined;
  }
}
