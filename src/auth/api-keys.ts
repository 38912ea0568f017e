/**
 * API keys `mess_{household}_{secret}`. The household stores only their digest. An isolate caches a valid key for 30
 * seconds, so that most calls need no request to the household and a revocation still takes effect soon.
 */
import { getHouseholdStub } from "../stubs.ts";
import type { Outcome } from "../mess/errors.ts";
import { defined } from "../mess/defined.ts";
import { fail, ok } from "../mess/result.ts";
import { deriveSecret, generateSecret, hashSha256 } from "./hash.ts";
import { HOUSEHOLD_ID_PATTERN, isKnownHousehold } from "./known-households.ts";
import type { Principal } from "./principal.ts";
import type { AttemptBindings } from "./rates/count-attempt.ts";
import { checkAttempt, recordWrongKey } from "./rates/wrong-keys.ts";
import { refuseExpiredKey, refuseUnauthenticated } from "./unauthenticated.ts";

const KEY_PATTERN = /^mess_([a-z0-9-]{1,63})_([0-9a-f]{64})$/;

/** How long a valid key is cached. */
const CACHE_MS = 30_000;
const MAX_CACHED_KEYS = 2_000;

interface CachedKey {
  principal: Principal;
  until: number;
}

/** Indexed by the key itself: computing a digest per call would dominate the cost of authentication. */
const cachedKeys = new Map<string, CachedKey>();

export interface GeneratedKey {
  /** Shown to its owner once, and not stored. */
  key: string;
  /** SHA-256 in hex. */
  hash: string;
}

/** Generates a random key of the household. */
export const generateKey = (household: string): Promise<GeneratedKey> =>
  buildKey(household, generateSecret());

/**
 * Derives the key for a call with an `Idempotency-Key`, so that a repeated call returns the same key although only its
 * digest is stored.
 * @param call identifies the caller and its `Idempotency-Key`
 */
export const deriveKey = async (
  secret: string,
  household: string,
  call: string,
): Promise<GeneratedKey> =>
  buildKey(household, await deriveSecret(secret, "mess api key", `${household} ${call}`));

async function buildKey(household: string, secret: string): Promise<GeneratedKey> {
  const key = `mess_${household}_${secret}`;
  return { key, hash: await hashSha256(key) };
}

/** The household that a key names; undefined for a text that is not a key. */
export function readKeyHousehold(key: string): string | undefined {
  const household = KEY_PATTERN.exec(key)?.[1];
  return household !== undefined && HOUSEHOLD_ID_PATTERN.test(household) ? household : undefined;
}

/**
 * Authenticates a key. Malformed, unknown and revoked keys get the same refusal; an expired one its own. A key that
 * was valid before is checked even if its address is blocked for wrong keys.
 */
export async function authenticateKey(
  env: Pick<Env, "HOUSEHOLDS" | "INDEX"> & AttemptBindings,
  key: string,
  address?: string,
): Promise<Outcome<Principal>> {
  const known = cachedKeys.get(key);
  const now = Date.now();
  if (known && known.until > now) return ok(known.principal);
  const household = readKeyHousehold(key);
  if (household === undefined) return refuseUnauthenticated();
  const refused = known ? undefined : checkAttempt(env, key, address, now);
  if (refused) return fail(refused);
  const member = (await isKnownHousehold(env, household))
    ? await getHouseholdStub(env, household).identity.authenticateKey(await hashSha256(key))
    : null;
  // Only now, since concurrent calls with a key that was valid must pass a blocked address, too.
  cachedKeys.delete(key);
  if (!member || member === "expired") {
    await recordWrongKey(env, key, address, now);
    return member ? refuseExpiredKey() : refuseUnauthenticated();
  }
  const { id, actor, role, paths, readsAll, expires = Infinity } = member;
  const principal: Principal = {
    household,
    actor,
    role,
    credential: `key:${id}`,
    ...defined({ paths, readsAll: paths ? undefined : readsAll }),
  };
  cacheKey(key, { principal, until: Math.min(Date.now() + CACHE_MS, expires) });
  return ok(principal);
}

function cacheKey(key: string, entry: CachedKey): void {
  const [oldest] = cachedKeys.keys();
  if (cachedKeys.size >= MAX_CACHED_KEYS && oldest !== undefined) cachedKeys.delete(oldest);
  cachedKeys.set(key, entry);
}

/**
 * Lets this isolate check the cached keys of a household again, so that a revocation takes effect here at once. They
 * stay known as valid before: else a blocked address would lock the family out.
 */
export function clearCachedKeys(household: string): void {
  for (const entry of cachedKeys.values())
    if (entry.principal.household === household) entry.until = 0;
}
