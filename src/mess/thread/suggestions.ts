/** Suggestions: made by an executor or the exchange, judged by the requestor (decision 69). */
import type { MessError } from "../errors.ts";
import type { Candidate } from "../routing/routing.ts";
import type { Block } from "../wire/schema.ts";
import { isFinal } from "../status.ts";
import { writeTime } from "../times.ts";
import { letGo, renewLease } from "./claims.ts";
import type { Draft } from "./thread-change.ts";
import { finishedFault, nothingAsked } from "./shared-refusals.ts";
import { leaveLadder, offer, prefer } from "./escalation.ts";
import { delegateIn, type Proposal, readProposal } from "./proposals.ts";
import type { Suggested, ThreadState } from "./state.ts";

/** Suggestions that a verdict can reach; the oldest give way, so that the state stays small. */
const MOST_OPEN = 64;
/** Characters of one proposal, and of all that are open. */
const LONGEST = 32_768;
const LONGEST_TOGETHER = 131_072;

export type SuggestionBody = Extract<Block, { type: "suggestion" }>["body"];

/**
 * Notes a suggestion as open; without an id it is known by its message.
 * @param delegate the member of the household that it names, if any
 */
export function suggest(
  state: ThreadState,
  body: SuggestionBody,
  name: string,
  delegate?: Candidate,
): MessError | undefined {
  const { id, type, proposed, re } = body;
  const made: Suggested = {
    id: id ?? name,
    made_in: name,
    type,
    ...(proposed === undefined ? {} : { proposed }),
    ...(re === undefined ? {} : { re }),
    ...(delegate && delegate.id === delegateIn(body) ? { delegate } : {}),
  };
  if (JSON.stringify(made).length > LONGEST)
    return {
      code: "too_large",
      message: `a suggestion of more than ${LONGEST / 1024} KB`,
      hint: "Propose it in fewer words, and send files with a followup.",
    };
  state.suggestions = [...state.suggestions, made].slice(-MOST_OPEN);
  while (JSON.stringify(state.suggestions).length > LONGEST_TOGETHER) state.suggestions.shift();
  return undefined;
}

/**
 * The requestor's verdict. What was accepted is carried out at once where it concerns this thread alone; what needs
 * others becomes an effect.
 * @param about name of the message in the sender's `re`, where it named one
 */
export function judge(
  draft: Draft,
  actor: string,
  name: string,
  yes: boolean,
  about: string | undefined,
): MessError | undefined {
  const { state } = draft;
  const meant = state.suggestions.filter(({ made_in }) => about === undefined || made_in === about);
  const [only, ...others] = meant;
  if (only === undefined) return nothingAsked("no suggestion is open");
  if (others.length > 0)
    return {
      code: "ambiguous_ref",
      message: `${meant.length} suggestions are open`,
      hint: "Point re at the suggestion's own ref.",
      valid: meant.map(({ made_in }) => `${state.ref}/${made_in}`),
    };
  const left = state.suggestions.filter((one) => one !== only);
  if (!yes) {
    state.suggestions = left;
    draft.log("rejected", actor, name, `suggestion ${only.id}`);
    return undefined;
  }
  const read = readProposal(only, state, draft.now);
  if (!read.ok) return read.error;
  const ended = isFinal(state.status) || state.status === "partial";
  if (ended && read.value.type !== "alternative") return finishedFault(state);
  state.suggestions = left;
  const what = wordsOf(read.value, state);
  draft.log("accepted", actor, name, `suggestion ${only.id}${what === "" ? "" : `: ${what}`}`);
  carryOut(draft, actor, name, only, read.value);
  return undefined;
}

function wordsOf(proposal: Proposal, state: ThreadState): string {
  switch (proposal.type) {
    case "delegate":
      return `passed to ${proposal.to.id}`;
    case "defer":
      return `put off until ${writeTime(proposal.until, state.zone)}`;
    case "alternative":
      return proposal.words;
    case "split":
      return `split in ${proposal.requests.length}`;
    case "merge":
      return proposal.combined_intent;
    default:
      return proposal satisfies never;
  }
}

function carryOut(
  draft: Draft,
  by: string,
  accepted_in: string,
  { id: suggestion, made_in }: Suggested,
  proposal: Proposal,
): void {
  const accepted = { suggestion, made_in, by, accepted_in };
  switch (proposal.type) {
    case "delegate":
      passTo(draft, proposal.to);
      break;
    case "defer":
      putOff(draft, by, accepted_in, proposal.until);
      break;
    case "alternative":
      renewLease(draft);
      break;
    default:
      draft.effects.push({ ...accepted, ...proposal });
  }
}

/** The thread goes to the member, as if its holder had passed it on (decision 34). */
function passTo(draft: Draft, to: Candidate): void {
  const { state } = draft;
  const holder = state.executor ?? undefined;
  if (holder === to.id) return;
  letGo(state);
  prefer(state, to);
  draft.exchangeMoves("pending", `passed to ${to.id}, as was suggested`);
  offer(draft, holder, "it was suggested that you do it");
}

/** Nobody is asked, or asked again, before its time; who was asked already may still look at it. */
function putOff(draft: Draft, by: string, name: string, until: number): void {
  const { state } = draft;
  const words = `until ${writeTime(until, state.zone)}`;
  letGo(state);
  leaveLadder(state);
  state.not_before = until;
  state.offered = false;
  state.rung = 0;
  draft.log("deferred", by, name, words);
  draft.exchangeMoves("pending", `put off ${words}`);
}
