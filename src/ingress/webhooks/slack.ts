/**
 * `POST /hooks/slack/{household}`: messages and button taps from Slack. The response is sent after the message is
 * stored in its thread, so no accepted event is lost. Slack times out after three seconds (large files only) and
 * repeats the event; the work continues, and the repeated event has no second effect.
 */
import { defined } from "../../mess/defined.ts";
import { getHouseholdStub } from "../../stubs.ts";
import { isKnownHousehold } from "../../auth/known-households.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import { getConfig } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { log, logDefect } from "../../log.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { readBytes } from "../http/request-body.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../http/route.ts";
import type { ReceiveRefusal, ReceiveResult } from "../../channels/chat-event.ts";
import { receiveResolved } from "./receive-chat-event.ts";
import { getRefusalText } from "../../channels/replies/reply-texts.ts";
import { isTransient } from "../../channels/shared/remote-file.ts";
import { buildGuessedTaskReceipt } from "../../channels/replies/guessed-task-receipt.ts";
import {
  type SlackBot,
  callSlack,
  isSlackUrl,
  toSlackRemoteFile,
} from "../../channels/slack/bot.ts";
import type { InboundRequest } from "../../channels/inbound.ts";
import { FORM_TYPE } from "../../channels/shared/request-body.ts";
import { slackConfig } from "../../channels/slack/config.ts";
import { toSlackMessage } from "../../source-kinds/slack/receive.ts";
import { receiveSourceMessage, type SourceReceipt } from "./receive-source-message.ts";
import type { SlackEvent } from "../../channels/slack/receive.ts";
import type { ResolvedInbound } from "../../contracts/contacts.ts";

/** Maximum bytes of an event: text and file metadata. */
const MAX_EVENT_BYTES = 1024 * 1024;
/** Slack sends an event at most four times. */
const MAX_RETRIES = 3;

async function handleRequest(call: NoHouseholdCall): HandlerPromise {
  const { request } = call;
  const body = await readBytes(request, MAX_EVENT_BYTES);
  if (!body.ok) return body;
  const { url, headers } = request;
  const work = receiveRequest(call, { url, headers, body: body.value });
  // Slack disconnects after three seconds, which must not stop the work.
  call.c.executionCtx.waitUntil(work.catch(() => undefined));
  return await work;
}

async function receiveRequest(call: NoHouseholdCall, request: InboundRequest): HandlerPromise {
  const { env, param } = call;
  const household = param("household");
  if (!(await isKnownHousehold(env, household))) return refuseUnauthenticated();
  const { contacts } = getHouseholdStub(env, household);
  const received = await contacts.receiveInbound("slack", request);
  if (!received) return refuseUnauthenticated();
  const { event, settings, resolved, source } = received;
  if (event && "challenge" in event) return ok({ body: event });
  if (!event || !resolved) return ok({ body: {} });
  const { loopback, origin } = getConfig(env);
  const bot = {
    settings: slackConfig.settings.parse(settings),
    egress: createEgress({ loopback, origin }),
  };
  if (source !== undefined && !resolved.ok && !mustWaitForHandle(call, event, resolved.error))
    return await processForSource(
      call,
      { household, source },
      bot,
      { event, body: request.body },
      resolved.error,
    );
  return await processEvent(call, household, bot, event, resolved);
}

/** Stores a message that answers no request. A member sees by a reaction that it arrived. */
async function processForSource(
  call: NoHouseholdCall,
  ids: { household: string; source: string },
  bot: SlackBot,
  { event, body }: { event: SlackEvent; body: Uint8Array },
  refusal: MessError,
): HandlerPromise {
  const message = toSlackMessage(event, body, Date.now());
  const files = event.files.map((file) => toSlackRemoteFile(bot, file));
  const isRepeated = getRetry(call) < MAX_RETRIES;
  const stored = await receiveSourceMessage(call.env, ids, { message, files, refusal, isRepeated });
  if (!stored.ok) return stored;
  runAfterResponse(call, confirmToMember(bot, event, stored.value));
  return ok({ body: {} });
}

async function confirmToMember(
  bot: SlackBot,
  { channel, ts, user, thread }: SlackEvent,
  receipt: SourceReceipt,
): Promise<void> {
  if (receipt.kind === "seen")
    await callSlack(bot, "reactions.add", { channel, timestamp: ts, name: "eyes" });
  if (receipt.kind === "text")
    await callSlack(bot, "chat.postEphemeral", {
      channel,
      user,
      text: receipt.text,
      ...defined({ thread_ts: thread }),
    });
}

const getRetry = ({ request }: NoHouseholdCall): number =>
  Number(request.headers.get("X-Slack-Retry-Num") ?? 0);

async function processEvent(
  call: NoHouseholdCall,
  household: string,
  bot: SlackBot,
  event: SlackEvent,
  resolved: Outcome<ResolvedInbound>,
): HandlerPromise {
  const { env } = call;
  const result = await receiveResolved(env, household, resolved, {
    ...event.inbound,
    identities: event.identities,
    files: event.files.map((file) => toSlackRemoteFile(bot, file)),
  });
  const retry = getRetry(call);
  if (result.ok) {
    runAfterResponse(call, confirmReceipt(bot, event, result.value));
    return ok({ body: {} });
  }
  log("not_heard", { channel: "slack", household, code: result.error.code, retry });
  // Slack repeats an event after a temporary error. It does not repeat taps, so the person gets the error at once.
  const isEvent = event.inbound.action === "message";
  const mayRetry = isTransient(result.error) || isHandleUnknownYet(event, result.error);
  if (isEvent && mayRetry && retry < MAX_RETRIES)
    return isTransient(result.error) ? result : refuseTooEarly();
  runAfterResponse(call, notifyPerson(bot, event, result.error));
  return ok({ body: {} });
}

/** Runs after the response, which does not wait for it. */
const runAfterResponse = ({ c }: NoHouseholdCall, work: Promise<void>): void =>
  c.executionCtx.waitUntil(work.catch((error: unknown) => logDefect(error, { channel: "slack" })));

/** Seconds within which the household stores the Slack id of a message that it sent. */
const HANDLE_DELAY_SECONDS = 60;

/** A reply arrived before the id of the message that it replies to was stored. */
const isHandleUnknownYet = ({ inbound, thread }: SlackEvent, { code }: MessError): boolean =>
  code === "not_found" &&
  inbound.isOwnMessage === true &&
  Date.now() / 1_000 - Number(thread ?? 0) < HANDLE_DELAY_SECONDS;

/** The reply may be for a request after all: Slack repeats it. */
const mustWaitForHandle = (call: NoHouseholdCall, event: SlackEvent, error: MessError): boolean =>
  isHandleUnknownYet(event, error) && getRetry(call) < MAX_RETRIES;

const refuseTooEarly = (): Outcome<never> =>
  refuse("internal", "the message that this replies to is not stored yet", "Send it again.");

/**
 * Adds a reaction to the message once it is stored; skipped if the bot lacks the permission. If several threads could
 * be meant, names the chosen one in text, so that the sender can correct it.
 */
async function confirmReceipt(
  bot: SlackBot,
  event: SlackEvent,
  result: ReceiveResult,
): Promise<void> {
  const { channel, ts, user, inbound } = event;
  if (ts === undefined) return;
  await callSlack(bot, "reactions.add", { channel, timestamp: ts, name: "thumbsup" });
  if (!result.isGuessed) return;
  const text = buildGuessedTaskReceipt(result, inbound.text ?? "");
  await callSlack(bot, "chat.postEphemeral", { channel, user, text });
}

/** Sends one sentence that only the person sees. No reply in a channel that belongs to no member. */
async function notifyPerson(
  bot: SlackBot,
  { responseUrl, user, channel, thread }: SlackEvent,
  error: ReceiveRefusal,
): Promise<void> {
  if (error.code === "unknown_executor" && !channel.startsWith("D")) return;
  const text = getRefusalText(error);
  if (responseUrl !== undefined) {
    if (!isSlackUrl(responseUrl, bot.settings)) return;
    await bot.egress.send(responseUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ response_type: "ephemeral", replace_original: false, text }),
    });
    return;
  }
  await callSlack(bot, "chat.postEphemeral", {
    channel,
    user,
    text,
    ...defined({ thread_ts: thread }),
  });
}

export const slackRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/hooks/slack/{household}",
    access: "open",
    summary: "Receive messages and button taps from Slack",
    description:
      "The request URL of the household's Slack app, for events and for interactivity. Signed by Slack with the app's signing secret, within five minutes; each event counts once.",
    body: { description: "Slack's own payloads", types: ["application/json", FORM_TYPE] },
    handle: handleRequest,
  }),
];
