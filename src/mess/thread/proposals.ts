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
import type { Suggested, ThreadState } from "./state.ts";

export type Proposal =
  | { type: "delegate"; to: Candidate }
  /** Milliseconds since 1970 UTC. */
  | { type: "defer"; until: number }
  | { type: "alternative"; words: string }
  | { type: "split"; requests: Request[] }
  | { type: "merge"; combined_intent: string; with: string[]; executor?: string };

const HINT = "Reject it and say why; whoever made it can make another.";

const lacking = (code: ErrorCode, { id }: Suggested, message: string, hint = HINT) =>
  refuse(code, `suggestion ${id} ${message}`, hint);

/** The first of the fields that is given. */
const field = (proposed: Json | undefined, ...names: string[]): Json | undefined =>
  isMap(proposed) ? names.map((name) => proposed[name]).find((value) => value != null) : proposed;

const isText = (value: Json | undefined): value is string =>
  typeof value === "string" && value.trim() !== "";

/**
 * The proposal in the form in which it is carried out.
 * @param now milliseconds since 1970 UTC, from which a duration counts
 */
export function readProposal(
  suggested: Suggested,
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
      const words = field(suggested.proposed, "intent", "message", "description");
      return ok({ type: "alternative", words: isText(words) ? words.trim() : "" });
    }
  }
}

/** What a suggestion proposes, in its sender's words. */
export interface Suggestion {
  type?: string;
  proposed?: Json | undefined;
}

/** Accepted, it takes the thread from whoever has it. */
export const yields = (suggestion: Suggestion, holder: string | null): boolean =>
  suggestion.type === "defer" ||
  (suggestion.type === "delegate" && delegateIn(suggestion) !== holder);

/** The member that a suggestion to delegate names, if it names any. */
export function delegateIn({ type, proposed }: Suggestion): string | undefined {
  const id = type === "delegate" ? field(proposed, "executor", "to") : undefined;
  return isText(id) ? id.trim() : undefined;
}

function readDelegate(suggested: Suggested, state: ThreadState): Outcome<Proposal> {
  const id = delegateIn(suggested);
  if (id === undefined) return lacking("missing_field", suggested, "does not say who should do it");
  const known = [...(suggested.delegate ? [suggested.delegate] : []), ...state.candidates];
  const to = known.find((one) => one.id === id);
  return to
    ? ok({ type: "delegate", to })
    : lacking("unknown_executor", suggested, "names nobody who can be asked");
}

/** Seconds from now, or a time. */
export function readUntil(
  proposed: Json | undefined,
  now: number,
  zone: string,
): number | undefined {
  const text = field(proposed, "not_before", "until", "for", "duration");
  if (!isText(text)) return undefined;
  const seconds = readDuration(text);
  return seconds === undefined ? readTime(text, zone) : now + seconds * 1000;
}

function readDefer(suggested: Suggested, state: ThreadState, now: number): Outcome<Proposal> {
  const until = readUntil(suggested.proposed, now, state.zone);
  if (until === undefined)
    return lacking(
      "missing_field",
      suggested,
      "does not say until when",
      "Reject it, and ask for one with proposed: {until: 2h}, or a time in ISO 8601.",
    );
  if (until <= now) return lacking("bad_time", suggested, "puts it off until a time that is past");
  if (state.expires !== undefined && until >= state.expires)
    return lacking("bad_time", suggested, "puts it off until after the thread has expired");
  return ok({ type: "defer", until });
}

function readSplit(suggested: Suggested): Outcome<Proposal> {
  const listed = Array.isArray(suggested.proposed)
    ? suggested.proposed
    : field(suggested.proposed, "requests", "intents");
  if (!Array.isArray(listed) || listed.length < 2)
    return lacking("missing_field", suggested, "does not say into which requests it is split");
  if (listed.length > LIMITS.requestsPerBatch)
    return lacking("too_large", suggested, `has more than ${LIMITS.requestsPerBatch} requests`);
  const requests: Request[] = [];
  for (const [index, item] of listed.entries()) {
    const raw = isMap(item) && isMap(item["request"]) ? item["request"] : item;
    const read = readBlock("request", raw, []);
    if (!read.ok || read.value.block.type !== "request")
      return lacking("bad_field", suggested, `cannot be split: request ${index + 1} is not one`);
    requests.push(read.value.block.body);
  }
  return ok({ type: "split", requests });
}

function readMerge(suggested: Suggested): Outcome<Proposal> {
  const intent = field(suggested.proposed, "combined_intent", "intent");
  if (!isText(intent)) return lacking("missing_field", suggested, "has no combined_intent");
  if (intent.length > LIMITS.intent)
    return lacking("too_large", suggested, `has more than ${LIMITS.intent} characters of intent`);
  const named = isMap(suggested.proposed) ? suggested.proposed["with"] : undefined;
  const more = Array.isArray(named) ? named.filter(isText).filter(isTarget) : [];
  const refs = [...new Set([...(suggested.re ?? []), ...more])];
  if (refs.length > LIMITS.targets)
    return lacking("too_large", suggested, `merges more than ${LIMITS.targets} threads`);
  if (refs.length < 2) return lacking("missing_field", suggested, "does not say what to merge");
  const executor = isMap(suggested.proposed) ? suggested.proposed["executor"] : undefined;
  return ok({
    type: "merge",
    combined_intent: intent.trim(),
    with: refs,
    ...(isText(executor) ? { executor: executor.trim() } : {}),
  });
}
