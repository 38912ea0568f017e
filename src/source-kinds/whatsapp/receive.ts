/** Verifies a notification of the Cloud API and reads its messages. */
import { generateSecret, hashSha256, isSameSecret } from "../../auth/hash.ts";
import { decodeUtf8 } from "../../bytes.ts";
import type { InboundRequest } from "../../channels/inbound.ts";
import { readJsonValue } from "../../channels/shared/request-body.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { attachFiles } from "../chat/attach-files.ts";
import { buildChatBody } from "../chat/incoming-text.ts";
import type { KindContext, ParsedMessage } from "../source-kind.ts";
import { isHubSigned } from "../webhook/hub-signature.ts";
import type { WhatsappSettings } from "./config.ts";
import { explainWhatsappError } from "./errors.ts";
import { listWhatsappMedia, toWhatsappRemoteFile } from "./media.ts";
import { readWhatsappEvents, type WhatsappEvents, type WhatsappStatus } from "./payload.ts";

/** Seconds for which it is worth another try to fetch a file; WhatsApp repeats a notification for days. */
const MAX_RETRY_AGE_SECONDS = 600;

type Context = Omit<KindContext<unknown>, "settings"> & { settings: WhatsappSettings | null };

/** Meta's check of the address: returns the text that the response must have. */
export async function answerWhatsappHandshake(
  settings: WhatsappSettings | null,
  parameters: URLSearchParams,
): Promise<string | undefined> {
  const token = parameters.get("hub.verify_token") ?? "";
  const isKnown = await isSameSecret(settings?.verify_token ?? generateSecret(), token);
  const challenge = parameters.get("hub.challenge") ?? "";
  const isCheck = parameters.get("hub.mode") === "subscribe" && /^[\w.-]{1,256}$/.test(challenge);
  return settings && isKnown && isCheck ? challenge : undefined;
}

export async function receiveWhatsapp(
  context: Context,
  { headers, body }: InboundRequest,
): Promise<Outcome<{ messages: ParsedMessage[] }> | undefined> {
  const { settings } = context;
  const isSigned = await isHubSigned(settings?.app_secret ?? generateSecret(), headers, body);
  if (!settings || !isSigned) return undefined;
  const payload = readJsonValue(decodeUtf8(body));
  const events = readWhatsappEvents(payload, settings.phone_number_id);
  if (!events)
    return refuse(
      "bad_shape",
      "the body is not a notification of a WhatsApp account",
      "Subscribe this address to the field messages of a WhatsApp account.",
    );
  const { messages, statuses, unreadable } = events;
  const raw = { mime: "application/json", bytes: body };
  const read: ParsedMessage[] = [];
  for (const event of messages) {
    const message = await readMessage(context, settings, event);
    if (!message.ok) return message;
    read.push({ ...message.value, raw });
  }
  const failures = statuses.flatMap((status) => readFailure(status, settings, context.now));
  for (const part of unreadable)
    failures.push(await describeUnreadable(part, settings, context.now));
  return ok({ messages: [...read, ...failures.map((one) => ({ ...one, raw }))] });
}

async function readMessage(
  { egress, now }: Context,
  settings: WhatsappSettings,
  { message, name, recipient }: WhatsappEvents["messages"][number],
): Promise<Outcome<ParsedMessage>> {
  const { from, id, type, context, reaction } = message;
  const at = toMilliseconds(message.timestamp, now);
  const media = listWhatsappMedia(message);
  const replied = reaction?.message_id ?? context?.id;
  const parsed: ParsedMessage = {
    external_id: id,
    sender: `+${from}`,
    ...(name === undefined ? {} : { sender_name: name }),
    recipient,
    body: buildChatBody(
      {
        text: readText(message),
        ...(message.location ? { location: toPlace(message.location) } : {}),
      },
      media.length > 0,
    ),
    timestamp: at,
    headers: [
      ["Message-Id", id],
      ["Type", type],
    ],
    ...(replied === undefined ? {} : { references: [replied] }),
    channel: from,
    attachments: [],
  };
  const files = media.map((one) => toWhatsappRemoteFile(settings, egress, one));
  return await attachFiles(parsed, files, now - at < MAX_RETRY_AGE_SECONDS * 1_000);
}

const toPlace = ({
  latitude,
  longitude,
  name,
}: {
  latitude: number;
  longitude: number;
  name?: string | undefined;
}) => ({ latitude, longitude, ...(name === undefined ? {} : { name }) });

const readText = (message: WhatsappEvents["messages"][number]["message"]): string => {
  const { text, button, interactive, reaction } = message;
  const caption = listWhatsappMedia(message)[0]?.media.caption;
  const choice = interactive?.button_reply ?? interactive?.list_reply;
  return text?.body ?? caption ?? button?.text ?? choice?.title ?? reaction?.emoji ?? "";
};

/** A message that WhatsApp had accepted did not arrive. The owner reads about it like about a mail that came back. */
function readFailure(
  { id, status, timestamp, recipient_id: to = "", errors = [] }: WhatsappStatus,
  { phone_number_id }: WhatsappSettings,
  now: number,
): ParsedMessage[] {
  if (status !== "failed") return [];
  const [code] = errors.map((error) => error.code);
  const reason = code === undefined ? undefined : explainWhatsappError(code);
  const why = reason ?? (code === undefined ? "WhatsApp gave no reason" : `error ${code}`);
  return [
    {
      external_id: `failed:${id}`,
      sender: "WhatsApp",
      recipient: phone_number_id,
      subject: "Message not delivered",
      body: `A message${to === "" ? "" : ` to +${to}`} was not delivered: ${why}.`,
      timestamp: toMilliseconds(timestamp, now),
      headers: [["Failed-Message-Id", id]],
      references: [id],
      channel: to === "" ? "WhatsApp" : to,
      automatic: "bounce",
      attachments: [],
    },
  ];
}

/** A message whose form is new is acknowledged, so it must not get lost: its raw form is kept with this notice. */
const describeUnreadable = async (
  part: unknown,
  { phone_number_id }: WhatsappSettings,
  now: number,
): Promise<ParsedMessage> => ({
  external_id: `unreadable:${await hashSha256(JSON.stringify(part))}`,
  sender: "WhatsApp",
  recipient: phone_number_id,
  subject: "Message not understood",
  body: "A message arrived in a form that is not understood. The raw message contains it.",
  timestamp: now,
  headers: [],
  channel: "WhatsApp",
  attachments: [],
});

const toMilliseconds = (seconds: string, now: number): number => {
  const at = Number(seconds) * 1_000;
  return Number.isSafeInteger(at) && at > 0 ? at : now;
};
