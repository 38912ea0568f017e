/**
 * The single entry point for messages from chat channels: the household resolves the sender and the thread, the files
 * are stored, and the thread interprets and appends the message. Messages of unknown senders are refused.
 */
import { checkNotSuspended } from "../../auth/suspension.ts";
import { SIGN_IN_PATH } from "../../auth/people/sign-in-links.ts";
import { getConfig } from "../../config.ts";
import { defined } from "../../mess/defined.ts";
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { ResolvedInbound } from "../../contracts/contacts.ts";
import type { ReplyResult } from "../../contracts/thread.ts";
import type { MessError, Outcome } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import type { InboundEvent, ReceiveOutcome, ReceiveRefusal } from "../../channels/chat-event.ts";
import { buildInboundQuery } from "../../channels/inbound-query.ts";
import { receiveWithFiles } from "./receive-files.ts";

type ChatBindings = ExchangeBindings & Parameters<typeof getConfig>[0];

/**
 * Appends a chat event to its target thread, once per event id. Refuses with `unknown_executor` for an unknown sender,
 * `not_found` without a target thread, `empty_message` without content, or the refusal of the message itself; then
 * nothing is stored. Throws on storage errors, so that the channel repeats the event.
 */
export async function receiveEvent(
  env: ChatBindings,
  household: string,
  inbound: InboundEvent,
): Promise<ReceiveOutcome> {
  const query = buildInboundQuery({ files: [], ...inbound });
  if (!query.ok) return query;
  const active = await checkNotSuspended(env, household);
  if (!active.ok) return active;
  const resolved = await getHouseholdStub(env, household).contacts.resolveInbound(query.value);
  return await receiveResolved(env, household, resolved, inbound);
}

/** Like `receiveEvent`, for an event whose sender and thread the household has resolved. */
export async function receiveResolved(
  env: ChatBindings,
  household: string,
  resolved: Outcome<ResolvedInbound>,
  inbound: InboundEvent,
): Promise<ReceiveOutcome> {
  if (!resolved.ok) return resolved;
  const received = await receiveInThread(env, household, resolved.value, inbound);
  if (!received.ok) return fail(addDetails(env, received.error, resolved.value));
  return ok({ ...received.value, ...(resolved.value.isGuessed ? { isGuessed: true } : {}) });
}

async function receiveInThread(
  env: ExchangeBindings,
  household: string,
  { actor, ref, alertedOwner, identifiedOwner }: ResolvedInbound,
  { channel, id, action, text, location, files = [] }: InboundEvent,
): Promise<Outcome<ReplyResult>> {
  const thread = getThreadStub(env, household, ref);
  const speaker = { household, actor, ...defined({ alertedOwner, identifiedOwner }) };
  const reply = {
    channel,
    key: `${channel}:${id}`,
    action,
    ...defined({ text, location }),
  };
  return files.length === 0
    ? await thread.receiveReply(speaker, { ...reply, files: [] })
    : await receiveWithFiles(env, thread, speaker, reply, files);
}

/** Adds the holder's display name where another member holds the thread, and why a tap does not approve. */
function addDetails(
  env: ChatBindings,
  error: MessError,
  { names, isUnconfirmed }: ResolvedInbound,
): ReceiveRefusal {
  if (error.code === "person_required") {
    const { origin } = getConfig(env);
    const signInPage = origin === undefined ? undefined : `${origin}${SIGN_IN_PATH}`;
    return { ...error, ...defined({ isUnconfirmed, signInPage }) };
  }
  const isTakenByOther = error.code === "already_claimed" || error.code === "not_holder";
  const [holder] = isTakenByOther ? (error.valid ?? []) : [];
  return holder === undefined ? error : { ...error, holder: names[holder] ?? holder };
}
