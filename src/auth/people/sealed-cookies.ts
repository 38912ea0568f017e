/** Encrypted cookies: small values that a browser stores for us and can neither read nor change. */
import { findAccepted, getCurrent, type WorkerSecret } from "../worker-secret.ts";
import { EncryptJWT, jwtDecrypt } from "jose";
import type * as z from "zod";
import { deriveBits } from "../hash.ts";

/** One use of encrypted tokens. Tokens of one use are not accepted for another. */
export interface Seal<T> {
  /** Also the token's `typ`. */
  readonly purpose: string;
  readonly schema: z.ZodType<T>;
  /** Seconds. */
  readonly lifetimeSeconds: number;
}

const deriveSealKey = async (secret: string, purpose: string): Promise<Uint8Array> =>
  new Uint8Array(await deriveBits(secret, `mess ${purpose}`));

/** @param secret MESS_SECRET, from which the key of each purpose is derived */
export async function seal<T>(
  secret: WorkerSecret,
  { purpose, lifetimeSeconds }: Seal<T>,
  value: T,
): Promise<string> {
  return await new EncryptJWT({ value })
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", typ: purpose })
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds} seconds`)
    .encrypt(await deriveSealKey(getCurrent(secret), purpose));
}

/** The decrypted value and its expiry in milliseconds since 1970; undefined for invalid tokens. */
export const unseal = async <T>(
  secret: WorkerSecret,
  use: Seal<T>,
  token: string | undefined,
): Promise<{ value: T; expires: number } | undefined> =>
  token === undefined
    ? undefined
    : await findAccepted(secret, (one) => unsealWith(one, use, token));

async function unsealWith<T>(
  secret: string,
  { purpose, schema, lifetimeSeconds }: Seal<T>,
  token: string,
): Promise<{ value: T; expires: number } | undefined> {
  try {
    const { payload } = await jwtDecrypt(token, await deriveSealKey(secret, purpose), {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
      typ: purpose,
      requiredClaims: ["iat", "exp"],
      maxTokenAge: lifetimeSeconds,
    });
    const read = schema.safeParse(payload["value"]);
    return read.success ? { value: read.data, expires: (payload.exp ?? 0) * 1_000 } : undefined;
  } catch {
    return undefined;
  }
}
