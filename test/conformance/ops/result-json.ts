/** How refusals and values of the core look in an adapter's answer. */
import type { MessError, Outcome } from "../../../src/mess/errors.ts";
import type { Json } from "../../../src/mess/json.ts";

/** Any value of the core as JSON has it: fields without a value are left out. */
export const toJson = (value: unknown): Json =>
  value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);

export const toRefused = (error: MessError): Json => ({ refused: toJson(error) });

export const answer = <T>(outcome: Outcome<T>, tell: (value: T) => unknown): Json =>
  outcome.ok ? toJson(tell(outcome.value)) : toRefused(outcome.error);
