/**
 * `POST /hooks/slack/{household}`: what people do in Slack, messages and buttons alike. Slack is answered when what was
 * done is in its thread, and not before: what it was told is taken is never lost. It gives up after three seconds and
 * sends the event again, while the work goes on; the second delivery finds it done, or does it. Only large files take
 * so long.
 */
import { unauthenticated } from "../../auth/unauthenticated.ts";
import { configOf } from "../../config.ts";
import { egressOf } from "../../egress/egress-fetch.ts";
import { log, logDefect } from "../../log.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { decode, mediaType, readBytes } from "../http/request-body.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../http/route.ts";
import type { Heard } from "../../channels/chat-event.ts";
import { receiveFrom, wordsOfRefusal } from "./receive-chat-event.ts";
import { mayPass } from "../../channels/shared/remote-file.ts";
import { spokenReceipt } from "../../channels/replies/guessed-task-receipt.ts";
import {
  type Bot,
  callSlack,
  isSlacks,
  slackFile,
  slackSettings,
} from "../../channels/slack/bot.ts";
import { deedOfEvent, deedOfTap, type SlackDeed } from "../../channels/slack/receive.ts";
import { isFromSlack } from "../../channels/slack/verify.ts";

/** Bytes of an event: words, and what is known of files. */
const MOST = 1024 * 1024;
const FORM = "application/x-www-form-urlencoded";
/** Slack sends an event four times in all. */
const LAST_RETRY = 3;

async function takeIn(call: OpenCall): Handled {
  const { env, request, param } = call;
  const household = param("household");
  const body = await readBytes(request, MOST);
  if (!body.ok) return body;
  const settings = await slackSettings(env, household);
  // A household without Slack takes as long to refuse as a wrong signature.
  const secret = settings?.signing_secret ?? "nobody signs with this";
  const signed = await isFromSlack(secret, request.headers, body.value, Date.now());
  if (!settings || !signed) return unauthenticated();
  const payload = readPayload(request, body.value);
  if (isChallenge(payload)) return ok({ body: { challenge: payload.challenge } });
  const deed = deedOfEvent(payload) ?? deedOfTap(payload, household);
  if (!deed) return ok({ body: {} });
  const { loopback, origin } = configOf(env);
  const bot = { settings, egress: egressOf({ loopback, origin }) };
  const work = answer(call, household, bot, deed);
  // Slack hangs up after three seconds, which must not end what was begun.
  call.c.executionCtx.waitUntil(work.catch(() => undefined));
  return await work;
}

/** Events are JSON; taps are JSON in a field of a form. Nothing where it is neither. */
function readPayload(request: Request, bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (!text.ok) return undefined;
  const json =
    mediaType(request) === FORM ? new URLSearchParams(text.value).get("payload") : text.value;
  try {
    return JSON.parse(json ?? "");
  } catch {
    return undefined;
  }
}

const isChallenge = (payload: unknown): payload is { challenge: string } =>
  typeof payload === "object" &&
  payload !== null &&
  (payload as { type?: unknown }).type === "url_verification" &&
  typeof (payload as { challenge?: unknown }).challenge === "string";

async function answer(call: OpenCall, household: string, bot: Bot, deed: SlackDeed): Handled {
  const { env, request } = call;
  const heard: Outcome<Heard> = await receiveFrom(env, household, deed.names, {
    ...deed.inbound,
    files: deed.files.map((file) => slackFile(bot, file)),
  });
  const retry = Number(request.headers.get("X-Slack-Retry-Num") ?? 0);
  if (heard.ok) {
    later(call, confirm(bot, deed, heard.value));
    return ok({ body: {} });
  }
  log("not_heard", { channel: "slack", household, code: heard.error.code, retry });
  // What may pass is sent again by Slack; taps are not, and their person is told at once.
  const isEvent = deed.inbound.act === "say";
  const again = mayPass(heard.error) || isTooEarly(deed, heard.error);
  if (isEvent && again && retry < LAST_RETRY) return mayPass(heard.error) ? heard : tooEarly();
  later(call, tellPerson(env, household, bot, deed, heard.error));
  return ok({ body: {} });
}

/** After the answer: Slack waits for nothing that is said beside it. */
const later = ({ c }: OpenCall, work: Promise<void>): void =>
  c.executionCtx.waitUntil(work.catch((error: unknown) => logDefect(error, { channel: "slack" })));

/** Seconds within which the household learns how a message of ours is called. */
const SOON = 60;

/** Somebody answered before it was written down which message it was that they answer. */
const isTooEarly = ({ inbound, thread }: SlackDeed, { code }: MessError): boolean =>
  code === "not_found" && inbound.exact === true && Date.now() / 1_000 - Number(thread ?? 0) < SOON;

const tooEarly = (): Outcome<never> =>
  refuse("internal", "the message that is answered is not known yet", "Send it again.");

/**
 * A sign below what somebody wrote: it is stored. A bot that may give none goes without. Which of several was meant is
 * said in words, since they may have meant another.
 */
async function confirm(bot: Bot, deed: SlackDeed, heard: Heard): Promise<void> {
  const { channel, ts, user, inbound } = deed;
  if (ts === undefined) return;
  await callSlack(bot, "reactions.add", { channel, timestamp: ts, name: "thumbsup" });
  if (!heard.guessed) return;
  const text = spokenReceipt(heard, inbound.text ?? "");
  await callSlack(bot, "chat.postEphemeral", { channel, user, text });
}

/** One sentence that only the person sees. A channel that is nobody's hears nothing. */
async function tellPerson(
  env: Env,
  household: string,
  bot: Bot,
  { responseUrl, user, channel, thread }: SlackDeed,
  error: MessError,
): Promise<void> {
  if (error.code === "unknown_executor" && !channel.startsWith("D")) return;
  const text = await wordsOfRefusal(env, household, error);
  if (responseUrl !== undefined) {
    if (!isSlacks(responseUrl, bot.settings)) return;
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
    ...(thread === undefined ? {} : { thread_ts: thread }),
  });
}

export const slackRoutes: readonly Route[] = [
  openRoute({
    method: "post",
    path: "/hooks/slack/{household}",
    access: "open",
    summary: "What people do in Slack",
    description:
      "The request URL of the household's Slack app, for events and for interactivity. Signed by Slack with the app's signing secret, within five minutes; each event counts once.",
    body: { description: "Slack's own payloads", types: ["application/json", FORM] },
    handle: takeIn,
  }),
];
