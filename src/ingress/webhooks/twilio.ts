/**
 * `POST /hooks/twilio/{household}`: what members write by SMS, with their pictures, and what became of messages to
 * them. Verified by Twilio's signature before anything of it is believed; the same message counts once.
 */
import { householdStub } from "../../stubs.ts";
import * as z from "zod";
import { unauthenticated } from "../../auth/unauthenticated.ts";
import { configOf } from "../../config.ts";
import { CHANNEL_SCHEMAS, type SmsSettings } from "../../channels/schemas.ts";
import { isGoneNumber, TWILIO_API } from "../../channels/sms/send.ts";
import type { Egress } from "../../egress/egress.ts";
import { egressOf } from "../../egress/egress-fetch.ts";
import { log } from "../../log.ts";
import type { Outcome } from "../../mess/errors.ts";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { decode, mediaType, readBytes } from "../http/request-body.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../http/route.ts";
import type { FileStream, RemoteFile } from "../../channels/chat-event.ts";
import { neverArrived } from "./delivery-failure.ts";
import { receive, wordsOfRefusal } from "./receive-chat-event.ts";
import { fetchRemote, lostFile } from "../../channels/shared/remote-file.ts";
import { spokenReceipt } from "../../channels/replies/guessed-task-receipt.ts";
import { isFromTwilio } from "../../channels/sms/verify.ts";
import { NO_TASK, twiml } from "../../channels/sms/twiml.ts";

/** Bytes of a form: 1,600 characters and ten addresses of pictures. */
const MOST = 64 * 1024;
const FORM = "application/x-www-form-urlencoded";
const MOST_MEDIA = 10;

/** Words that Twilio itself answers to, and that mean nothing to a task (`YES` is not among them: it takes one). */
const TWILIOS =
  /^\s*(?:stop|stopall|unsubscribe|cancel|end|quit|revoke|optout|start|unstop|help|info)\s*$/i;

/** `StatusCallback` carries whom the message was for. */
const query = z.object({
  ref: boundedText(LIMITS.name).min(1).optional(),
  executor: boundedText(LIMITS.name).min(1).optional(),
});

type Query = z.output<typeof query>;

interface Account {
  readonly household: string;
  readonly settings: SmsSettings;
  readonly egress: Egress;
}

async function takeIn(call: OpenCall<Query>): Handled {
  const { env, request, param } = call;
  const body = await readBytes(request, MOST);
  if (!body.ok) return body;
  const text = decode(body.value);
  const form = new URLSearchParams(text.ok && mediaType(request) === FORM ? text.value : "");
  const household = param("household");
  const kept = await householdStub(env, household).channelSettings("sms");
  const read = CHANNEL_SCHEMAS.sms.settings.safeParse(kept);
  const { origin, loopback } = configOf(env);
  const { pathname, search, origin: asked } = new URL(request.url);
  // A household without SMS takes as long to refuse as a wrong signature.
  const token = read.success ? read.data.auth_token : "nobody signs with this";
  const signature = request.headers.get("X-Twilio-Signature");
  const signed = await isFromTwilio(
    token,
    signature,
    `${origin ?? asked}${pathname}${search}`,
    form,
  );
  if (!read.success || !signed || form.get("AccountSid") !== read.data.account_sid)
    return unauthenticated();
  const account = { household, settings: read.data, egress: egressOf({ loopback, origin }) };
  const work = form.has("Body")
    ? takeMessage(env, account, form)
    : takeReceipt(call, account, form);
  // Twilio hangs up after 15 seconds and sends nothing again, so what was begun must not end with it.
  call.c.executionCtx.waitUntil(work.catch(() => undefined));
  return ok(await work);
}

/** An SMS. A stranger hears nothing, and neither does who says a word that is Twilio's own. */
async function takeMessage(env: Env, account: Account, form: URLSearchParams): Promise<Response> {
  const from = form.get("From") ?? "";
  const id = form.get("MessageSid") ?? "";
  const text = form.get("Body") ?? "";
  const { household } = account;
  if (form.has("OptOutType") || TWILIOS.test(text) || id === "") return twiml();
  const heard = await receive(env, household, {
    channel: "sms",
    id,
    from,
    act: "say",
    text,
    files: mediaIn(form).map((media) => remoteFile(account, media)),
  });
  log("sms_heard", {
    household,
    code: heard.ok ? (heard.value.again ? "again" : "taken") : heard.error.code,
  });
  if (heard.ok) return twiml(spokenReceipt(heard.value, text));
  const { code } = heard.error;
  if (code === "unknown_executor") {
    await householdStub(env, household).stranger("sms", from);
    return twiml();
  }
  // An SMS answers no message, so it means the last task, and there is none.
  return twiml(code === "not_found" ? NO_TASK : await wordsOfRefusal(env, household, heard.error));
}

interface Media {
  readonly url: string;
  readonly mime: string;
  readonly name: string;
}

function mediaIn(form: URLSearchParams): Media[] {
  const count = Math.min(MOST_MEDIA, Number(form.get("NumMedia") ?? 0) || 0);
  return Array.from({ length: count }, (_, at) => {
    const mime = form.get(`MediaContentType${at}`) ?? "application/octet-stream";
    const name = `${mime.split("/")[0] ?? "file"}-${at + 1}.${mime.split("/")[1] ?? "bin"}`;
    return { url: form.get(`MediaUrl${at}`) ?? "", mime, name };
  });
}

/** Pictures lie with another host, to which the API leads; the account's token is for the API alone. */
function remoteFile({ settings, egress }: Account, { url, mime, name }: Media): RemoteFile {
  const fetch = async (): Promise<Outcome<Uint8Array | FileStream>> => {
    const { account_sid, auth_token, api = TWILIO_API } = settings;
    if (!URL.canParse(url) || new URL(url).origin !== new URL(api).origin)
      return lostFile("it does not lie with Twilio");
    const headers = { Authorization: `Basic ${btoa(`${account_sid}:${auth_token}`)}` };
    const led = await egress.send(url, { headers, redirect: "manual" });
    if (!led.ok) return led;
    const { status, headers: answered } = led.value;
    const location = answered.get("Location");
    if (status >= 300 && status < 400 && location !== null)
      return await fetchRemote(egress, new URL(location, url).href, mime);
    return status === 404 || status === 410
      ? lostFile(`its server answered ${status}`)
      : await fetchRemote(egress, url, mime, headers);
  };
  return { name, mime, fetch };
}

/** What became of a message of ours. Only failures change something: the number, or where the member is told. */
async function takeReceipt(
  { env, query: { ref, executor } }: OpenCall<Query>,
  { household }: Account,
  form: URLSearchParams,
): Promise<Response> {
  const status = form.get("MessageStatus") ?? "";
  const handle = form.get("MessageSid") ?? "";
  const code = Number(form.get("ErrorCode") ?? 0);
  if (ref === undefined || executor === undefined || !/^(?:failed|undelivered)$/.test(status))
    return twiml();
  await neverArrived(env, {
    household,
    ref,
    executor,
    channel: "sms",
    identity: form.get("To") ?? "",
    handles: [handle],
    reason: `not delivered, error ${code}`,
    gone: isGoneNumber(code),
  });
  return twiml();
}

export const twilioRoutes: readonly Route[] = [
  openRoute({
    method: "post",
    path: "/hooks/twilio/{household}",
    access: "open",
    summary: "What members write by SMS, and delivery receipts",
    description:
      "The webhook of the household's Twilio number. Signed by Twilio with the account's token over PUBLIC_ORIGIN and the parameters; each message counts once. Answers with TwiML.",
    query,
    body: { description: "Twilio's own parameters", types: [FORM] },
    produces: "text/xml",
    handle: takeIn,
  }),
];
