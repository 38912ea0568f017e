/**
 * The state machine's entry point for messages of senders: a message is applied whole, or refused without any change.
 * Blocks are applied in order (decision 29).
 */
import type { MessError, Outcome } from "../errors.ts";
import { copyPlain } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { refuseQuota } from "../quotas.ts";
import { fail, ok } from "../result.ts";
import type { Candidate } from "../routing/routing.ts";
import type { Block, Message } from "../wire/schema.ts";
import { isFinal } from "../status.ts";
import { answerQuestions, applyReply } from "./apply-reply.ts";
import { applyStatus } from "./apply-status.ts";
import { checkHolder, renewLease, claimThread } from "./claims.ts";
import { countLinkMessage, type LinkLimits } from "./link-budget.ts";
import { type Change, ThreadDraft } from "./thread-change.ts";
import { buildFinishedError, checkConfirmed } from "./shared-refusals.ts";
import type { ThreadNotice } from "./thread-notices.ts";
import { type MessageSender, checkSender } from "./policy.ts";
import { isUnclaimed, type ThreadState } from "./state.ts";
import { addSuggestion } from "./suggestions/suggestions.ts";
import { fireTimers } from "./timers.ts";

/** Time after a person's response without status until the exchange completes the thread (decision 28). */
export const COMPLETION_GRACE_MS = 10 * 60_000;

export interface IncomingMessage {
  sender: MessageSender;
  channel: string;
  message: Message;
  /** Name of the message in the sender's `re`, if it names a message instead of the thread. */
  about?: string;
  /** The member that a `delegated` status or a suggestion to delegate names, if it is in the household (decision 34). */
  delegate?: Candidate;
  /** Set for a sender with a link, whose messages have a budget. */
  linkLimits?: LinkLimits;
}

/**
 * Applies a message; `state` is not changed.
 * @param now milliseconds since 1970 UTC
 */
export function applyMessage(
  state: ThreadState,
  incoming: IncomingMessage,
  now: number,
): Outcome<Change> {
  const { sender, message } = incoming;
  if (state.documents >= LIMITS.messagesPerThread)
    return refuseQuota("messages_per_thread", LIMITS.messagesPerThread);
  if (state.size >= LIMITS.threadBytes) return refuseQuota("bytes_per_thread", LIMITS.threadBytes);
  const draft = new ThreadDraft(copyPlain(state), now);
  // Apply due timers first, so that the message meets the current state even if the alarm is late.
  fireTimers(draft);
  const overdue = draft.notices.splice(0);
  const blocks = message.blocks.map((block) => normalizeBlock(block));
  const { name } = draft.storeMessage(
    sender.actor,
    incoming.channel,
    { ...message, blocks },
    incoming.about,
  );
  const overBudget =
    incoming.linkLimits &&
    countLinkMessage(draft.state, sender.actor, draft.state.size - state.size, incoming.linkLimits);
  if (overBudget) return fail(overBudget);
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
 * Sends the notices of overdue timers that are still relevant after the message: no offers of a thread that is
 * claimed or ended, and no reminders of what the message answered.
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
    const isUnansweredNotice = more.about === "unanswered";
    const recipients = to.filter(
      (id) => id !== sender && (isUnansweredNotice || isOpen || id === state.executor),
    );
    if (isUnansweredNotice ? state.unanswered : isOpen || kind !== "alert")
      draft.notify(kind, recipients, note, more);
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
      return applyReply(draft, incoming.sender, name, block.body, incoming.about);
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
    case "request":
    case "query":
    case "config":
    case "ack":
      break;
  }
  throw new Error(`unexpected block in an existing thread: ${block.type}`);
}

/** Any message of the holder renews its lease. */
const renewHolderLease = (draft: ThreadDraft, actor: string): undefined =>
  actor === draft.state.executor ? renewLease(draft) : undefined;

/** A response without status keeps the status and starts the time until completion (decision 28). */
function applyResponse(draft: ThreadDraft, actor: string, name: string): MessError | undefined {
  const { state } = draft;
  const error = checkHolder(state, actor, "response");
  if (error) return error;
  if (isFinal(state.status)) {
    // After the end only the last holder may still respond.
    return state.executor === actor ? undefined : buildFinishedError(state);
  }
  const unconfirmed = checkConfirmed(state);
  if (unconfirmed) return unconfirmed;
  if (state.status === "partial") return undefined;
  if (state.executor === null) claimThread(draft, actor, name);
  const kind = state.candidates.find(({ id }) => id === actor)?.kind ?? "person";
  // While a question is open the response cannot be complete: the work continues after the reply.
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
