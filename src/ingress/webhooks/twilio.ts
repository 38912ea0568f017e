/**
 * `POST /hooks/twilio/{household}`: SMS and MMS from members, and delivery reports. Twilio's signature is verified
 * first; a repeated message has no effect.
 */
import { getHouseholdStub } from "../../stubs.ts";
import * as z from "zod";
import { isKnownHousehold } from "../../auth/known-households.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import { getConfig, getLinkOrigin } from "../../config.ts";
import { getTwilioAuthorization, smsConfig, type SmsSettings } from "../../channels/sms/config.ts";
import { isUnreachableNumberCode, TWILIO_API } from "../../channels/sms/send.ts";
import type { Egress } from "../../egress/egress.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { log } from "../../log.ts";
import type { Outcome } from "../../mess/errors.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { readBytes } from "../http/request-body.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../http/route.ts";
import type { FileStream, RemoteFile } from "../../channels/chat-event.ts";
import { reportDeliveryFailure } from "./delivery-failure.ts";
import { receiveResolved } from "./receive-chat-event.ts";
import { getRefusalText } from "../../channels/replies/reply-texts.ts";
import { fetchRemoteFile, refuseLostFile } from "../../channels/shared/remote-file.ts";
import { buildGuessedTaskReceipt } from "../../channels/replies/guessed-task-receipt.ts";
import type { InboundRequest } from "../../channels/inbound.ts";
import { FORM_TYPE } from "../../channels/shared/request-body.ts";
import type { TwilioEvent, TwilioMedia, TwilioSms } from "../../channels/sms/receive-request.ts";
import { toSmsMessage } from "../../source-kinds/sms/receive.ts";
import { getReceiptSentence, receiveSourceMessage } from "./receive-source-message.ts";
import type { ResolvedInbound } from "../../contracts/contacts.ts";
import { NO_TASK_TEXT, buildTwimlResponse } from "../../channels/sms/twiml.ts";

/** Maximum bytes of a form: 1,600 characters and ten picture URLs. */
const MAX_FORM_BYTES = 64 * 1024;

/** `StatusCallback` has the recipient in its query. */
const querySchema = z.object({
  ref: boundedTextSchema(LIMITS.nameChars).min(1).optional(),
  executor: boundedTextSchema(LIMITS.nameChars).min(1).optional(),
});

type TwilioQuery = z.output<typeof querySchema>;

interface TwilioAccount {
  readonly household: string;
  readonly settings: SmsSettings;
  readonly egress: Egress;
}

async function handleRequest(call: NoHouseholdCall<TwilioQuery>): HandlerPromise {
  const { env, request } = call;
  const body = await readBytes(request, MAX_FORM_BYTES);
  if (!body.ok) return body;
  const { pathname, search } = new URL(request.url);
  const url = `${getLinkOrigin(env, request)}${pathname}${search}`;
  const work = receiveRequest(call, { url, headers: request.headers, body: body.value });
  // Twilio disconnects after 15 seconds and does not repeat the request, so the work must continue without it.
  call.c.executionCtx.waitUntil(work.catch(() => undefined));
  return await work;
}

async function receiveRequest(
  call: NoHouseholdCall<TwilioQuery>,
  request: InboundRequest,
): HandlerPromise {
  const { env, param } = call;
  const household = param("household");
  if (!(await isKnownHousehold(env, household))) return refuseUnauthenticated();
  const received = await getHouseholdStub(env, household).contacts.receiveInbound("sms", request);
  if (!received) return refuseUnauthenticated();
  const { event, resolved, source } = received;
  if (event.kind === "report") return ok(await receiveReport(call, household, event));
  if (event.kind === "ignored") return ok(buildTwimlResponse());
  const { origin, loopback } = getConfig(env);
  const settings = smsConfig.settings.parse(received.settings);
  const account = { household, settings, egress: createEgress({ loopback, origin }) };
  if (source !== undefined && !resolved?.ok) {
    const ids = { household, source };
    const message = toSmsMessage(event, request.body, Date.now());
    const files = event.media.map((one) => toRemoteFile(account, one));
    // Twilio calls the fallback URL of the number, if it has one.
    const handling = { isRepeated: false, refusesUnstored: true } as const;
    const chatMessage = { message, files, refusal: resolved?.error, ...handling };
    const stored = await receiveSourceMessage(env, ids, chatMessage);
    return stored.ok ? ok(buildTwimlResponse(getReceiptSentence(stored.value))) : stored;
  }
  return ok(resolved ? await receiveSms(env, account, event, resolved) : buildTwimlResponse());
}

/** Unknown senders get no reply. */
async function receiveSms(
  env: Env,
  account: TwilioAccount,
  { id, from, text, media }: TwilioSms,
  resolved: Outcome<ResolvedInbound>,
): Promise<Response> {
  const { household } = account;
  const result = await receiveResolved(env, household, resolved, {
    channel: "sms",
    id,
    identities: [from],
    action: "message",
    text,
    files: media.map((one) => toRemoteFile(account, one)),
  });
  log("sms_heard", {
    household,
    code: result.ok ? (result.value.isDuplicate ? "again" : "taken") : result.error.code,
  });
  if (result.ok) return buildTwimlResponse(buildGuessedTaskReceipt(result.value, text));
  const { code } = result.error;
  if (code === "unknown_executor") {
    await getHouseholdStub(env, household).events.recordUnknownSender("sms", from);
    return buildTwimlResponse();
  }
  // An SMS is not a reply to a certain message, so it targets the latest task; there is none.
  return buildTwimlResponse(code === "not_found" ? NO_TASK_TEXT : getRefusalText(result.error));
}

/** The API redirects to another host for pictures; the account's token must only be sent to the API. */
function toRemoteFile(
  { settings, egress }: TwilioAccount,
  { url, mime, name }: TwilioMedia,
): RemoteFile {
  const fetch = async (): Promise<Outcome<Uint8Array | FileStream>> => {
    const { api = TWILIO_API } = settings;
    if (!URL.canParse(url) || new URL(url).origin !== new URL(api).origin)
      return refuseLostFile("it is not stored at Twilio");
    const headers = { Authorization: getTwilioAuthorization(settings) };
    const led = await egress.send(url, { headers, redirect: "manual" });
    if (!led.ok) return led;
    const { status, headers: answered } = led.value;
    const location = answered.get("Location");
    if (status >= 300 && status < 400 && location !== null)
      return await fetchRemoteFile(egress, new URL(location, url).href, mime);
    return status === 404 || status === 410
      ? refuseLostFile(`its server answered ${status}`)
      : await fetchRemoteFile(egress, url, mime, headers);
  };
  return { name, mime, fetch };
}

/** A delivery report. Only failures have an effect: on the number, or on the channel of the member. */
async function receiveReport(
  { env, query: { ref, executor } }: NoHouseholdCall<TwilioQuery>,
  household: string,
  { status, handle, to, errorCode }: Extract<TwilioEvent, { kind: "report" }>,
): Promise<Response> {
  if (ref === undefined || executor === undefined || !/^(?:failed|undelivered)$/.test(status))
    return buildTwimlResponse();
  await reportDeliveryFailure(env, {
    household,
    ref,
    executor,
    channel: "sms",
    identity: to,
    handles: [handle],
    reason: `not delivered, error ${errorCode}`,
    isPermanent: isUnreachableNumberCode(errorCode),
  });
  return buildTwimlResponse();
}

export const twilioRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/hooks/twilio/{household}",
    access: "open",
    summary: "Receive members' SMS, and delivery reports",
    description:
      "The webhook of the household's Twilio number. Signed by Twilio with the account's token over PUBLIC_ORIGIN and the parameters; each message counts once. Answers with TwiML.",
    query: querySchema,
    body: { description: "Twilio's own parameters", types: [FORM_TYPE] },
    produces: "text/xml",
    handle: handleRequest,
  }),
];
