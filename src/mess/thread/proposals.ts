/** What a suggestion proposes (protocol §7.5), read when it is accepted: until then it is the sender's own words. */
import { readBlock } from "../wire/read-block.ts";
import { readDuration } from "../durations.ts";
import { type ErrorCode, type Outcome, refuse } from "../errors.ts";
import { isMap, type Json } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { ok } from "../result.ts";
import { isTarget } from "../names.ts";
import type { Candidate } from "../routing/routing.ts";
import type { Request } from "../wire/schema.ts";
import { readTime } from "../times.ts";
import type { OpenSuggestion, ThreadState } from "./state.ts";

export type Proposal =
  | { type: "delegate"; to: Candidate }
  /** Milliseconds since 1970 UTC. */
  | { type: "defer"; until: number }
  | { type: "alternative"; words: string }
  | { type: "split"; requests: Request[] }
  | { type: "merge"; combined_intent: string; with: string[]; executor?: string };

const REJECT_HINT = "Reject it and say why; whoever made it can make another.";

const refuseProposal = (
  code: ErrorCode,
  { id }: OpenSuggestion,
  message: string,
  hint = REJECT_HINT,
) => refuse(code, `suggestion ${id} ${message}`, hint);

/** The first of the fields that is given. */
const findField = (proposed: Json | undefined, ...names: string[]): Json | undefined =>
  isMap(proposed) ? names.map((name) => proposed[name]).find((value) => value != null) : proposed;

const isText = (value: Json | undefined): value is string =>
  typeof value === "string" && value.trim() !== "";

/**
 * The proposal in the form in which it is carried out.
 * @param now milliseconds since 1970 UTC, from which a duration counts
 */
export function readProposal(
  suggested: OpenSuggestion,
  state: ThreadState,
  now: number,
): Outcome<Proposal> {
  switch (suggested.type) {
    case "delegate":
      return readDelegate(suggested, state);
    case "defer":
      return readDefer(suggested, state, now);
    case "split":
      return readSplit(suggested);
    case "merge":
      return readMerge(suggested);
    default: {
      const text = findField(suggested.proposed, "intent", "message", "description");
      return ok({ type: "alternative", words: isText(text) ? text.trim() : "" });
    }
  }
}

/** What a suggestion proposes, in its sender's words. */
export interface SuggestionContent {
  type?: string;
  proposed?: Json | undefined;
}

/** Accepted, it takes the thread from whoever has it. */
export const takesFromHolder = (suggestion: SuggestionContent, holder: string | null): boolean =>
  suggestion.type === "defer" ||
  (suggestion.type === "delegate" && readDelegateName(suggestion) !== holder);

/** The member that a suggestion to delegate names, if it names any. */
export function readDelegateName({ type, proposed }: SuggestionContent): string | undefined {
  const id = type === "delegate" ? findField(proposed, "executor", "to") : undefined;
  return isText(id) ? id.trim() : undefined;
}

function readDelegate(suggested: OpenSuggestion, state: ThreadState): Outcome<Proposal> {
  const id = readDelegateName(suggested);
  if (id === undefined)
    return refuseProposal("missing_field", suggested, "does not say who should do it");
  const known = [...(suggested.delegate ? [suggested.delegate] : []), ...state.candidates];
  const to = known.find((one) => one.id === id);
  return to
    ? ok({ type: "delegate", to })
    : refuseProposal("unknown_executor", suggested, "names nobody who can be asked");
}

/** Seconds from now, or a time. */
export function readDeferUntil(
  proposed: Json | undefined,
  now: number,
  zone: string,
): number | undefined {
  const text = findField(proposed, "not_before", "until", "for", "duration");
  if (!isText(text)) return undefined;
  const seconds = readDuration(text);
  return seconds === undefined ? readTime(text, zone) : now + seconds * 1000;
}

function readDefer(suggested: OpenSuggestion, state: ThreadState, now: number): Outcome<Proposal> {
  const until = readDeferUntil(suggested.proposed, now, state.zone);
  if (until === undefined)
    return refuseProposal(
      "missing_field",
      suggested,
      "does not say until when",
      "Reject it, and ask for one with proposed: {until: 2h}, or a time in ISO 8601.",
    );
  if (until <= now)
    return refuseProposal("bad_time", suggested, "puts it off until a time that is past");
  if (state.expires !== undefined && until >= state.expires)
    return refuseProposal("bad_time", suggested, "puts it off until after the thread has expired");
  return ok({ type: "defer", until });
}

function readSplit(suggested: OpenSuggestion): Outcome<Proposal> {
  const listed = Array.isArray(suggested.proposed)
    ? suggested.proposed
    : findField(suggested.proposed, "requests", "intents");
  if (!Array.isArray(listed) || listed.length < 2)
    return refuseProposal(
      "missing_field",
      suggested,
      "does not say into which requests it is split",
    );
  if (listed.length > LIMITS.requestsPerBatch)
    return refuseProposal(
      "too_large",
      suggested,
      `has more than ${LIMITS.requestsPerBatch} requests`,
    );
  const requests: Request[] = [];
  for (const [index, item] of listed.entries()) {
    const raw = isMap(item) && isMap(item["request"]) ? item["request"] : item;
    const read = readBlock("request", raw, []);
    if (!read.ok || read.value.block.type !== "request")
      return refuseProposal(
        "bad_field",
        suggested,
        `cannot be split: request ${index + 1} is not one`,
      );
    requests.push(read.value.block.body);
  }
  return ok({ type: "split", requests });
}

function readMerge(suggested: OpenSuggestion): Outcome<Proposal> {
  const intent = findField(suggested.proposed, "combined_intent", "intent");
  if (!isText(intent)) return refuseProposal("missing_field", suggested, "has no combined_intent");
  if (intent.length > LIMITS.intentChars)
    return refuseProposal(
      "too_large",
      suggested,
      `has more than ${LIMITS.intentChars} characters of intent`,
    );
  const named = isMap(suggested.proposed) ? suggested.proposed["with"] : undefined;
  const more = Array.isArray(named) ? named.filter(isText).filter(isTarget) : [];
  const refs = [...new Set([...(suggested.re ?? []), ...more])];
  if (refs.length > LIMITS.targetsPerMessage)
    return refuseProposal(
      "too_large",
      suggested,
      `merges more than ${LIMITS.targetsPerMessage} threads`,
    );
  if (refs.length < 2)
    return refuseProposal("missing_field", suggested, "does not say what to merge");
  const executor = isMap(suggested.proposed) ? suggested.proposed["executor"] : undefined;
  return ok({
    type: "merge",
    combined_intent: intent.trim(),
    with: refs,
    ...(isText(executor) ? { executor: executor.trim() } : {}),
  });
}
