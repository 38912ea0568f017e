/**
 * Facts about calls that are remembered for a minute: an agent repeats a call whose response was lost within this time,
 * and its client may send no idempotency key.
 */
import type { Stores } from "../stores.ts";

const MEMORY_MS = 60_000;

interface Remembered {
  at: number;
  fact: unknown;
}

type Calls = Pick<Stores, "idempotentCalls">;

/** Each minute has its own key, so that a later fact can be stored. Keys of callers contain no spaces. */
const getKey = (kind: string, time: number): string =>
  `group ${kind} ${Math.floor(time / MEMORY_MS)}`;

/** The facts of the last minute, the newest first. */
export const recallFacts = (
  { idempotentCalls }: Calls,
  { kind, subject }: { kind: string; subject: string },
  now: number,
): unknown[] =>
  [now, now - MEMORY_MS].flatMap((time) => {
    const [stored] = idempotentCalls.get(subject, getKey(kind, time))?.refs ?? [];
    if (stored === undefined) return [];
    const { at, fact } = JSON.parse(stored) as Remembered;
    return fact !== undefined && now - at < MEMORY_MS ? [fact] : [];
  });

/** Keeps the first fact of a minute. */
export function rememberFact(
  { idempotentCalls }: Calls,
  { kind, subject, fact }: { kind: string; subject: string; fact: unknown },
  now: number,
): void {
  if (idempotentCalls.get(subject, getKey(kind, now))) return;
  const stored: Remembered = { at: now, fact };
  idempotentCalls.add(subject, getKey(kind, now), [{ digest: "", ref: JSON.stringify(stored) }]);
}
