/**
 * Limits attempts with wrong keys by address. Only different wrong keys count, so that a device with an expired key does
 * not block its home. A key that this isolate has seen as valid is never refused: so nobody can lock a family out,
 * neither from elsewhere nor from its own address.
 */
import { hashSha256 } from "../hash.ts";
import type { MessError } from "../../mess/errors.ts";
import { QUOTAS, refuseQuota } from "../../mess/quotas.ts";
import { type AttemptBindings, countAttempt, getMaxAttempts } from "./count-attempt.ts";

const { retrySeconds: BLOCK_SECONDS = 60 } = QUOTAS.attempts_per_address;

const MAX_BLOCKED_ADDRESSES = 10_000;
const MAX_WRONG_KEYS = 2_000;

/** Wrong keys of the last minute: when they may be tried again after too many attempts, and until when they are known. */
const wrongKeys = new Map<string, { blockedUntil: number; knownUntil: number }>();

/** When the block of an address ends, in milliseconds since 1970. */
const blockedAddresses = new Map<string, number>();

/**
 * The refusal of a key that is not known as valid: its address sent too many wrong ones, or this one too often. Undefined
 * if it may be tried.
 */
export function checkAttempt(
  env: AttemptBindings,
  key: string,
  address: string | undefined,
  now: number,
): MessError | undefined {
  const ofKey = wrongKeys.get(key)?.blockedUntil ?? 0;
  const ofAddress = address === undefined ? 0 : (blockedAddresses.get(address) ?? 0);
  const until = Math.max(ofKey, ofAddress);
  return until > now
    ? refuseQuota("attempts_per_address", getMaxAttempts(env), Math.ceil((until - now) / 1_000))
        .error
    : undefined;
}

/** Counts a wrong key: for its address when it is new, else for itself. After too many attempts it blocks the one or the other. */
export async function recordWrongKey(
  env: AttemptBindings,
  key: string,
  address: string | undefined,
  now: number,
): Promise<void> {
  if (address === undefined) return;
  const until = now + BLOCK_SECONDS * 1_000;
  const known = wrongKeys.get(key);
  const isRepeated = known !== undefined && known.knownUntil > now;
  // The digest, since a key must not be stored outside of this isolate.
  const counted = isRepeated ? `${address} ${await hashSha256(key)}` : address;
  const success = await countAttempt(env, `key ${counted}`, now);
  evictOldest(wrongKeys, MAX_WRONG_KEYS);
  wrongKeys.set(key, { blockedUntil: isRepeated && !success ? until : 0, knownUntil: until });
  if (isRepeated || success) return;
  evictOldest(blockedAddresses, MAX_BLOCKED_ADDRESSES);
  blockedAddresses.set(address, until);
}

function evictOldest(entries: Map<string, unknown>, maxEntries: number): void {
  const [oldest] = entries.keys();
  if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
}
