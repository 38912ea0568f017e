/**
 * The state machine's one door for senders: a message either becomes a change, whole, or is refused and
 * changes nothing. Blocks apply in order (decision 29).
 */
import type { MessError, Outcome } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { fail, ok } from "../result.ts";
import type { Candidate } from "../routing/routing.ts";
import type { Block, Message } from "../wire/schema.ts";
import { isFinal } from "../status.ts";
import { answerQuestions, applyReply } from "./apply-reply.ts";
import { applyStatus } from "./apply-status.ts";
import { checkHolder, renewLease, claimThread } from "./claims.ts";
import { type Change, ThreadDraft } from "./thread-change.ts";
import { buildFinishedError, checkConfirmed } from "./shared-refusals.ts";
import type { ThreadNotice } from "./thread-notices.ts";
import { type MessageSender, checkSender } from "./policy.ts";
import { isUnclaimed, type ThreadState } from "./state.ts";
import { addSuggestion } from "./suggestions.ts";
import { fireTimers } from "./timers.ts";

/** Milliseconds of quiet after a person's bare response until the exchange completes the thread (decision 28). */
const COMPLETION_GRACE_MS = 10 * 60_000;

export interface IncomingMessage {
  sender: MessageSender;
  channel: string;
  message: Message;
  /** Name of the message that the sender's `re` points at, where it is not the thread. */
  about?: string;
  /** The member that a `delegated` status or a suggestion to delegate names, when it is one of the household (decision 34). */
  delegate?: Candidate;
}

/** @param now milliseconds since 1970 UTC. The given state is not changed. */
export function applyMessage(
  state: ThreadState,
  incoming: IncomingMessage,
  now: number,
): Outcome<Change> {
  const { sender, message } = incoming;
  if (state.documents >= LIMITS.messagesPerThread || state.size >= LIMITS.threadBytes)
    return fail({
      code: "thread_full",
      message: `the thread holds ${LIMITS.messagesPerThread} messages, or ${LIMITS.threadBytes / 1024 / 1024} MB of them`,
      hint: "Make a new request and point at this one with a ref entry in its context.",
    });
  const draft = new ThreadDraft(structuredClone(state), now);
  // A message is judged by what the thread is now, not by what it was when an alarm last ran.
  fireTimers(draft);
  const overdue = draft.notices.splice(0);
  const blocks = message.blocks.map((block) => normalizeBlock(block));
  const { name } = draft.storeMessage(
    sender.actor,
    incoming.channel,
    { ...message, blocks },
    incoming.about,
  );
  for (const [index, block] of blocks.entries()) {
    const error =
      checkSender(draft.state, sender, block.type) ??
      applyBlock(draft, incoming, block, name ?? "");
    if (error) return fail({ path: `MESS[${index}].${block.type}`, ...error });
  }
  fireTimers(draft);
  sendOverdueNotices(draft, overdue, sender.actor);
  return ok(draft.change);
}

/**
 * What was due before the message came is told as far as it still matters: nobody to take what was taken or has ended,
 * and nobody of what they have just answered.
 */
function sendOverdueNotices(
  draft: ThreadDraft,
  overdue: readonly ThreadNotice[],
  sender: string,
): void {
  const { state } = draft;
  if (isFinal(state.status)) return;
  const isOpen = isUnclaimed(state);
  for (const { kind, to, note, ...more } of overdue) {
    const owed = more.about === "unanswered";
    const still = to.filter((id) => id !== sender && (owed || isOpen || id === state.executor));
    if (owed ? state.unanswered : isOpen || kind !== "alert") draft.notify(kind, still, note, more);
  }
}

/** An executor's `cancelled` is a decline (decision 35). */
const normalizeBlock = (block: Block): Block =>
  block.type === "status" && block.body.code === "cancelled"
    ? { ...block, body: { ...block.body, code: "declined" } }
    : block;

function applyBlock(
  draft: ThreadDraft,
  incoming: IncomingMessage,
  block: Block,
  name: string,
): MessError | undefined {
  const { actor } = incoming.sender;
  switch (block.type) {
    case "status":
      return applyStatus(draft, actor, name, block.body, incoming.delegate);
    case "response":
      return applyResponse(draft, actor, name);
    case "reply":
      return applyReply(draft, actor, name, block.body, incoming.about);
    case "answer":
      return answerQuestions(draft, actor, name, block.body.value, incoming.about);
    case "cancel":
      return applyCancel(draft, actor, name, block.body.reason);
    case "suggestion":
      return (
        addSuggestion(draft.state, block.body, name, incoming.delegate) ??
        renewHolderLease(draft, actor)
      );
    case "followup":
    case "review":
      return renewHolderLease(draft, actor);
    default:
      throw new Error(`${block.type} reached an existing thread`);
  }
}

/** Whatever its holder says shows that the work goes on. */
const renewHolderLease = (draft: ThreadDraft, actor: string): undefined =>
  actor === draft.state.executor ? renewLease(draft) : undefined;

/** A bare response keeps the status, and starts the quiet after which the thread completes (decision 28). */
function applyResponse(draft: ThreadDraft, actor: string, name: string): MessError | undefined {
  const { state } = draft;
  const error = checkHolder(state, actor, "response");
  if (error) return error;
  if (isFinal(state.status)) {
    // An ended thread takes words from whoever worked on it, and from nobody else.
    return state.executor === actor ? undefined : buildFinishedError(state);
  }
  const unconfirmed = checkConfirmed(state);
  if (unconfirmed) return unconfirmed;
  if (state.status === "partial") return undefined;
  if (state.executor === null) claimThread(draft, actor, name);
  const kind = state.candidates.find(({ id }) => id === actor)?.kind ?? "person";
  // While a question is open the answer is not the whole answer: the work goes on after the reply.
  if (state.status !== "needs_input")
    state.completes_at = kind === "machine" ? draft.now : draft.now + COMPLETION_GRACE_MS;
  renewLease(draft);
  return undefined;
}

function applyCancel(
  draft: ThreadDraft,
  actor: string,
  name: string,
  reason: string | undefined,
): MessError | undefined {
  const { state } = draft;
  if (isFinal(state.status) || state.status === "partial") return buildFinishedError(state);
  state.questions = [];
  delete state.soft_claim;
  delete state.lease_ends;
  delete state.completes_at;
  draft.move("cancelled", actor, name, reason);
  return undefined;
}
