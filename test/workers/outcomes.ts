/** Reads the outcomes of calls to objects. */
import type { Outcome } from "../../src/mess/errors.ts";

/** Throws on a refusal. */
export const unwrap = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
};

/** The code of a refusal, or `ok`. */
export const getCode = (outcome: { ok: true } | { ok: false; error: { code: string } }): string =>
  outcome.ok ? "ok" : outcome.error.code;
