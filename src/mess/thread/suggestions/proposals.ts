/** Reads what a suggestion proposes (protocol §7.5). It is validated only when the suggestion is accepted. */
import { readBlock } from "../../wire/read-block.ts";
import { readDuration } from "../../durations.ts";
import { type ErrorCode, type Outcome, refuse } from "../../errors.ts";
import { isMap, type Json } from "../../json.ts";
import { LIMITS } from "../../limits.ts";
import { ok } from "../../result.ts";
import { isTarget } from "../../names.ts";
import type { Candidate } from "../../routing/routing.ts";
import type { Request } from "../../wire/schema.ts";
import { readTime } from "../../times.ts";
import type { OpenSuggestion, ThreadState } from "../state.ts";

export type Proposal =
  | { type: "delegate"; to: Candidate }
  /** Milliseconds since 1970 UTC. */
  | { type: "defer"; until: number }
  | { type: "alternative"; text: string }
  | { type: "split"; requests: Request[] }
  | { type: "merge"; combined_intent: string; with: string[]; executor?: string };

const REJECT_HINT = "Reject the suggestion with a reason; its sender can make another.";

const refuseProposal = (
  code: ErrorCode,
  { id }: OpenSuggestion,
  message: string,
  hint = REJECT_HINT,
) => refuse(code, `suggestion ${id} ${message}`, hint);

/** Returns the value of the first field that is present. */
const findField = (proposed: Json | undefined, ...names: string[]): Json | undefined =>
  isMap(proposed) ? names.map((name) => proposed[name]).find((value) => value != null) : proposed;

const isText = (value: Json | undefined): value is string =>
  typeof value === "string" && value.trim() !== "";

/**
 * Reads the proposal into the form in which it is carried out.
 * @param now milliseconds since 1970 UTC, from which durations are counted
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
      return ok({ type: "alternative", text: isText(text) ? text.trim() : "" });
    }
  }
}

/** The proposal of a suggestion, as its sender wrote it. */
export interface SuggestionContent {
  type?: string;
  proposed?: Json | undefined;
}

/** True where accepting the suggestion removes the current holder. */
export const takesFromHolder = (suggestion: SuggestionContent, holder: string | null): boolean =>
  suggestion.type === "defer" ||
  (suggestion.type === "delegate" && readDelegateName(suggestion) !== holder);

/** Returns the member that a suggestion to delegate names, if any. */
export function readDelegateName({ type, proposed }: SuggestionContent): string | undefined {
  const id = type === "delegate" ? findField(proposed, "executor", "to") : undefined;
  return isText(id) ? id.trim() : undefined;
}

function readDelegate(suggested: OpenSuggestion, state: ThreadState): Outcome<Proposal> {
  const id = readDelegateName(suggested);
  if (id === undefined)
    return refuseProposal("missing_field", suggested, "does not name a new executor");
  const known = [...(suggested.delegate ? [suggested.delegate] : []), ...state.candidates];
  const to = known.find((one) => one.id === id);
  return to
    ? ok({ type: "delegate", to })
    : refuseProposal("unknown_executor", suggested, "names an unknown executor");
}

/** Reads the end of a deferral from a duration or a time. */
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
      "has no end time",
      "Reject the suggestion and ask for one with proposed: {until: 2h} or an ISO 8601 time.",
    );
  if (until <= now)
    return refuseProposal("bad_time", suggested, "defers the thread to a time in the past");
  if (state.expires !== undefined && until >= state.expires)
    return refuseProposal("bad_time", suggested, "defers the thread past its expiry");
  return ok({ type: "defer", until });
}

function readSplit(suggested: OpenSuggestion): Outcome<Proposal> {
  const listed = Array.isArray(suggested.proposed)
    ? suggested.proposed
    : findField(suggested.proposed, "requests", "intents");
  if (!Array.isArray(listed) || listed.length < 2)
    return refuseProposal("missing_field", suggested, "has no requests to split the thread into");
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
      return refuseProposal("bad_field", suggested, `has an invalid request: number ${index + 1}`);
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
      `has an intent of more than ${LIMITS.intentChars} characters`,
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
    return refuseProposal("missing_field", suggested, "does not name the threads to merge");
  const executor = isMap(suggested.proposed) ? suggested.proposed["executor"] : undefined;
  return ok({
    type: "merge",
    combined_intent: intent.trim(),
    with: refs,
    ...(isText(executor) ? { executor: executor.trim() } : {}),
  });
}
