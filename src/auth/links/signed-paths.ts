/**
 * Tokens of short-lived links that work without a key. A token carries the member for whom it was made; the caller
 * checks that the member's credential is still live.
 */
import { jwtVerify, SignJWT } from "jose";
import { findAccepted, getCurrent, type WorkerSecret } from "../worker-secret.ts";
import * as z from "zod";
import { defined } from "../../mess/defined.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { getHmacKey } from "../hash.ts";
import { type CredentialId, type Principal, ROLES } from "../principal.ts";

const ALGORITHM = "HS256";
const nameSchema = boundedTextSchema(LIMITS.nameChars).min(1);

const principalSchema = z.object({
  sub: nameSchema,
  household: nameSchema,
  role: z.enum(ROLES),
  readsAll: z.literal(true).optional(),
  credential: boundedTextSchema(LIMITS.nameChars).optional(),
});

/** A kind of link. Each has keys of its own, so that a token of one kind is worthless as another. */
export interface LinkKind<Claims extends z.ZodObject> {
  readonly type: `mess-${string}+jwt`;
  readonly minutes: number;
  readonly purpose: `mess ${string}`;
  readonly schema: Claims;
}

interface LinkContent<Claims extends z.ZodObject> {
  principal: Principal;
  claims: z.output<Claims>;
}

const toAudience = (purpose: string): string => purpose.replace(" ", ":");

/** @param secret MESS_SECRET, from which the signing key is derived */
export async function signLinkToken<Claims extends z.ZodObject>(
  secret: WorkerSecret,
  { type, minutes, purpose }: LinkKind<Claims>,
  { household, actor, role, credential, readsAll }: Principal,
  claims: z.output<Claims>,
): Promise<string> {
  return await new SignJWT({ household, role, ...claims, ...defined({ credential, readsAll }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: type })
    .setAudience(toAudience(purpose))
    .setSubject(actor)
    .setIssuedAt()
    .setExpirationTime(`${minutes * 60}s`)
    .sign(await getHmacKey(getCurrent(secret), purpose));
}

/** Reads a token; undefined where it is invalid or has expired. */
export const readLinkToken = <Claims extends z.ZodObject>(
  secret: WorkerSecret,
  kind: LinkKind<Claims>,
  token: string,
): Promise<LinkContent<Claims> | undefined> =>
  findAccepted(secret, (one) => readTokenOf(one, kind, token));

async function readTokenOf<Claims extends z.ZodObject>(
  secret: string,
  { type, minutes, purpose, schema }: LinkKind<Claims>,
  token: string,
): Promise<LinkContent<Claims> | undefined> {
  try {
    const { payload } = await jwtVerify(token, await getHmacKey(secret, purpose), {
      algorithms: [ALGORITHM],
      audience: toAudience(purpose),
      typ: type,
      requiredClaims: ["sub", "exp", "iat"],
      maxTokenAge: minutes * 60,
    });
    const { sub, household, role, credential, readsAll } = principalSchema.parse(payload);
    const principal: Principal = {
      household,
      actor: sub,
      role,
      ...defined({ credential: credential as CredentialId | undefined, readsAll }),
    };
    return { principal, claims: schema.parse(payload) };
  } catch {
    return undefined;
  }
}
