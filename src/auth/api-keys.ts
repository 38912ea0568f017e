/**
 * API keys `mess_{household}_{secret}`. The household keeps their digest only; an isolate remembers a key that
 * was right for a while, so that a call costs no trip to the household and a revocation bites soon.
 */
import { householdStub } from "../stubs.ts";
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { deriveSecret, randomSecret, sha256 } from "./hash.ts";
import type { Principal } from "./principal.ts";
import { unauthenticated } from "./unauthenticated.ts";

/** Ids of households: they are part of keys and of object names, so they hold no underscore and no slash. */
export const HOUSEHOLD_ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const KEY = /^mess_([a-z0-9-]{1,63})_([0-9a-f]{64})$/;

/** Milliseconds for which a key that was right is taken to be right. */
const REMEMBERED = 30_000;
const MOST_REMEMBERED = 2_000;

interface Remembered {
  principal: Principal;
  until: number;
}

/** By the key itself: a digest for each call would cost more than all else that is done for its sender. */
const remembered = new Map<string, Remembered>();

export interface NewKey {
  /** Shown to its owner once, and kept nowhere. */
  key: string;
  /** SHA-256 in hex. */
  hash: string;
}

/** A new random key of the household. */
export const makeKey = (household: string): Promise<NewKey> => keyWith(household, randomSecret());

/**
 * The key that belongs to a call's `Idempotency-Key`: the call repeated yields the same one, though nothing
 * but its digest is stored.
 * @param secret MESS_SECRET
 * @param call what makes the call its caller's own, with its `Idempotency-Key`.
 */
export const makeRepeatableKey = async (
  secret: string,
  household: string,
  call: string,
): Promise<NewKey> =>
  keyWith(household, await deriveSecret(secret, "mess api key", `${household} ${call}`));

async function keyWith(household: string, secret: string): Promise<NewKey> {
  const key = `mess_${household}_${secret}`;
  return { key, hash: await sha256(key) };
}

/** The household that a key names; undefined for what is no key. */
export function householdOf(key: string): string | undefined {
  const household = KEY.exec(key)?.[1];
  return household !== undefined && HOUSEHOLD_ID.test(household) ? household : undefined;
}

/** Who holds the key. Malformed, unknown and revoked are the same refusal. */
export async function authenticateKey(
  env: Pick<Env, "HOUSEHOLDS">,
  key: string,
): Promise<Outcome<Principal>> {
  const known = remembered.get(key);
  if (known && known.until > Date.now()) return ok(known.principal);
  remembered.delete(key);
  const household = householdOf(key);
  if (household === undefined) return unauthenticated();
  const member = await householdStub(env, household).authenticate(await sha256(key));
  if (!member) return unauthenticated();
  const { id, actor, role } = member;
  const principal: Principal = { household, actor, role, credential: `key:${id}` };
  remember(key, principal);
  return ok(principal);
}

function remember(key: string, principal: Principal): void {
  const [oldest] = remembered.keys();
  if (remembered.size >= MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  remembered.set(key, { principal, until: Date.now() + REMEMBERED });
}

/** Forgets what this isolate remembers of a household's keys, so that a revocation bites here at once. */
export function forgetKeys(household: string): void {
  for (const [key, { principal }] of remembered)
    if (principal.household === household) remembered.delete(key);
}
