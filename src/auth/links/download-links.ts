/**
 * Download links, for clients that cannot send their credential with a download. A link has a signed token for one file,
 * which is valid for a few minutes, and ends with the credential for which it was made.
 */
import { jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import { defined } from "../../mess/defined.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { getHmacKey } from "../hash.ts";
import { type CredentialId, type Principal, ROLES } from "../principal.ts";

export const DOWNLOAD_LINK_MINUTES = 10;

const ALGORITHM = "HS256";
const TOKEN_TYPE = "mess-download+jwt";
const AUDIENCE = "mess:download";
const KEY_PURPOSE = "mess download";
const LIFETIME_SECONDS = DOWNLOAD_LINK_MINUTES * 60;

const nameSchema = boundedTextSchema(LIMITS.nameChars).min(1);

const claimsSchema = z.object({
  sub: nameSchema,
  household: nameSchema,
  role: z.enum(ROLES),
  credential: boundedTextSchema(LIMITS.nameChars).optional(),
  ref: boundedTextSchema(LIMITS.targetChars).min(1),
  file: boundedTextSchema(LIMITS.targetChars).min(1),
});

export interface DownloadLink {
  /** The member who may read the file. */
  principal: Principal;
  /** Full ref of the thread. */
  ref: string;
  file: string;
}

/** Returns the path of the link. @param secret MESS_SECRET, from which the signing key is derived */
export async function makeDownloadPath(
  secret: string,
  { principal, ref, file }: DownloadLink,
): Promise<string> {
  const { household, actor, role, credential } = principal;
  const token = await new SignJWT({ household, role, ref, file, ...defined({ credential }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE })
    .setAudience(AUDIENCE)
    .setSubject(actor)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(await getHmacKey(secret, KEY_PURPOSE));
  return `/files/${token}`;
}

/** Reads a token; undefined where it is invalid or has expired. The caller checks whether the credential is live. */
export async function readDownloadToken(
  secret: string,
  token: string,
): Promise<DownloadLink | undefined> {
  try {
    const { payload } = await jwtVerify(token, await getHmacKey(secret, KEY_PURPOSE), {
      algorithms: [ALGORITHM],
      audience: AUDIENCE,
      typ: TOKEN_TYPE,
      requiredClaims: ["sub", "exp", "iat"],
      maxTokenAge: LIFETIME_SECONDS,
    });
    const { sub, household, role, credential, ref, file } = claimsSchema.parse(payload);
    const principal: Principal = {
      household,
      actor: sub,
      role,
      ...defined({ credential: credential as CredentialId | undefined }),
    };
    return { principal, ref, file };
  } catch {
    return undefined;
  }
}
