/** The interface of classifiers: services that answer a prompt with a text. */
import type { EgressResponse } from "../../../egress/egress.ts";
import { readRetryAfter } from "../../../channels/shared/send-failures.ts";
import { defined } from "../../../mess/defined.ts";
import type { ClassifierPrompt } from "../../../mess/sources/classifier-prompt.ts";

/**
 * `down`: the service does not answer at all. `stuck`: it failed at this message, or at any. `unreadable`: it refused
 * this message or answered nonsense.
 */
export interface ClassifierFailure {
  ok: false;
  problem: "down" | "stuck" | "unreadable";
  /** One line for the owner, without a secret or the text of the answer. */
  reason: string;
  retryAfterSeconds?: number;
}

export type ClassifierAnswer = { ok: true; text: string } | ClassifierFailure;

/** Never rejects. */
export type Classifier = (prompt: ClassifierPrompt, now: number) => Promise<ClassifierAnswer>;

/** Longest texts of an answer: what it says, and words such as the reason why it ended. */
export const MAX_ANSWER_CHARS = 64 * 1024;
export const MAX_WORD_CHARS = 64;

/** Timeout of one call with its whole answer. */
export const CALL_TIMEOUT_MS = 18_000;

export const failDown = (reason: string): ClassifierFailure => ({
  ok: false,
  problem: "down",
  reason,
});

export const failStuck = (reason: string): ClassifierFailure => ({
  ok: false,
  problem: "stuck",
  reason,
});

export const failUnreadable = (reason: string): ClassifierFailure => ({
  ok: false,
  problem: "unreadable",
  reason,
});

/** The service refuses this message: too long, or against its terms. Another message can pass. */
const REFUSED_MESSAGE_STATUSES: readonly number[] = [400, 413, 422];

export function readFailedResponse(
  { status, headers }: EgressResponse,
  now: number,
): ClassifierFailure {
  const reason = `The classifier answered with status ${status}.`;
  if (REFUSED_MESSAGE_STATUSES.includes(status)) return failUnreadable(reason);
  if (status === 500) return failStuck(reason);
  const retryAfterSeconds = readRetryAfter(headers.get("Retry-After"), now);
  return { ...failDown(reason), ...defined({ retryAfterSeconds }) };
}

export const NO_TEXT = "The classifier's answer contains no complete text.";
