/**
 * Appends a member's reply in a chat. It is interpreted and appended in one transaction, so that its meaning is that in
 * the state to which it is appended.
 */
import type { Principal, Role } from "../auth/principal.ts";
import { refuseThreadNotFound } from "../auth/thread-not-found.ts";
import {
  buildReplyBlocks,
  type ChatReply,
  type ReplyContext,
} from "../channels/replies/interpret-reply.ts";
import { buildRequestorBlocks } from "../channels/replies/interpret-requestor-reply.ts";
import { readKeyword } from "../channels/replies/reply-keywords.ts";
import { OFFERED_OWNER_ACTIONS } from "../channels/replies/reply-texts.ts";
import { buildCallKey } from "../auth/call-key.ts";
import type { ChatSpeaker, InboundReply, ReplyResult } from "../contracts/thread.ts";
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import { fail, ok } from "../mess/result.ts";
import { listPermissions } from "../mess/thread/actions.ts";
import { canSee } from "../mess/thread/policy.ts";
import { getSourceOrigin, type ThreadState } from "../mess/thread/state.ts";
import { stripControls } from "../mess/wire/control-characters.ts";
import { checkMessages } from "../mess/wire/parse.ts";
import type { BlockInput } from "../mess/wire/schema.ts";
import type { ThreadLog } from "./thread-log.ts";
import { writeMessage } from "./write-message.ts";

type ReplyToFind = Pick<InboundReply, "key" | "action" | "text">;

/** The result of an earlier delivery of the event; null for a new event. Refused for a speaker without access. */
export function findReply(
  log: ThreadLog,
  speaker: ChatSpeaker,
  reply: ReplyToFind,
): Outcome<ReplyResult | null> {
  const state = log.getState();
  const principal = findPrincipal(state, speaker, reply);
  if (!principal) return refuseThreadNotFound();
  const found = log.findReceipt(buildCallKey(principal, 0, reply.key));
  if (!found?.receipt) return ok(null);
  const asRequestor = speaksAsRequestor(state, principal);
  const result = buildResult(state, principal, asRequestor);
  return ok({ ...result, status: found.receipt.status, isDuplicate: true });
}

/** Appends the reply, once for each key. Refused with `empty_message`, or as the message itself would be. */
export function receiveReply(
  log: ThreadLog,
  speaker: ChatSpeaker,
  reply: InboundReply,
  now: number,
): Outcome<ReplyResult> {
  const state = log.getState();
  const principal = findPrincipal(state, speaker, reply);
  if (!principal) return refuseThreadNotFound();
  const repeated = findReply(log, speaker, reply);
  if (!repeated.ok) return repeated;
  if (repeated.value) return ok(repeated.value);
  const asRequestor = speaksAsRequestor(state, principal);
  const written = asRequestor
    ? writeRequestorReply(log, state, principal, reply, now)
    : writeExecutorReply(log, state, principal, reply, now, speaker.identifiedOwner);
  return written.ok
    ? ok({
        ...buildResult(log.getState(), principal, asRequestor),
        ...describeDecision(log, reply),
      })
    : fail(describeRefusal(state, principal, written.error, now));
}

/**
 * The member as a participant of the thread; else as the owner that was alerted. An alerted owner that cancels acts as
 * owner, even if they are a candidate.
 */
function findPrincipal(
  state: ThreadState,
  { household, actor, alertedOwner }: ChatSpeaker,
  { action, text = "" }: ReplyToFind,
): Principal | undefined {
  const build = (member: string, role: Role): Principal => ({ household, actor: member, role });
  const asMember = build(actor, "executor");
  const asOwner = alertedOwner === undefined ? undefined : build(alertedOwner, "owner");
  const cancels = action === "cancel" || (action === "message" && readKeyword(text) === "cancel");
  const principals = asOwner ? (cancels ? [asOwner] : [asMember, asOwner]) : [asMember];
  return principals.find((principal) => canSee(state, toSender(principal)));
}

const toSender = ({ actor, role }: Principal) => ({ actor, owner: role === "owner" });

/** True for the requestor, and for an owner in its place; false for the holder. */
const speaksAsRequestor = (
  { requestor, executor }: ThreadState,
  { actor, role }: Principal,
): boolean => (role === "owner" || actor === requestor) && actor !== executor;

function buildResult(
  { ref, intent, status, executor }: ThreadState,
  { actor }: Principal,
  asRequestor: boolean,
): ReplyResult {
  return {
    ref,
    intent,
    status,
    isDuplicate: false,
    ...(executor === actor ? { holdsThread: true as const } : {}),
    ...(asRequestor ? { asRequestor: true as const } : {}),
  };
}

/** Whether the reply approved the draft of the request, if it has one. */
function describeDecision(
  log: ThreadLog,
  { text = "", action }: ReplyToFind,
): Pick<ReplyResult, "draft"> {
  const state = log.getState();
  if (getSourceOrigin(state)?.digest === undefined || state.status !== "completed") return {};
  const isBare = action === "completed" || readKeyword(text) !== undefined;
  const approved = isBare && log.getFact("decided_by") !== undefined;
  return { draft: approved ? "approved" : "not_approved" };
}

const buildContext = (state: ThreadState, { actor }: Principal): ReplyContext => {
  const { status, executor, intent } = state;
  const decides = getSourceOrigin(state) !== undefined;
  return { actor, status, executor, intent, ...(decides ? { decides } : {}) };
};

/** A person cannot see a control character, so it is removed and not refused. */
const toChatReply = ({ files, ...reply }: InboundReply): ChatReply => ({
  ...stripControls(reply),
  files: files.map(({ kind, token }) => ({ kind, token })),
});

function writeRequestorReply(
  log: ThreadLog,
  state: ThreadState,
  principal: Principal,
  reply: InboundReply,
  now: number,
): Outcome<unknown> {
  const blocks = buildRequestorBlocks(toChatReply(reply), {
    ...buildContext(state, principal),
    owner: principal.role === "owner",
    questions: state.questions.length,
  });
  return writeBlocks(log, state, principal, reply, blocks, now);
}

/** If the message needs a confirmation first, appends the question for it instead. */
function writeExecutorReply(
  log: ThreadLog,
  state: ThreadState,
  principal: Principal,
  reply: InboundReply,
  now: number,
  identifiedOwner?: string,
): Outcome<unknown> {
  const context = buildContext(state, principal);
  const person = principal.actor === identifiedOwner ? identifiedOwner : undefined;
  const write = (blocks: BlockInput[]) =>
    writeBlocks(log, state, principal, reply, blocks, now, person);
  const chatReply = toChatReply(reply);
  const first = write(buildReplyBlocks(chatReply, context));
  if (first.ok || first.error.code !== "confirmation_required" || reply.action !== "message")
    return first;
  const second = write(buildReplyBlocks(chatReply, { ...context, needsConfirmation: true }));
  return second.ok ? second : first;
}

/** A refused attempt writes nothing. */
function writeBlocks(
  log: ThreadLog,
  state: ThreadState,
  principal: Principal,
  { channel, key, files }: InboundReply,
  blocks: BlockInput[],
  now: number,
  person?: string,
): Outcome<unknown> {
  if (blocks.length === 0)
    return refuse("empty_message", "the message is empty", "Send a text, a photo or a place.");
  const checked = checkMessages([{ re: state.ref, blocks }]);
  if (!checked.ok) return checked;
  const [message] = checked.value;
  const input = {
    actor: principal,
    channel,
    message: message!,
    blobs: [...files],
    // A repeated event is recognized by its key alone, since its text may mean something else in the current state.
    idempotency: { key: buildCallKey(principal, 0, key), digest: "" },
  };
  return writeMessage(log, state, input, { about: undefined, dead: undefined, person }, now);
}

/** Adds details for the texts for people: the final status, and the actions that a refused owner may take instead. */
function describeRefusal(
  state: ThreadState,
  principal: Principal,
  error: MessError,
  now: number,
): MessError {
  if (error.code === "thread_finished") return { ...error, status: state.status };
  if (principal.role !== "owner" || error.code !== "wrong_role") return error;
  const openActions = listPermissions(state, toSender(principal), now).filter(
    ({ action, allowed }) => allowed && OFFERED_OWNER_ACTIONS.includes(action),
  );
  return { ...error, valid: openActions.map(({ action }) => action) };
}
