/**
 * Limits attempts with wrong keys by address. Only wrong keys count, and a key that this isolate has seen as valid is
 * never refused: so nobody can lock a family out, neither from elsewhere nor from its own address.
 */
import type { MessError } from "../../mess/errors.ts";
import { QUOTAS, refuseQuota } from "../../mess/quotas.ts";

const { limit: MAX_ATTEMPTS, retrySeconds: BLOCK_SECONDS = 60 } = QUOTAS.attempts_per_address;

const MAX_BLOCKED_ADDRESSES = 10_000;

/** When the block of an address ends, in milliseconds since 1970. */
const blockedAddresses = new Map<string, number>();

/** The refusal of a new key from an address that sent too many wrong ones; undefined for other addresses. */
export function checkAddress(address: string | undefined, now: number): MessError | undefined {
  const until = address === undefined ? 0 : (blockedAddresses.get(address) ?? 0);
  return until > now
    ? refuseQuota("attempts_per_address", MAX_ATTEMPTS, Math.ceil((until - now) / 1_000)).error
    : undefined;
}

/** Counts a wrong key, and blocks its address after too many. */
export async function recordWrongKey(
  { STRANGERS }: Pick<Env, "STRANGERS">,
  address: string | undefined,
  now: number,
): Promise<void> {
  if (address === undefined) return;
  const { success } = await STRANGERS.limit({ key: `key ${address}` });
  if (success) return;
  const [oldest] = blockedAddresses.keys();
  if (blockedAddresses.size >= MAX_BLOCKED_ADDRESSES && oldest !== undefined)
    blockedAddresses.delete(oldest);
  blockedAddresses.set(address, now + BLOCK_SECONDS * 1_000);
}
