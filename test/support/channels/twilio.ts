/**
 * A local Twilio Messages API: it checks and queues messages as Twilio does, phones reply by signed webhooks, and
 * receipts are sent to the callback. It handles web requests, so it runs in any runtime; `twilio-server.ts` serves it
 * on a port.
 */
import { defined } from "../../../src/mess/defined.ts";
import { type Fault, FaultQueue } from "../fault-injection.ts";

export interface TwilioOptions {
  readonly accountSid?: string;
  readonly authToken?: string;
  /** The phone number of the account. */
  readonly number?: string;
  /** The webhook for messages to the number: `https://…/hooks/twilio/{household}`. */
  readonly hook?: string;
  /** Sends webhooks to the exchange; default: `fetch`. */
  readonly deliver?: (request: Request) => Promise<Response>;
  /** The address of this API, also for media. */
  readonly api?: string;
}

export interface TwilioMessage {
  readonly sid: string;
  readonly to: string;
  readonly from: string;
  readonly body: string;
  readonly segments: number;
  readonly callback?: string;
  status: string;
}

export interface SmsIn {
  readonly from: string;
  readonly body?: string;
  readonly media?: readonly { readonly type: string; readonly bytes: Uint8Array }[];
  /** A repeated id is the same message, as when Twilio retries. */
  readonly sid?: string;
  /** Another number of the account, with another webhook. */
  readonly hook?: string;
  /** Signs with this token instead of the account's. */
  readonly token?: string;
  /** The spelling of the webhook's address that Twilio signs. */
  readonly spelt?: (url: string) => string;
  /** Changes the request after it was signed. */
  readonly tamper?: (form: URLSearchParams) => void;
  readonly optOut?: "STOP" | "START" | "HELP";
}

const E164 = /^\+[1-9]\d{6,14}$/;
const NOT_GSM =
  /[^\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z_a-z¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ^{}\\[\]~|€]/u;
const STOP_WORDS = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"];

const createHex = (length: number): string =>
  crypto.randomUUID().replaceAll("-", "").slice(0, length);

/** Twilio's signature of a request: HMAC-SHA1 over the address and the sorted parameters. */
export async function signTwilio(
  token: string,
  url: string,
  form: URLSearchParams,
): Promise<string> {
  const encoder = new TextEncoder();
  const names = Array.from(new Set(form.keys())).toSorted();
  const text = url + names.map((name) => name + form.getAll(name).join("")).join("");
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(token),
    { name: "HMAC", hash: "SHA-1" },
    false,
    ["sign"],
  );
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  return btoa(String.fromCharCode(...mac));
}

/** The text of `<Message>` in TwiML; undefined if nothing is to be sent. */
export function readTwimlMessage(twiml: string): string | undefined {
  const text = /<Message>([\s\S]*?)<\/Message>/.exec(twiml)?.[1];
  return text
    ?.replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

export function createTwilio(options: TwilioOptions = {}) {
  const accountSid = options.accountSid ?? `AC${createHex(32)}`;
  const authToken = options.authToken ?? createHex(32);
  const number = options.number ?? "+15005550006";
  const deliver = options.deliver ?? ((request: Request) => fetch(request));
  const place = { api: options.api ?? "https://api.twilio.com" };
  const faults = new FaultQueue();
  const messages: TwilioMessage[] = [];
  const stopped = new Set<string>();
  const media = new Map<string, { type: string; bytes: Uint8Array }>();

  const refuse = (status: number, code: number, message: string, wait?: number): Response =>
    Response.json(
      { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
      { status, ...(wait === undefined ? {} : { headers: { "Retry-After": String(wait) } }) },
    );

  const isAuthorized = (request: Request): boolean =>
    request.headers.get("Authorization") === `Basic ${btoa(`${accountSid}:${authToken}`)}`;

  async function create(request: Request): Promise<Response> {
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));
    const [to, body] = [form.get("To") ?? "", form.get("Body") ?? ""];
    const from = form.get("From") ?? form.get("MessagingServiceSid") ?? "";
    const callback = form.get("StatusCallback") ?? undefined;
    if (to === "") return refuse(400, 21604, "A 'To' phone number is required.");
    if (body === "") return refuse(400, 21602, "Message body is required.");
    if (from === "") return refuse(400, 21603, "A 'From' phone number is required.");
    if (!E164.test(to)) return refuse(400, 21211, "Invalid 'To' Phone Number");
    if (from !== number && !from.startsWith("MG"))
      return refuse(400, 21606, "The 'From' phone number is not a valid sender");
    if (body.length > 1_600) return refuse(400, 21617, "The message body exceeds 1600 characters");
    if (callback !== undefined && !/^https?:\/\/[^/_]+\//.test(callback))
      return refuse(400, 21609, "Invalid 'StatusCallback' URL");
    if (stopped.has(to)) return refuse(400, 21610, "Attempt to send to unsubscribed recipient");
    const unit = NOT_GSM.test(body) ? [70, 67] : [160, 153];
    const length =
      body.length + (NOT_GSM.test(body) ? 0 : (body.match(/[\^{}\\[\]~|€]/g) ?? []).length);
    const segments = length <= unit[0]! ? 1 : Math.ceil(length / unit[1]!);
    const sid = `SM${createHex(32)}`;
    const message = { sid, to, from, body, segments, status: "queued" };
    messages.push(callback === undefined ? message : { ...message, callback });
    return Response.json(
      { sid, to, from, body, status: "queued", num_segments: String(segments), error_code: null },
      { status: 201 },
    );
  }

  /** Handles a request of the exchange. */
  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    // The API redirects media to another host, which needs no credentials.
    const stored = /^\/stored\/(ME\w+)$/.exec(pathname)?.[1];
    if (stored !== undefined) {
      const file = media.get(stored);
      if (request.headers.has("Authorization")) return new Response(null, { status: 400 });
      return file
        ? new Response(file.bytes as Uint8Array<ArrayBuffer>, {
            headers: { "Content-Type": file.type },
          })
        : new Response(null, { status: 404 });
    }
    const fault = faults.take();
    if (fault) return refuse(fault.status, fault.code ?? 20_500, "fault", fault.wait);
    const [, account, rest] = /^\/2010-04-01\/Accounts\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (!isAuthorized(request)) return refuse(401, 20_003, "Authenticate");
    if (account !== accountSid) return refuse(404, 20_404, "The requested resource was not found");
    if (request.method === "POST" && rest === "Messages.json") return await create(request);
    const file = /^Messages\/MM\w+\/Media\/(ME\w+)$/.exec(rest ?? "")?.[1];
    return file !== undefined && media.has(file)
      ? new Response(null, { status: 307, headers: { Location: `${place.api}/stored/${file}` } })
      : refuse(404, 20_404, "The requested resource was not found");
  }

  async function post(
    url: string,
    form: URLSearchParams,
    {
      token = authToken,
      spelt = (one) => one,
      tamper,
    }: Pick<SmsIn, "token" | "spelt" | "tamper"> = {},
  ): Promise<Response> {
    const signature = await signTwilio(token, spelt(url), form);
    tamper?.(form);
    return await deliver(
      new Request(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
          "X-Twilio-Signature": signature,
          "User-Agent": "TwilioProxy/1.1",
          "I-Twilio-Idempotency-Token": crypto.randomUUID(),
        },
        body: form.toString(),
      }),
    );
  }

  /** Sends an SMS from a phone to the account's number; returns the webhook's response. */
  async function receiveSms(sent: SmsIn): Promise<Response> {
    const { from, body = "", optOut } = sent;
    const word = optOut ?? body.trim().toUpperCase();
    if (STOP_WORDS.includes(word)) stopped.add(from);
    if (word === "START" || word === "UNSTOP") stopped.delete(from);
    const files = sent.media ?? [];
    const sid = sent.sid ?? `${files.length > 0 ? "MM" : "SM"}${createHex(32)}`;
    const form = new URLSearchParams({
      ToCountry: "US",
      SmsMessageSid: sid,
      NumMedia: String(files.length),
      SmsSid: sid,
      SmsStatus: "received",
      Body: body,
      To: number,
      NumSegments: "1",
      MessageSid: sid,
      AccountSid: accountSid,
      From: from,
      ApiVersion: "2010-04-01",
      ...defined({ OptOutType: optOut }),
    });
    for (const [index, file] of files.entries()) {
      const id = `ME${createHex(32)}`;
      media.set(id, file);
      const path = `/2010-04-01/Accounts/${accountSid}/Messages/${sid}/Media/${id}`;
      form.set(`MediaUrl${index}`, `${place.api}${path}`);
      form.set(`MediaContentType${index}`, file.type);
    }
    const hook = sent.hook ?? options.hook;
    if (hook === undefined) throw new Error("the number has no webhook");
    return await post(hook, form, sent);
  }

  /** Sends a delivery report of the carrier. */
  async function sendReceipt(
    message: TwilioMessage,
    status: "sent" | "delivered" | "undelivered" | "failed",
    more: { code?: number; token?: string } = {},
  ): Promise<Response> {
    if (message.callback === undefined) throw new Error("the message asked for no receipts");
    message.status = status;
    const form = new URLSearchParams({
      AccountSid: accountSid,
      ApiVersion: "2010-04-01",
      From: message.from,
      To: message.to,
      MessageSid: message.sid,
      MessageStatus: status,
      SmsSid: message.sid,
      SmsStatus: status,
      ...(more.code === undefined ? {} : { ErrorCode: String(more.code) }),
    });
    return await post(message.callback, form, more);
  }

  return {
    accountSid,
    authToken,
    number,
    messages,
    handle,
    /** The real address of the API, also for media. */
    movedTo: (api: string): void => {
      place.api = api;
    },
    /** `dispatch.sms` of a household that uses it. */
    settings: () => ({
      account_sid: accountSid,
      auth_token: authToken,
      from: number,
      api: place.api,
    }),
    fail: (...next: Fault[]): void => faults.add(...next),
    outage: faults.outage,
    endOutage: faults.endOutage,
    act: {
      receiveSms,
      sendReceipt,
      /** The phone rejects all further messages of the account. */
      stop: (phone: string): void => void stopped.add(phone),
    },
  };
}
