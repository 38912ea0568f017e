/** A local Google Chat: incoming webhooks that post into threads of a space, found by the sender's key. */
import { type Fault, FaultQueue } from "../fault-injection.ts";

export interface GoogleChatMessage {
  readonly name: string;
  /** The thread's name in the space. */
  readonly thread: string;
  readonly text: string;
  /** Mentions and links in the text. */
  readonly markup: readonly string[];
}

export interface GoogleChatOptions {
  readonly space?: string;
  readonly key?: string;
  readonly token?: string;
  readonly api?: string;
}

export function createGoogleChat(options: GoogleChatOptions = {}) {
  const space = options.space ?? "AAAAexample";
  const key = options.key ?? "AIzaExampleKey";
  const token = options.token ?? crypto.randomUUID();
  const place = { api: options.api ?? "https://chat.googleapis.com" };
  const faults = new FaultQueue();
  const messages: GoogleChatMessage[] = [];
  const threads = new Map<string, string>();
  const state = { revoked: false };

  const refuse = (code: number, status: string, wait?: number): Response =>
    Response.json(
      { error: { code, message: status.toLowerCase(), status } },
      {
        status: code,
        ...(wait === undefined ? {} : { headers: { "Retry-After": String(wait) } }),
      },
    );

  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname !== `/v1/spaces/${space}/messages` || state.revoked)
      return refuse(404, "NOT_FOUND");
    if (url.searchParams.get("key") !== key) return refuse(403, "PERMISSION_DENIED");
    if (url.searchParams.get("token") !== token) return refuse(401, "UNAUTHENTICATED");
    const fault = faults.take();
    if (fault) return refuse(fault.status, "FAULT", fault.wait);
    if (request.method !== "POST") return refuse(405, "METHOD_NOT_ALLOWED");
    const { text = "", thread } = (await request.json()) as {
      text?: string;
      thread?: { threadKey?: string };
    };
    if (text.trim() === "" || text.length > 4_096) return refuse(400, "INVALID_ARGUMENT");
    const replies = (url.searchParams.get("messageReplyOption") ?? "").startsWith("REPLY_MESSAGE");
    const wanted = replies ? thread?.threadKey : undefined;
    const id = (wanted === undefined ? undefined : threads.get(wanted)) ?? `T${messages.length}`;
    if (wanted !== undefined) threads.set(wanted, id);
    const message = {
      name: `spaces/${space}/messages/M${messages.length}.M${messages.length}`,
      thread: `spaces/${space}/threads/${id}`,
      text,
      markup: text.match(/<[^<>]*>/g) ?? [],
    };
    messages.push(message);
    return Response.json({ name: message.name, thread: { name: message.thread }, text });
  }

  return {
    key,
    token,
    messages,
    handle,
    movedTo: (api: string): void => {
      place.api = api;
    },
    /** `notify.google_chat` of a member. */
    address: () => `${place.api}/v1/spaces/${space}/messages?key=${key}&token=${token}`,
    fail: (...next: Fault[]): void => faults.add(...next),
    outage: faults.outage,
    endOutage: faults.endOutage,
    act: {
      /** Deletes the webhook, as an admin would. */
      revoke: (): void => {
        state.revoked = true;
      },
    },
  };
}
