/**
 * A local Cloud API of Meta with one phone number: people write to it by signed notifications, messages are sent within
 * 24 hours of the last one of the person, and media is fetched by id. It handles web requests, so it runs in any runtime.
 */
import { defined } from "../../../src/mess/defined.ts";
import { type Fault, FaultQueue } from "../fault-injection.ts";

export interface WhatsappOptions {
  /** The address of the webhook. */
  readonly hook: string;
  readonly deliver: (request: Request) => Promise<Response>;
}

export interface WhatsappSent {
  readonly id: string;
  readonly to: string;
  readonly body: string;
  readonly replyTo?: string;
}

export interface WhatsappWriting {
  /** Digits. */
  readonly from: string;
  readonly text?: string;
  readonly image?: { readonly type: string; readonly bytes: Uint8Array; readonly caption?: string };
  readonly replyTo?: string;
  /** A repeated id is the same message. */
  readonly id?: string;
  readonly name?: string;
  /** Signs with this secret instead of the app's; empty for no signature. */
  readonly secret?: string;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
  /** Another number of the account. */
  readonly number?: string;
}

const API = "https://graph.facebook.com";
const MEDIA = "https://lookaside.fbsbx.com";

const createId = (): string => `wamid.${crypto.randomUUID().replaceAll("-", "")}`;

/** Written after Meta's description, apart from the exchange's own code. */
async function sign(secret: string, body: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "sign",
  ]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(body)));
  return `sha256=${Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export function createWhatsapp({ hook, deliver }: WhatsappOptions) {
  const settings = {
    phone_number_id: "106540352242922",
    access_token: `EAAG${crypto.randomUUID()}`,
    app_secret: crypto.randomUUID().replaceAll("-", ""),
    verify_token: crypto.randomUUID(),
  };
  const faults = new FaultQueue();
  const messages: WhatsappSent[] = [];
  const media = new Map<string, { type: string; bytes: Uint8Array }>();
  /** People who have written within 24 hours. */
  const open = new Set<string>();
  const known = new Set<string>();
  const state = { revoked: false, losing: false };

  const refuse = (status: number, code: number, message: string): Response =>
    Response.json(
      {
        error: { message: `(#${code}) ${message}`, type: "OAuthException", code, fbtrace_id: "A" },
      },
      { status },
    );

  async function notify(value: object, call: Partial<WhatsappWriting> = {}): Promise<Response> {
    const body = JSON.stringify({
      object: "whatsapp_business_account",
      entry: [
        {
          id: "102290129340398",
          changes: [
            {
              field: "messages",
              value: {
                messaging_product: "whatsapp",
                metadata: {
                  display_phone_number: "15550783881",
                  phone_number_id: call.number ?? settings.phone_number_id,
                },
                ...value,
              },
            },
          ],
        },
      ],
    });
    const secret = call.secret ?? settings.app_secret;
    return await deliver(
      new Request(hook, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(secret === "" ? {} : { "X-Hub-Signature-256": await sign(secret, body) }),
        },
        body: call.tamper?.(body) ?? body,
      }),
    );
  }

  async function write(writing: WhatsappWriting): Promise<Response & { id: string }> {
    const { from, text, image, replyTo, id = createId(), name = "Zoe" } = writing;
    open.add(from);
    known.add(id);
    const mediaId = String(media.size + 1_013_859_600);
    if (image) media.set(mediaId, image);
    const { type, caption } = image ?? {};
    const message = {
      from,
      id,
      timestamp: String(Math.floor(Date.now() / 1_000)),
      ...(replyTo === undefined ? {} : { context: { from: "15550783881", id: replyTo } }),
      ...(image
        ? { type: "image", image: { id: mediaId, mime_type: type, ...defined({ caption }) } }
        : { type: "text", text: { body: text } }),
    };
    const contacts = [{ profile: { name }, wa_id: from }];
    const response = await notify({ contacts, messages: [message] }, writing);
    return Object.assign(response, { id });
  }

  async function send(request: Request): Promise<Response> {
    const body = (await request.json()) as {
      messaging_product?: string;
      to?: string;
      type?: string;
      text?: { body?: string };
      context?: { message_id?: string };
    };
    const { to = "", text, context } = body;
    if (body.messaging_product !== "whatsapp" || body.type !== "text" || !text?.body)
      return refuse(400, 100, "Invalid parameter");
    if (text.body.length > 4_096) return refuse(400, 100, "Param text['body'] is too long");
    if (context && !known.has(context.message_id ?? "")) return refuse(400, 131_009, "Parameter");
    if (!open.has(to)) return refuse(400, 131_047, "Re-engagement message");
    const id = createId();
    known.add(id);
    messages.push({ id, to, body: text.body, ...defined({ replyTo: context?.message_id }) });
    if (state.losing) throw new TypeError("the connection broke");
    return Response.json({
      messaging_product: "whatsapp",
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id }],
    });
  }

  async function handle(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url);
    const isAllowed =
      !state.revoked && request.headers.get("Authorization") === `Bearer ${settings.access_token}`;
    const fault = faults.take();
    if (fault) {
      const headers = fault.wait === undefined ? {} : { "Retry-After": String(fault.wait) };
      return new Response("a fault", { status: fault.status, headers });
    }
    if (!isAllowed) return refuse(401, 190, "Error validating access token");
    const id = pathname.split("/").at(-1)!;
    const file = media.get(id);
    if (origin === MEDIA)
      return file
        ? new Response(file.bytes as Uint8Array<ArrayBuffer>, {
            headers: { "Content-Type": file.type, "Content-Length": String(file.bytes.length) },
          })
        : new Response("not found", { status: 404 });
    if (pathname.endsWith(`/${settings.phone_number_id}/messages`)) return await send(request);
    return file
      ? Response.json({ url: `${MEDIA}/whatsapp_business/${id}`, mime_type: file.type, id })
      : refuse(400, 100, "Unsupported get request");
  }

  return {
    settings,
    messages,
    hosts: { [API]: handle, [MEDIA]: handle },
    fail: (...next: Fault[]): void => faults.add(...next),
    act: {
      /** Signs and delivers any value of a notification. */
      notify,
      write,
      /** Reports the state of a sent message. */
      report: (id: string, status: string, code?: number): Promise<Response> =>
        notify({
          statuses: [
            {
              id,
              status,
              timestamp: String(Math.floor(Date.now() / 1_000)),
              recipient_id: "15005550199",
              ...(code === undefined ? {} : { errors: [{ code, title: "An error" }] }),
            },
          ],
        }),
      /** Meta checks the address of the webhook. */
      check: (token = settings.verify_token): Promise<Response> =>
        deliver(
          new Request(
            `${hook}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`,
          ),
        ),
      loseMedia: (): void => media.clear(),
      /** The person has written within 24 hours. */
      openWindow: (from: string): void => void open.add(from),
      /** 24 hours pass. */
      closeWindow: (): void => open.clear(),
      revoke: (): void => {
        state.revoked = true;
      },
      breakConnection: (): void => {
        state.losing = true;
      },
    },
  };
}
