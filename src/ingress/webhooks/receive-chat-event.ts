/**
 * The single entry point for messages from chat channels: the household resolves the sender and the thread, the files
 * are stored, and the thread interprets and appends the message. Messages of unknown senders are refused.
 */
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { ResolvedInbound } from "../../contracts/contacts.ts";
import type { ReplyResult } from "../../contracts/thread.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { buildTooLongHint } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { fail, ok } from "../../mess/result.ts";
import type { InboundEvent, ReceiveOutcome, ReceiveRefusal } from "../../channels/chat-event.ts";
import { classifyReply } from "../../channels/replies/interpret-reply.ts";
import { receiveWithFiles } from "./receive-files.ts";

/**
 * Appends a chat event to its target thread, once per event id. Refuses with `unknown_executor` for an unknown sender,
 * `not_found` without a target thread, `empty_message` without content, or the refusal of the message itself; then
 * nothing is stored. Throws on storage errors, so that the channel repeats the event.
 */
export async function receiveEvent(
  env: ExchangeBindings,
  household: string,
  inbound: InboundEvent,
): Promise<ReceiveOutcome> {
  const long = checkInboundLengths(inbound);
  if (long) return fail(long);
  const resolved = await resolveSender(env, household, inbound);
  if (!resolved.ok) return resolved;
  const received = await receiveInThread(env, household, resolved.value, inbound);
  if (!received.ok) return fail(addHolder(received.error, resolved.value));
  return ok({ ...received.value, ...(resolved.value.isGuessed ? { isGuessed: true } : {}) });
}

/** Resolves the sender and the thread; a repeated event gets the same result. */
export const resolveSender = (
  env: Pick<ExchangeBindings, "HOUSEHOLDS">,
  household: string,
  inbound: InboundEvent,
): Promise<Outcome<ResolvedInbound>> => {
  const { channel, identities, personIdentities, ref, handle, isOwnMessage } = inbound;
  const meaning = classifyReply(inbound);
  return getHouseholdStub(env, household).contacts.resolveInbound({
    channel,
    id: inbound.group ?? inbound.id,
    identities,
    ...(ref === undefined ? {} : { ref }),
    ...(handle === undefined ? {} : { handle }),
    ...(isOwnMessage ? { isOwnMessage } : {}),
    ...(personIdentities === undefined ? {} : { personIdentities }),
    ...(meaning === undefined ? {} : { meaning }),
  });
};

async function receiveInThread(
  env: ExchangeBindings,
  household: string,
  { actor, ref, alertedOwner }: ResolvedInbound,
  { channel, id, action, text, location, files = [] }: InboundEvent,
): Promise<Outcome<ReplyResult>> {
  const thread = getThreadStub(env, household, ref);
  const speaker = { household, actor, ...(alertedOwner === undefined ? {} : { alertedOwner }) };
  const reply = {
    channel,
    key: `${channel}:${id}`,
    action,
    ...(text === undefined ? {} : { text }),
    ...(location === undefined ? {} : { location }),
  };
  return files.length === 0
    ? await thread.receiveReply(speaker, { ...reply, files: [] })
    : await receiveWithFiles(env, thread, speaker, reply, files);
}

const MAX_CHARS = {
  text: LIMITS.freeTextChars,
  id: LIMITS.nameChars,
  group: LIMITS.nameChars,
  ref: LIMITS.targetChars,
  handle: LIMITS.handleChars,
} as const;

/** Undefined if every text of the event is within its limit. */
function checkInboundLengths(inbound: InboundEvent): MessError | undefined {
  const texts = Object.entries(MAX_CHARS).map(
    ([field, maxChars]) => [field, maxChars, inbound[field as keyof typeof MAX_CHARS]] as const,
  );
  const senders = inbound.identities.map((from) => ["from", LIMITS.senderChars, from] as const);
  for (const [field, maxChars, text] of [...texts, ...senders])
    if (text !== undefined && text.length > maxChars)
      return refuse(
        field === "text" ? "too_large" : "bad_field",
        `${field} is longer than ${maxChars} characters`,
        buildTooLongHint(maxChars),
        { path: field },
      ).error;
  return undefined;
}

/** Adds the holder's display name where another member holds the thread. */
function addHolder(error: MessError, { names }: ResolvedInbound): ReceiveRefusal {
  const isTakenByOther = error.code === "already_claimed" || error.code === "not_holder";
  const [holder] = isTakenByOther ? (error.valid ?? []) : [];
  return holder === undefined ? error : { ...error, holder: names[holder] ?? holder };
}
