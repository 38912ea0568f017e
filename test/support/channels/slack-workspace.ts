/** The Slack Web API of a local workspace: it checks calls as Slack does, and applies them to its conversations. */
import { defined } from "../../../src/mess/defined.ts";
import { FaultQueue } from "../fault-injection.ts";
import { checkBlocks, listVisibleTexts, type SlackBlock } from "./slack-blocks.ts";

export interface WorkspaceOptions {
  readonly botToken?: string;
  /** The address of this workspace, without `/api`. */
  readonly api?: string;
  /** Channels of which the app is a member; others are not found. */
  readonly channels?: readonly string[];
}

export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  text: string;
  blocks: SlackBlock[];
  /** The texts that a reader sees, and earlier versions. */
  shown: string[];
  readonly versions: string[][];
  /** Only this person sees it. */
  readonly only?: string;
  deleted: boolean;
}

export interface SlackFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The size in bytes that is announced when it is fetched. */
  readonly announced?: number;
}

export function createSlackWorkspace(options: WorkspaceOptions) {
  const botToken = options.botToken ?? `xoxb-1-${crypto.randomUUID()}`;
  const place = { api: options.api ?? "https://slack.com" };
  const channels = new Set(options.channels);
  const archived = new Set<string>();
  const absent = new Set<string>();
  const faults = new FaultQueue();
  const messages: SlackMessage[] = [];
  const files = new Map<string, SlackFile>();
  const reactions = new Map<string, string>();
  /** The messages of people: `D04ANN:1712.0001`. */
  const written = new Set<string>();
  const responseUrls = new Map<string, { channel: string; user: string }>();
  const state = { token: "valid" as "valid" | "token_revoked" | "account_inactive", clock: 0 };

  /** Timestamps in microseconds that never repeat. */
  function nextTs(): string {
    state.clock = Math.max(state.clock + 1, Date.now() * 1_000);
    const text = String(state.clock);
    return `${text.slice(0, -6)}.${text.slice(-6)}`;
  }

  const refuse = (error: string, more: object = {}): Response =>
    Response.json({ ok: false, error, ...more });

  /** The direct conversation with a person is created when the app first writes to them. */
  function findConversation(channel: string): string | { error: string } {
    if (/^U[A-Z0-9]+$/.test(channel))
      return absent.has(channel) ? { error: "user_not_found" } : `D${channel.slice(1)}`;
    if (/^D[A-Z0-9]+$/.test(channel)) return channel;
    if (!channels.has(channel)) return { error: "channel_not_found" };
    return archived.has(channel) ? { error: "is_archived" } : channel;
  }

  interface Body {
    timestamp?: string;
    name?: string;
    channel?: string;
    ts?: string;
    user?: string;
    text?: string;
    blocks?: SlackBlock[];
    thread_ts?: string;
  }

  function post(body: Body, only?: string): Response {
    const where = findConversation(body.channel ?? "");
    if (typeof where !== "string") return refuse(where.error);
    const { text = "", blocks = [], thread_ts } = body;
    if (text === "" && blocks.length === 0) return refuse("no_text");
    const fault = checkBlocks(blocks);
    if (fault !== undefined)
      return refuse("invalid_blocks", { response_metadata: { messages: [`[ERROR] ${fault}`] } });
    if (
      thread_ts !== undefined &&
      only === undefined &&
      !messages.some((one) => one.channel === where && one.ts === thread_ts) &&
      !written.has(`${where}:${thread_ts}`)
    )
      return refuse("thread_not_found");
    const shown = listVisibleTexts(text, blocks);
    const message: SlackMessage = {
      channel: where,
      ts: nextTs(),
      ...defined({ thread_ts }),
      text,
      blocks,
      shown,
      versions: [shown],
      ...defined({ only }),
      deleted: false,
    };
    messages.push(message);
    return only === undefined
      ? Response.json({ ok: true, channel: where, ts: message.ts, message: { text, bot_id: "B1" } })
      : Response.json({ ok: true, message_ts: message.ts });
  }

  function update(body: Body): Response {
    const message = messages.find(
      (one) => one.channel === body.channel && one.ts === body.ts && one.only === undefined,
    );
    if (!message || message.deleted) return refuse("message_not_found");
    const fault = checkBlocks(body.blocks ?? []);
    if (fault !== undefined) return refuse("invalid_blocks");
    message.text = body.text ?? message.text;
    message.blocks = body.blocks ?? [];
    message.shown = listVisibleTexts(message.text, message.blocks);
    message.versions.push(message.shown);
    return Response.json({
      ok: true,
      channel: message.channel,
      ts: message.ts,
      text: message.text,
    });
  }

  function react({ channel = "", timestamp = "", name = "" }: Body): Response {
    if (!/^[a-z0-9_+-]+$/.test(name)) return refuse("invalid_name");
    const key = `${channel}:${timestamp}`;
    if (reactions.has(key)) return refuse("already_reacted");
    reactions.set(key, name);
    return Response.json({ ok: true });
  }

  /** Handles a request of the exchange. */
  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const file = /^\/files-pri\/T1-(F\w+)\/download\//.exec(pathname)?.[1];
    const authorization = request.headers.get("Authorization");
    const isOwn = authorization === `Bearer ${botToken}`;
    const authorised = state.token === "valid" && isOwn;
    // A household that another test left behind must not use up a fault.
    const fault = isOwn || authorization === null ? faults.take() : undefined;
    if (fault)
      return Response.json(
        { ok: false, error: fault.status === 429 ? "ratelimited" : "internal_error" },
        {
          status: fault.status,
          ...(fault.wait === undefined ? {} : { headers: { "Retry-After": String(fault.wait) } }),
        },
      );
    if (file !== undefined) return serveFile(file, authorised);
    if (request.method !== "POST") return new Response("not found", { status: 404 });
    const url = responseUrls.get(pathname);
    if (url) return await respond(request, url);
    const method = /^\/api\/([a-zA-Z.]+)$/.exec(pathname)?.[1];
    if (method === undefined) return new Response("not found", { status: 404 });
    if (authorization === null) return refuse("not_authed");
    if (!authorised) return refuse(state.token === "valid" ? "invalid_auth" : state.token);
    if (!/^application\/json\b/.test(request.headers.get("Content-Type") ?? ""))
      return refuse("invalid_post_type");
    const body = (await request.json()) as Body;
    if (method === "chat.postMessage") return post(body);
    if (method === "chat.postEphemeral")
      return body.user === undefined ? refuse("user_not_in_channel") : post(body, body.user);
    if (method === "chat.update") return update(body);
    if (method === "reactions.add") return react(body);
    return refuse("unknown_method");
  }

  /** A caller without access to the file gets the sign-in page. */
  function serveFile(name: string, authorised: boolean): Response {
    const file = files.get(name);
    if (!authorised)
      return new Response("<!DOCTYPE html><title>Sign in to Slack</title>", {
        headers: { "Content-Type": "text/html; charset=utf-8" },
      });
    if (!file) return new Response("not found", { status: 404 });
    return new Response(file.bytes as Uint8Array<ArrayBuffer>, {
      headers: {
        "Content-Type": file.type,
        "Content-Length": String(file.announced ?? file.bytes.byteLength),
      },
    });
  }

  async function respond(
    request: Request,
    { channel, user }: { channel: string; user: string },
  ): Promise<Response> {
    const {
      text = "",
      response_type,
      replace_original,
    } = (await request.json()) as {
      text?: string;
      response_type?: string;
      replace_original?: boolean;
    };
    if (response_type !== "ephemeral" || replace_original !== false)
      return refuse("invalid_payload");
    post({ channel, text }, user);
    return new Response("ok");
  }

  return {
    botToken,
    place,
    archived,
    absent,
    faults,
    messages,
    files,
    /** By conversation and timestamp of the parent message: `D04ANN:1712.0001`. */
    reactions,
    written,
    /** Paths for responses to tapped buttons, and the person who sees the response. */
    responseUrls,
    state,
    nextTs,
    handle,
  };
}
