/** A local Discord: incoming webhooks whose messages have an id, can be edited, and notify mentioned people. */
import { type Fault, FaultQueue } from "../fault-injection.ts";

export interface DiscordMessage {
  readonly id: string;
  content: string;
  /** All messages, oldest first. */
  readonly versions: string[];
  /** The people that Discord would notify. */
  readonly pinged: string[];
  /** Discord fetched a preview of its links. */
  readonly previewed: boolean;
  deleted: boolean;
}

export interface DiscordOptions {
  readonly id?: string;
  readonly token?: string;
  readonly api?: string;
}

export function createDiscord(options: DiscordOptions = {}) {
  const id = options.id ?? "1234567890123456789";
  const token = options.token ?? `webhook_token-${crypto.randomUUID()}`;
  const place = { api: options.api ?? "https://discord.com" };
  const faults = new FaultQueue();
  const messages: DiscordMessage[] = [];
  const state = { revoked: false };

  const refuse = (status: number, code: number, message: string): Response =>
    Response.json({ message, code }, { status });

  const buildLimitedResponse = (wait: number): Response =>
    Response.json(
      { message: "You are being rate limited.", retry_after: wait, global: false },
      { status: 429, headers: { "Retry-After": String(Math.ceil(wait)) } },
    );

  interface Body {
    content?: string;
    allowed_mentions?: { parse?: string[] };
    flags?: number;
  }

  function listPings({ content = "", allowed_mentions }: Body): string[] {
    const parse = allowed_mentions?.parse ?? ["everyone", "users", "roles"];
    return [
      ...(parse.includes("everyone") ? (content.match(/@everyone|@here/g) ?? []) : []),
      ...(parse.includes("users") ? (content.match(/<@!?\d+>/g) ?? []) : []),
      ...(parse.includes("roles") ? (content.match(/<@&\d+>/g) ?? []) : []),
    ];
  }

  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const [, hook, secret, named] =
      /^\/api(?:\/v\d+)?\/webhooks\/(\d+)\/([\w-]+)(?:\/messages\/(\d+))?$/.exec(url.pathname) ??
      [];
    if (hook !== id || state.revoked) return refuse(404, 10_015, "Unknown Webhook");
    if (secret !== token) return refuse(401, 50_027, "Invalid Webhook Token");
    const fault = faults.take();
    if (fault?.status === 429) return buildLimitedResponse(fault.wait ?? 0.5);
    if (fault) return refuse(fault.status, fault.code ?? 0, "fault");
    const body = (await request.json()) as Body;
    const { content = "" } = body;
    if (content.trim() === "") return refuse(400, 50_006, "Cannot send an empty message");
    if (Array.from(content).length > 2_000) return refuse(400, 50_035, "Invalid Form Body");
    if (request.method === "PATCH") {
      const message = messages.find((one) => one.id === named && !one.deleted);
      if (!message) return refuse(404, 10_008, "Unknown Message");
      message.content = content;
      message.versions.push(content);
      message.pinged.push(...listPings(body));
      return Response.json({ id: message.id, content });
    }
    if (request.method !== "POST" || named !== undefined)
      return refuse(405, 0, "405: Method Not Allowed");
    const message: DiscordMessage = {
      id: String(1_300_000_000_000_000_000n + BigInt(messages.length)),
      content,
      versions: [content],
      pinged: listPings(body),
      previewed: /https?:\/\//.test(content) && ((body.flags ?? 0) & 4) === 0,
      deleted: false,
    };
    messages.push(message);
    return url.searchParams.get("wait") === "true"
      ? Response.json({ id: message.id, type: 0, content })
      : new Response(null, { status: 204 });
  }

  return {
    token,
    messages,
    handle,
    movedTo: (api: string): void => {
      place.api = api;
    },
    /** `notify.discord` of a member. */
    address: () => `${place.api}/api/webhooks/${id}/${token}`,
    fail: (...next: Fault[]): void => faults.add(...next),
    outage: faults.outage,
    endOutage: faults.endOutage,
    act: {
      /** Deletes the message in the channel, as a reader would. */
      remove: (message: DiscordMessage): void => {
        message.deleted = true;
      },
      /** Deletes the webhook, as an admin would. */
      revoke: (): void => {
        state.revoked = true;
      },
    },
  };
}
