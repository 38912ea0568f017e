/** What a channel's refusal means for further attempts. */
import type { MessError } from "../../mess/errors.ts";
import type { Sent } from "../channel.ts";
import type { EgressAnswer } from "../../egress/egress.ts";

type Failed = Extract<Sent, { ok: false }>;

/** Seconds that a channel may make us wait: a day. */
const LONGEST_WAIT = 86_400;

/** The request never got an answer. */
export const unsent = (error: MessError): Failed => ({ ok: false, reason: error.message });

/** The answer is a refusal; `gone` where nothing will ever be taken at this address. */
export function refusedBy(who: string, answer: EgressAnswer, now: number, gone: boolean): Failed {
  const wait = retryAfter(answer.headers.get("Retry-After"), now);
  return {
    ok: false,
    reason: `${who} answered ${answer.status}`,
    ...(wait === undefined ? {} : { retry_after: wait }),
    ...(gone ? { gone } : {}),
  };
}

/** Seconds of a `Retry-After`, which is a number or a date (RFC 9110, 10.2.3). Fractions are rounded up. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(header)
    ? Number(header)
    : (Date.parse(header) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : waitOf(seconds);
}

/** A wait that a channel asked for, in whole seconds, held within bounds. */
export const waitOf = (seconds: number): number =>
  Math.min(LONGEST_WAIT, Math.max(0, Math.ceil(seconds)));

/** A JSON map in an answer, or an empty one. */
export function mapOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
