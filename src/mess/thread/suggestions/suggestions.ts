/** Suggestions of an executor or the exchange, which the requestor accepts or rejects (decision 69). */
import { defined } from "../../defined.ts";
import type { MessError } from "../../errors.ts";
import type { Candidate } from "../../routing/routing.ts";
import type { Block } from "../../wire/schema.ts";
import { getPartition, isFinal } from "../../status.ts";
import { writeTime } from "../../times.ts";
import { releaseHolder, renewLease } from "../claims.ts";
import type { MessageSender } from "../policy.ts";
import type { ThreadDraft } from "../thread-change.ts";
import { buildFinishedError, buildNoQuestionError } from "../shared-refusals.ts";
import { resetEscalation, offerThread, preferCandidate } from "../escalation.ts";
import { readDelegateName, type Proposal, readProposal } from "./proposals.ts";
import type { OpenSuggestion, ThreadState } from "../state.ts";

/** Maximum number of open suggestions; the oldest are dropped, so that the state stays small. */
const MAX_OPEN_SUGGESTIONS = 64;
/** Characters of one proposal, and of all open ones together. */
const MAX_PROPOSAL_CHARS = 32_768;
const MAX_ALL_PROPOSALS_CHARS = 131_072;

export type SuggestionBody = Extract<Block, { type: "suggestion" }>["body"];

/**
 * Records an open suggestion; one without an id is identified by its message.
 * @param delegate the member of the household that it names, if any
 */
export function addSuggestion(
  state: ThreadState,
  body: SuggestionBody,
  name: string,
  delegate?: Candidate,
): MessError | undefined {
  const { id, type, proposed, re } = body;
  const made: OpenSuggestion = {
    id: id ?? name,
    made_in: name,
    type,
    ...defined({ proposed, re }),
    ...(delegate && delegate.id === readDelegateName(body) ? { delegate } : {}),
  };
  if (JSON.stringify(made).length > MAX_PROPOSAL_CHARS)
    return {
      code: "too_large",
      message: `the suggestion is larger than ${MAX_PROPOSAL_CHARS / 1024} KB`,
      hint: "Shorten the proposal, and send files with a followup.",
    };
  state.suggestions = [...state.suggestions, made].slice(-MAX_OPEN_SUGGESTIONS);
  while (JSON.stringify(state.suggestions).length > MAX_ALL_PROPOSALS_CHARS)
    state.suggestions.shift();
  return undefined;
}

/**
 * Applies the requestor's verdict. An accepted suggestion is carried out at once where it concerns only this thread;
 * otherwise it becomes an effect for the household.
 * @param about name of the message in the sender's `re`, if it names one
 */
export function judgeSuggestion(
  draft: ThreadDraft,
  { actor, owner }: MessageSender,
  name: string,
  isAccepted: boolean,
  about: string | undefined,
): MessError | undefined {
  const { state } = draft;
  if (getPartition(state.status) === "canceled") return buildFinishedError(state);
  const candidates = state.suggestions.filter(
    ({ made_in }) => about === undefined || made_in === about,
  );
  const [onlyCandidate, ...others] = candidates;
  if (onlyCandidate === undefined) return buildNoQuestionError("no suggestion is open");
  if (others.length > 0)
    return {
      code: "ambiguous_ref",
      message: `${candidates.length} suggestions are open`,
      hint: "Set re to the id or the ref of the suggestion.",
      valid: candidates.map(({ made_in }) => `${state.ref}/${made_in}`),
    };
  const left = state.suggestions.filter((one) => one !== onlyCandidate);
  if (!isAccepted) {
    state.suggestions = left;
    draft.log("rejected", actor, name, `suggestion ${onlyCandidate.id}`);
    return undefined;
  }
  const read = readProposal(onlyCandidate, state, draft.now);
  if (!read.ok) return read.error;
  const ended = isFinal(state.status) || state.status === "partial";
  if (ended && read.value.type !== "alternative") return buildFinishedError(state);
  state.suggestions = left;
  const description = describeProposal(read.value, state);
  draft.log(
    "accepted",
    actor,
    name,
    `suggestion ${onlyCandidate.id}${description === "" ? "" : `: ${description}`}`,
  );
  carryOutProposal(draft, { actor, owner }, name, onlyCandidate, read.value);
  return undefined;
}

function describeProposal(proposal: Proposal, state: ThreadState): string {
  switch (proposal.type) {
    case "delegate":
      return `passed to ${proposal.to.id}`;
    case "defer":
      return `deferred until ${writeTime(proposal.until, state.zone)}`;
    case "alternative":
      return proposal.text;
    case "split":
      return `split into ${proposal.requests.length}`;
    case "merge":
      return proposal.combined_intent;
    default:
      return proposal satisfies never;
  }
}

function carryOutProposal(
  draft: ThreadDraft,
  { actor: by, owner }: MessageSender,
  accepted_in: string,
  { id: suggestion, made_in }: OpenSuggestion,
  proposal: Proposal,
): void {
  const accepted = {
    suggestion,
    made_in,
    by,
    ...(owner ? { by_owner: true as const } : {}),
    accepted_in,
  };
  switch (proposal.type) {
    case "delegate":
      passToMember(draft, proposal.to);
      break;
    case "defer":
      deferThread(draft, by, accepted_in, proposal.until);
      break;
    case "alternative":
      renewLease(draft);
      break;
    default:
      draft.effects.push({ ...accepted, ...proposal });
  }
}

/** Offers the thread to the member, as if its holder had delegated it (decision 34). */
function passToMember(draft: ThreadDraft, to: Candidate): void {
  const { state } = draft;
  const holder = state.executor ?? undefined;
  if (holder === to.id) return;
  releaseHolder(state);
  preferCandidate(state, to);
  draft.moveByExchange("pending", `passed to ${to.id}, as suggested`);
  offerThread(draft, holder, "a suggestion names you as executor");
}

/** Makes no new offers before `until`; candidates that were offered the thread may still see it. */
function deferThread(draft: ThreadDraft, by: string, name: string, until: number): void {
  const { state } = draft;
  const note = `until ${writeTime(until, state.zone)}`;
  releaseHolder(state);
  resetEscalation(state);
  state.not_before = until;
  state.offered = false;
  state.rung = 0;
  draft.log("deferred", by, name, note);
  draft.moveByExchange("pending", `deferred ${note}`);
}
