/** SMS, MMS and delivery reports of Twilio, signed with the token of the account. */
import type { ReadRequest } from "../inbound.ts";
import { readFormParameters } from "../shared/request-body.ts";
import { smsConfig } from "./config.ts";
import { isFromTwilio } from "./verify.ts";

const MAX_MEDIA = 10;

/** Keywords that Twilio handles itself, so they answer no request. `YES` is missing, since it answers a request. */
const TWILIO_KEYWORD_PATTERN =
  /^\s*(?:stop|stopall|unsubscribe|cancel|end|quit|revoke|optout|start|unstop|help|info)\s*$/i;

export interface TwilioMedia {
  readonly url: string;
  readonly mime: string;
  readonly name: string;
}

export interface TwilioSms {
  /** Twilio itself has answered a keyword. */
  readonly kind: "sms" | "keyword";
  readonly from: string;
  /** The household's number. */
  readonly to: string;
  readonly id: string;
  readonly text: string;
  readonly media: readonly TwilioMedia[];
}

export type TwilioEvent =
  | TwilioSms
  /** An SMS without an id. */
  | { readonly kind: "ignored" }
  | {
      readonly kind: "report";
      readonly status: string;
      readonly handle: string;
      readonly to: string;
      readonly errorCode: number;
    };

export const readTwilioRequest: ReadRequest<TwilioEvent> = async (
  stored,
  { url, headers, body },
) => {
  const settings = smsConfig.settings.safeParse(stored);
  const form = readFormParameters(headers, body) ?? new URLSearchParams();
  const token = settings.success ? settings.data.auth_token : "nobody signs with this";
  const isSigned = await isFromTwilio(token, headers.get("X-Twilio-Signature"), url, form);
  if (!settings.success || !isSigned || form.get("AccountSid") !== settings.data.account_sid)
    return undefined;
  const event = form.has("Body") ? parseSms(form) : parseReport(form);
  if (event.kind === "keyword") return { event, isForSource: true };
  if (event.kind !== "sms") return { event };
  const { from, id, text, media } = event;
  return {
    event,
    message: { channel: "sms", id, identities: [from], action: "message", text, files: media },
  };
};

function parseSms(form: URLSearchParams): TwilioEvent {
  const id = form.get("MessageSid") ?? "";
  const text = form.get("Body") ?? "";
  if (id === "") return { kind: "ignored" };
  const isKeyword = form.has("OptOutType") || TWILIO_KEYWORD_PATTERN.test(text);
  const [from, to] = [form.get("From") ?? "", form.get("To") ?? ""];
  const media = listMedia(form);
  return { kind: isKeyword ? "keyword" : "sms", from, to, id, text, media };
}

const parseReport = (form: URLSearchParams): TwilioEvent => ({
  kind: "report",
  status: form.get("MessageStatus") ?? "",
  handle: form.get("MessageSid") ?? "",
  to: form.get("To") ?? "",
  errorCode: Number(form.get("ErrorCode") ?? 0),
});

function listMedia(form: URLSearchParams): TwilioMedia[] {
  const count = Math.min(MAX_MEDIA, Number(form.get("NumMedia") ?? 0) || 0);
  return Array.from({ length: count }, (_, at) => {
    const mime = form.get(`MediaContentType${at}`) ?? "application/octet-stream";
    const name = `${mime.split("/")[0] ?? "file"}-${at + 1}.${mime.split("/")[1] ?? "bin"}`;
    return { url: form.get(`MediaUrl${at}`) ?? "", mime, name };
  });
}
