/** Converts refusals and values of the core to the form of an adapter's result. */
import type { MessError, Outcome } from "../../../src/mess/errors.ts";
import type { Json } from "../../../src/mess/json.ts";

/** Converts a value of the core to JSON, without undefined fields. */
export const toJson = (value: unknown): Json =>
  value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);

export const toRefused = (error: MessError): Json => ({ refused: toJson(error) });

export const answer = <T>(outcome: Outcome<T>, tell: (value: T) => unknown): Json =>
  outcome.ok ? toJson(tell(outcome.value)) : toRefused(outcome.error);
