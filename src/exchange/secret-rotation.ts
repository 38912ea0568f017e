/** The rotation of MESS_SECRET over all households, as the operator sees and continues it. */
import { getCurrent, getSecretId, listAccepted } from "../auth/worker-secret.ts";
import { getConfig } from "../config.ts";
import { defined } from "../mess/defined.ts";
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import {
  readSealingProgress,
  reportSealing,
  type SealingProgress,
} from "../partitions/sealing-registry.ts";
import { getHouseholdStub } from "../stubs.ts";

type RotationEnv = Pick<Env, "HOUSEHOLDS" | "INDEX" | "MESS_SECRET" | "MESS_OPERATOR_KEY">;

/** Reports a new household, which has no secrets that are sealed otherwise. */
export const reportNewHousehold = async (env: RotationEnv, id: string): Promise<void> =>
  reportSealing(env.INDEX, id, {
    sealedWith: await getSecretId(getCurrent(getConfig(env).secret)),
    unreadable: 0,
  });

/** Households that a response lists, and that a call reseals: each costs a request to its object. */
export const MAX_HOUSEHOLDS_PER_CALL = 50;

function buildHint({ pending, unreadable }: SealingProgress, isRotating: boolean): string {
  if (unreadable.length > 0)
    return isRotating
      ? "Some secrets open with neither value: set MESS_SECRET_PREVIOUS to the value under which they were sealed, or let their owners set them again."
      : "Some secrets were sealed under a former MESS_SECRET: set MESS_SECRET_PREVIOUS to it, deploy, and wait until done is true. Otherwise their owners must set them again.";
  if (pending > 0)
    return "Each household seals its secrets again when it is next used, or by its daily alarm. POST to this address continues at once.";
  return isRotating
    ? "MESS_SECRET_PREVIOUS can be removed once links and sessions that were made before the rotation may end: they last up to 31 days."
    : "All secrets are sealed under MESS_SECRET.";
}

export async function readRotation(env: RotationEnv): Promise<Outcome<object>> {
  const { secret } = getConfig(env);
  const [current, previous] = await Promise.all(listAccepted(secret).map(getSecretId));
  const read = await readSealingProgress(env.INDEX, current!, MAX_HOUSEHOLDS_PER_CALL);
  if (!read.ok) return read;
  const { total, pending, pendingIds, unreadable } = read.value;
  return ok({
    secret: current,
    ...defined({ previous }),
    done: pending === 0 && unreadable.length === 0,
    households: { total, resealed: total - pending, pending },
    pending: pendingIds,
    unreadable,
    hint: buildHint(read.value, previous !== undefined),
  });
}

export async function continueRotation(env: RotationEnv): Promise<Outcome<object>> {
  const current = await getSecretId(getCurrent(getConfig(env).secret));
  const read = await readSealingProgress(env.INDEX, current, MAX_HOUSEHOLDS_PER_CALL);
  if (!read.ok) return read;
  const { pendingIds, unreadable } = read.value;
  const ids = new Set([...pendingIds, ...unreadable.map(({ household }) => household)]);
  await Promise.all([...ids].map((id) => getHouseholdStub(env, id).secrets.resealSecrets()));
  return await readRotation(env);
}
