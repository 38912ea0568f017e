/**
 * The single entry point for messages from chat channels: the household resolves the sender and the thread, the files
 * are stored, and the message is appended in the sender's name. Messages of unknown senders are refused.
 */
import { getHouseholdStub } from "../../stubs.ts";
import { hashSha256 } from "../../auth/hash.ts";
import type { Principal, Role } from "../../auth/principal.ts";
import { postMessages } from "../../exchange/exchange.ts";
import { stageFile } from "../../exchange/stage-upload.ts";
import { withThread, type ExchangeBindings } from "../../exchange/with-thread.ts";
import { buildCallKey } from "../../exchange/append-message.ts";
import type { ResolvedInbound } from "../../contracts/contacts.ts";
import type { Envelope } from "../../mess/envelope.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { buildTooLongHint } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { fail, ok } from "../../mess/result.ts";
import type { Receipt } from "../../contracts/thread.ts";
import { buildRequestorBlocks } from "../../channels/replies/interpret-requestor-reply.ts";
import type { ReceiveResult, InboundEvent, RemoteFile } from "../../channels/chat-event.ts";
import { getRefusalText, OFFERED_OWNER_ACTIONS } from "../../channels/replies/reply-texts.ts";
import { readKeyword } from "../../channels/replies/reply-keywords.ts";
import {
  buildReplyBlocks,
  type ChatReply,
  classifyReply,
} from "../../channels/replies/interpret-reply.ts";

/**
 * Appends a chat event to its target thread, once per event id. Refuses with `unknown_executor` for an unknown sender,
 * `not_found` without a target thread, `empty_message` without content, or the refusal of the message itself; then
 * nothing is stored. Throws on storage errors, so that the channel repeats the event.
 */
export async function receiveEvent(
  env: ExchangeBindings,
  household: string,
  inbound: InboundEvent,
): Promise<Outcome<ReceiveResult>> {
  const long = checkInboundLengths(inbound);
  if (long) return fail(long);
  const { channel, from, personIdentities, ref, handle, isOwnMessage } = inbound;
  const meaning = classifyReply(inbound);
  const resolved = await getHouseholdStub(env, household).contacts.resolveInbound({
    channel,
    id: inbound.group ?? inbound.id,
    from,
    ...(ref === undefined ? {} : { ref }),
    ...(handle === undefined ? {} : { handle }),
    ...(isOwnMessage ? { isOwnMessage } : {}),
    ...(personIdentities === undefined ? {} : { personIdentities }),
    ...(meaning === undefined ? {} : { meaning }),
  });
  if (!resolved.ok) return resolved;
  const found = await findSpeaker(env, household, resolved.value, inbound);
  if (!found.ok) return found;
  const { speaker, envelope, receipt } = found.value;
  const buildResult = ({ executor, ref, intent }: Envelope) => ({
    ref,
    intent,
    ...(executor === speaker.principal.actor ? { holdsThread: true as const } : {}),
    ...(speaksAsRequestor(found.value) ? { asRequestor: true as const } : {}),
    ...(resolved.value.isGuessed ? { isGuessed: true as const } : {}),
  });
  if (receipt) return ok({ ...buildResult(envelope), status: receipt.status, isDuplicate: true });
  const files = await storeFiles(env, speaker, inbound.files ?? []);
  if (!files.ok) return files;
  const posted = await postReply(env, found.value, { ...inbound, files: files.value });
  if (!posted.ok)
    return fail(addEndStatus(await addOwnerActions(env, speaker, posted.error), envelope));
  const now = await readThreadForSpeaker(env, speaker);
  const { envelope: after } = now.ok ? now.value : found.value;
  return ok({ ...buildResult(after), status: after.status, isDuplicate: posted.value.isDuplicate });
}

const MAX_CHARS = {
  text: LIMITS.freeTextChars,
  id: LIMITS.nameChars,
  group: LIMITS.nameChars,
  from: LIMITS.senderChars,
  ref: LIMITS.targetChars,
  handle: LIMITS.handleChars,
} as const;

/** Undefined if every text of the event is within its limit. */
function checkInboundLengths(inbound: InboundEvent): MessError | undefined {
  for (const [field, maxChars] of Object.entries(MAX_CHARS)) {
    const text = inbound[field as keyof typeof MAX_CHARS];
    if (text !== undefined && text.length > maxChars)
      return refuse(
        field === "text" ? "too_large" : "bad_field",
        `${field} is longer than ${maxChars} characters`,
        buildTooLongHint(maxChars),
        { path: field },
      ).error;
  }
  return undefined;
}

/** Like the above, for a sender with several addresses: the first one that belongs to a member counts. */
export async function receiveFromIdentities(
  env: ExchangeBindings,
  household: string,
  names: readonly string[],
  inbound: Omit<InboundEvent, "from">,
): Promise<Outcome<ReceiveResult>> {
  let outcome: Outcome<ReceiveResult> = refuse(
    "unknown_executor",
    "nobody is named",
    "Name somebody.",
  );
  for (const from of names) {
    outcome = await receiveEvent(env, household, { ...inbound, from });
    if (outcome.ok || outcome.error.code !== "unknown_executor") return outcome;
  }
  return outcome;
}

interface EventSpeaker {
  principal: Principal;
  ref: string;
  channel: string;
  /** Idempotency key of the event. */
  key: string;
}

/**
 * Resolves the member as a participant of the thread; else as an owner. For actions of the requestor, an owner acts as
 * owner, even if they are a candidate.
 */
async function findSpeaker(
  env: ExchangeBindings,
  household: string,
  { actor, ref, alertedOwner: owner }: ResolvedInbound,
  { channel, id, action, text }: InboundEvent,
): Promise<Outcome<SpeakerInThread>> {
  const buildSpeaker = (one: string, role: Role): EventSpeaker => ({
    principal: { household, actor: one, role },
    ref,
    channel,
    key: `${channel}:${id}`,
  });
  const asOwner = owner === undefined ? undefined : buildSpeaker(owner, "owner");
  const cancels =
    action === "cancel" || (action === "message" && readKeyword(text ?? "") === "cancel");
  if (asOwner && cancels) return await readThreadForSpeaker(env, asOwner);
  const found = await readThreadForSpeaker(env, buildSpeaker(actor, "executor"));
  return !found.ok && asOwner ? await readThreadForSpeaker(env, asOwner) : found;
}

interface SpeakerInThread {
  speaker: EventSpeaker;
  envelope: Envelope;
  /** Open questions to the requestor. */
  questions: number;
  /** The result of an earlier delivery of the event. */
  receipt: Receipt | null;
}

/** Reads the thread's current state, and the result of an earlier delivery of the event. */
const readThreadForSpeaker = (
  env: ExchangeBindings,
  speaker: EventSpeaker,
): Promise<Outcome<SpeakerInThread>> => {
  const { principal, ref, key } = speaker;
  return withThread(env, principal, ref, undefined, async ({ stub }) => {
    const view = await stub.readThread(principal, Number.MAX_SAFE_INTEGER);
    if (!view.ok) return view;
    const receipt = await stub.findReceipt(principal, buildCallKey(principal, 0, key));
    if (!receipt.ok) return receipt;
    const { envelope, open: openItems } = view.value;
    const questions = openItems.questions.length;
    return ok({ speaker, envelope, questions, receipt: receipt.value });
  });
};

/** Replaces the hint for a refused owner with the actions that are open to an owner. */
async function addOwnerActions(
  env: ExchangeBindings,
  { principal, ref }: EventSpeaker,
  error: MessError,
): Promise<MessError> {
  if (principal.role !== "owner" || error.code !== "wrong_role") return error;
  const view = await withThread(env, principal, ref, undefined, ({ stub }) =>
    stub.readWithActions(principal),
  );
  if (!view.ok) return error;
  const openActions = view.value.may.filter(
    ({ action, allowed }) => allowed && OFFERED_OWNER_ACTIONS.includes(action),
  );
  return { ...error, valid: openActions.map(({ action }) => action) };
}

/**
 * Stores the files one after the other, since each is held in memory. One failure refuses the whole event, so no
 * partial message is stored.
 */
async function storeFiles(
  env: ExchangeBindings,
  { principal, ref, key }: EventSpeaker,
  files: readonly RemoteFile[],
): Promise<Outcome<ChatReply["files"]>> {
  if (files.length > LIMITS.attachmentsPerMessage)
    return refuse(
      "too_many",
      `more than ${LIMITS.attachmentsPerMessage} files`,
      "Send them in several messages.",
    );
  return await withThread<ChatReply["files"]>(env, principal, ref, undefined, async ({ stub }) => {
    const stored: ChatReply["files"][number][] = [];
    for (const [index, { name, mime, fetch }] of files.entries()) {
      const bytes = await fetch();
      if (!bytes.ok) return bytes;
      const staged = await stageFile(env, principal, stub, {
        ...(bytes.value instanceof Uint8Array ? { body: bytes.value } : bytes.value),
        mime,
        original: name,
        id: (await hashSha256([principal.household, ref, key, index].join(" "))).slice(0, 32),
      });
      if (!staged.ok) return staged.error.code === "bad_attachment" ? refuseBrokenOff() : staged;
      stored.push({ kind: staged.value.kind, token: staged.value.token });
    }
    return ok(stored);
  });
}

/** A broken transfer may succeed when the channel repeats the event. */
const refuseBrokenOff = (): Outcome<never> =>
  refuse("internal", "the transfer of a file broke off", "Send it again.");

/** The role of the message: requestor, owner in place of the requestor, or executor as holder. */
const speaksAsRequestor = ({
  speaker: { principal },
  envelope: { requestor, executor },
}: SpeakerInThread): boolean =>
  (principal.role === "owner" || principal.actor === requestor) && principal.actor !== executor;

/** Appends the message. If it needs a confirmation first, appends the question for it instead. */
async function postReply(
  env: ExchangeBindings,
  found: SpeakerInThread,
  chatReply: ChatReply,
): Promise<Outcome<{ isDuplicate: boolean }>> {
  const { speaker, envelope, questions } = found;
  const { principal, ref, channel, key } = speaker;
  const { status, executor, intent } = envelope;
  const owner = principal.role === "owner";
  const where = { actor: principal.actor, status, executor, intent };
  const attempt = async (blocks: JsonMap[]): Promise<Outcome<{ isDuplicate: boolean }>> => {
    if (blocks.length === 0)
      return refuse("empty_message", "the message is empty", "Send a text, a photo or a place.");
    const text = JSON.stringify({ MESS: blocks });
    const posted = await postMessages(env, principal, { text, channel, target: ref, key });
    if (posted.ok) return ok({ isDuplicate: false });
    // A concurrent delivery of the same event was faster, and changed the thread's state.
    return posted.error.code === "idempotency_conflict" ? ok({ isDuplicate: true }) : posted;
  };
  if (speaksAsRequestor(found))
    return await attempt(buildRequestorBlocks(chatReply, { ...where, owner, questions }));
  const first = await attempt(buildReplyBlocks(chatReply, where));
  if (first.ok || first.error.code !== "confirmation_required" || chatReply.action !== "message")
    return first;
  const second = await attempt(buildReplyBlocks(chatReply, { ...where, needsConfirmation: true }));
  return second.ok ? second : first;
}

/** Adds the thread's final status to the error, since the texts for people depend on it. */
const addEndStatus = (error: MessError, { status }: Envelope): MessError =>
  error.code === "thread_finished" ? { ...error, status } : error;

/** The error for the refused person, with the holder's display name. */
export async function getRefusalTextFor(
  env: Pick<ExchangeBindings, "HOUSEHOLDS">,
  household: string,
  error: MessError,
): Promise<string> {
  const isTakenByOther = error.code === "already_claimed" || error.code === "not_holder";
  const [holder] = isTakenByOther ? (error.valid ?? []) : [];
  if (holder === undefined) return getRefusalText(error, undefined);
  const executors = await getHouseholdStub(env, household).settings.listExecutors();
  return getRefusalText(error, executors.find(({ id }) => id === holder)?.name ?? holder);
}
