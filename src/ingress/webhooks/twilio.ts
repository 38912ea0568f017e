/**
 * `POST /hooks/twilio/{household}`: SMS and MMS from members, and delivery reports. Twilio's signature is verified
 * first; a repeated message has no effect.
 */
import { getHouseholdStub } from "../../stubs.ts";
import * as z from "zod";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import { getConfig } from "../../config.ts";
import { smsConfig, type SmsSettings } from "../../channels/sms/config.ts";
import { isGoneNumber, TWILIO_API } from "../../channels/sms/send.ts";
import type { Egress } from "../../egress/egress.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { log } from "../../log.ts";
import type { Outcome } from "../../mess/errors.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { decodeUtf8, readMediaType, readBytes } from "../http/request-body.ts";
import {
  type HandlerPromise,
  type OpenHttpCall,
  defineOpenRoute,
  type HttpRoute,
} from "../http/route.ts";
import type { FileStream, RemoteFile } from "../../channels/chat-event.ts";
import { reportDeliveryFailure } from "./delivery-failure.ts";
import { receiveEvent } from "./receive-chat-event.ts";
import { getRefusalText } from "../../channels/replies/reply-texts.ts";
import { fetchRemoteFile, refuseLostFile } from "../../channels/shared/remote-file.ts";
import { buildGuessedTaskReceipt } from "../../channels/replies/guessed-task-receipt.ts";
import { isFromTwilio } from "../../channels/sms/verify.ts";
import { NO_TASK_TEXT, buildTwimlResponse } from "../../channels/sms/twiml.ts";

/** Maximum bytes of a form: 1,600 characters and ten picture URLs. */
const MAX_FORM_BYTES = 64 * 1024;
const FORM_TYPE = "application/x-www-form-urlencoded";
const MAX_MEDIA = 10;

/** Keywords that Twilio itself handles, so tasks ignore them (not `YES`, which confirms a task). */
const TWILIO_KEYWORD_PATTERN =
  /^\s*(?:stop|stopall|unsubscribe|cancel|end|quit|revoke|optout|start|unstop|help|info)\s*$/i;

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

async function handleRequest(call: OpenHttpCall<TwilioQuery>): HandlerPromise {
  const { env, request, param } = call;
  const body = await readBytes(request, MAX_FORM_BYTES);
  if (!body.ok) return body;
  const text = decodeUtf8(body.value);
  const form = new URLSearchParams(
    text.ok && readMediaType(request) === FORM_TYPE ? text.value : "",
  );
  const household = param("household");
  const stored = await getHouseholdStub(env, household).contacts.getChannelSettings("sms");
  const read = smsConfig.settings.safeParse(stored);
  const { origin, loopback } = getConfig(env);
  const { pathname, search, origin: requestOrigin } = new URL(request.url);
  // A household without SMS takes as long to refuse as a wrong signature, so timing does not reveal it.
  const token = read.success ? read.data.auth_token : "nobody signs with this";
  const signature = request.headers.get("X-Twilio-Signature");
  const signed = await isFromTwilio(
    token,
    signature,
    `${origin ?? requestOrigin}${pathname}${search}`,
    form,
  );
  if (!read.success || !signed || form.get("AccountSid") !== read.data.account_sid)
    return refuseUnauthenticated();
  const account = { household, settings: read.data, egress: createEgress({ loopback, origin }) };
  const work = form.has("Body")
    ? receiveSms(env, account, form)
    : receiveStatus(call, account, form);
  // Twilio disconnects after 15 seconds and does not repeat the request, so the work must continue without it.
  call.c.executionCtx.waitUntil(work.catch(() => undefined));
  return ok(await work);
}

/** An SMS. Unknown senders get no reply, nor does a Twilio keyword. */
async function receiveSms(
  env: Env,
  account: TwilioAccount,
  form: URLSearchParams,
): Promise<Response> {
  const from = form.get("From") ?? "";
  const id = form.get("MessageSid") ?? "";
  const text = form.get("Body") ?? "";
  const { household } = account;
  if (form.has("OptOutType") || TWILIO_KEYWORD_PATTERN.test(text) || id === "")
    return buildTwimlResponse();
  const result = await receiveEvent(env, household, {
    channel: "sms",
    id,
    identities: [from],
    action: "message",
    text,
    files: listMedia(form).map((media) => toRemoteFile(account, media)),
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

interface TwilioMedia {
  readonly url: string;
  readonly mime: string;
  readonly name: string;
}

function listMedia(form: URLSearchParams): TwilioMedia[] {
  const count = Math.min(MAX_MEDIA, Number(form.get("NumMedia") ?? 0) || 0);
  return Array.from({ length: count }, (_, at) => {
    const mime = form.get(`MediaContentType${at}`) ?? "application/octet-stream";
    const name = `${mime.split("/")[0] ?? "file"}-${at + 1}.${mime.split("/")[1] ?? "bin"}`;
    return { url: form.get(`MediaUrl${at}`) ?? "", mime, name };
  });
}

/** The API redirects to another host for pictures; the account's token must only be sent to the API. */
function toRemoteFile(
  { settings, egress }: TwilioAccount,
  { url, mime, name }: TwilioMedia,
): RemoteFile {
  const fetch = async (): Promise<Outcome<Uint8Array | FileStream>> => {
    const { account_sid, auth_token, api = TWILIO_API } = settings;
    if (!URL.canParse(url) || new URL(url).origin !== new URL(api).origin)
      return refuseLostFile("it does not lie with Twilio");
    const headers = { Authorization: `Basic ${btoa(`${account_sid}:${auth_token}`)}` };
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
async function receiveStatus(
  { env, query: { ref, executor } }: OpenHttpCall<TwilioQuery>,
  { household }: TwilioAccount,
  form: URLSearchParams,
): Promise<Response> {
  const status = form.get("MessageStatus") ?? "";
  const handle = form.get("MessageSid") ?? "";
  const code = Number(form.get("ErrorCode") ?? 0);
  if (ref === undefined || executor === undefined || !/^(?:failed|undelivered)$/.test(status))
    return buildTwimlResponse();
  await reportDeliveryFailure(env, {
    household,
    ref,
    executor,
    channel: "sms",
    identity: form.get("To") ?? "",
    handles: [handle],
    reason: `not delivered, error ${code}`,
    isPermanent: isGoneNumber(code),
  });
  return buildTwimlResponse();
}

export const twilioRoutes: readonly HttpRoute[] = [
  defineOpenRoute({
    method: "post",
    path: "/hooks/twilio/{household}",
    access: "open",
    summary: "What members write by SMS, and delivery receipts",
    description:
      "The webhook of the household's Twilio number. Signed by Twilio with the account's token over PUBLIC_ORIGIN and the parameters; each message counts once. Answers with TwiML.",
    query: querySchema,
    body: { description: "Twilio's own parameters", types: [FORM_TYPE] },
    produces: "text/xml",
    handle: handleRequest,
  }),
];
