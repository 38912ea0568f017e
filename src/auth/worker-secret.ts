/**
 * The Worker's secret during a rotation: the current value makes everything new, and the former one is still accepted,
 * so that links, cookies and sealed values outlive the change.
 */
import { deriveSecret } from "./hash.ts";

/** MESS_SECRET alone, or with MESS_SECRET_PREVIOUS. */
export type WorkerSecret = string | readonly [current: string, previous: string];

export const getCurrent = (secret: WorkerSecret): string =>
  typeof secret === "string" ? secret : secret[0];

/** The accepted values, the current one first. */
export const listAccepted = (secret: WorkerSecret): readonly string[] =>
  typeof secret === "string" ? [secret] : secret;

/** The first value that `read` finds with one of the accepted secrets. */
export async function findAccepted<T>(
  secret: WorkerSecret,
  read: (one: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const one of listAccepted(secret)) {
    const found = await read(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

const ids = new Map<string, Promise<string>>();

/** Names a secret without revealing it: equal for equal secrets. */
export function getSecretId(secret: string): Promise<string> {
  const known = ids.get(secret) ?? deriveSecret(secret, "mess secret id", "").then(shorten);
  ids.set(secret, known);
  return known;
}

const shorten = (digest: string): string => digest.slice(0, 12);
