/** Classifies the failures of a send: whether and when to try again. */
import { defined } from "../../mess/defined.ts";
import type { MessError } from "../../mess/errors.ts";
import type { SendResult } from "../channel.ts";
import type { EgressResponse } from "../../egress/egress.ts";

type SendFailure = Extract<SendResult, { ok: false }>;

/** Maximum wait that a channel may ask for: a day. */
const MAX_PROVIDER_WAIT_SECONDS = 86_400;

/** No response arrived. */
export const toUnsentFailure = (error: MessError): SendFailure => ({
  ok: false,
  reason: error.message,
});

/** The response is a refusal. @param isPermanent the address will never accept a message */
export function toRefusedFailure(
  service: string,
  response: EgressResponse,
  now: number,
  isPermanent: boolean,
): SendFailure {
  const wait = readRetryAfter(response.headers.get("Retry-After"), now);
  return {
    ok: false,
    reason: `${service} answered ${response.status}`,
    ...defined({ retryAfterSeconds: wait }),
    ...(isPermanent ? { isPermanent } : {}),
  };
}

/** Reads `Retry-After`, a number of seconds or a date (RFC 9110, 10.2.3). Fractions are rounded up. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(header)
    ? Number(header)
    : (Date.parse(header) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : clampWaitSeconds(seconds);
}

/** A wait that a channel asked for, in whole seconds, clamped to the limits. */
export const clampWaitSeconds = (seconds: number): number =>
  Math.min(MAX_PROVIDER_WAIT_SECONDS, Math.max(0, Math.ceil(seconds)));

/** The JSON map of a response, or an empty one. */
export function parseJsonMap(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
