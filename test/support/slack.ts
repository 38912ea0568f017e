/**
 * A Slack workspace with one app, as the exchange meets it: its Web API checks what it is sent as Slack does, people tap
 * and write, and the app's request URL is told of it, signed. Web requests in and out, so it runs in any runtime;
 * `slack-server.ts` puts it on a port.
 */
import { type Fault, Faults } from "./faults.ts";
import { blocksFault, shownIn, type SlackBlock } from "./slack-blocks.ts";

export interface SlackOptions {
  readonly botToken?: string;
  readonly signingSecret?: string;
  /** The app's request URL for events and interactivity: `https://…/hooks/slack/{household}`. */
  readonly hook?: string;
  /** How requests reach the app: `fetch` where nothing else is given. */
  readonly deliver?: (request: Request) => Promise<Response>;
  /** Where this workspace is reached, without `/api`. */
  readonly api?: string;
  /** Channels that the app is a member of; others are not found. */
  readonly channels?: readonly string[];
  /** Milliseconds before each further delivery of an event that was not taken: at once, then 1 and 5 minutes there. */
  readonly retries?: readonly number[];
}

export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  text: string;
  blocks: SlackBlock[];
  /** What a reader sees, one entry for each text, and what it has said before. */
  shown: string[];
  readonly versions: string[][];
  /** Only this person sees it. */
  readonly only?: string;
  deleted: boolean;
}

/** How a request to the app is made; what is not given is as Slack makes it. */
export interface SlackCall {
  /** Another request URL than the app's. */
  readonly hook?: string;
  /** Signs with another secret. */
  readonly secret?: string;
  /** Seconds since 1970 at which it was signed. */
  readonly timestamp?: number;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
  /** How often it was tried before. */
  readonly retry?: number;
}

export interface SlackWriting extends SlackCall {
  readonly user: string;
  readonly text?: string;
  /** The message below which it is written. */
  readonly to?: Pick<SlackMessage, "channel" | "ts" | "thread_ts">;
  /** Where it is written, when not below a message; the person's conversation with the app otherwise. */
  readonly channel?: string;
  readonly files?: readonly {
    readonly name: string;
    readonly type: string;
    readonly bytes: Uint8Array;
    /** Bytes that are announced when it is fetched. */
    readonly announced?: number;
  }[];
  /** The same again is the same event. */
  readonly event?: string;
}

const encoder = new TextEncoder();

/** Slack's signature of a request. */
export async function slackSignature(
  secret: string,
  timestamp: number | string,
  body: string,
): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const mac = await crypto.subtle.sign("HMAC", key, encoder.encode(`v0:${timestamp}:${body}`));
  const hex = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0"));
  return `v0=${hex.join("")}`;
}

/** What people type, as Slack hands it on. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const id = (letter: string): string =>
  letter + crypto.randomUUID().replaceAll("-", "").slice(0, 10).toUpperCase();

const BOT = "U0BOT";

export function slack(options: SlackOptions = {}) {
  const botToken = options.botToken ?? "xoxb-1-test";
  const signingSecret = options.signingSecret ?? crypto.randomUUID().replaceAll("-", "");
  const deliver = options.deliver ?? ((request: Request) => fetch(request));
  const place = { api: options.api ?? "https://slack.com" };
  const channels = new Set(options.channels);
  const archived = new Set<string>();
  const absent = new Set<string>();
  const faults = new Faults();
  const messages: SlackMessage[] = [];
  const files = new Map<string, NonNullable<SlackWriting["files"]>[number]>();
  const reactions = new Map<string, string>();
  const responseUrls = new Map<string, { channel: string; user: string }>();
  const state = { token: "valid" as "valid" | "token_revoked" | "account_inactive", clock: 0 };

  /** Microseconds that never repeat. */
  function nextTs(): string {
    state.clock = Math.max(state.clock + 1, Date.now() * 1_000);
    const text = String(state.clock);
    return `${text.slice(0, -6)}.${text.slice(-6)}`;
  }

  const refuse = (error: string, more: object = {}): Response =>
    Response.json({ ok: false, error, ...more });

  /** The conversation with a person is made when the app first writes to them. */
  function conversation(channel: string): string | { error: string } {
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
    const where = conversation(body.channel ?? "");
    if (typeof where !== "string") return refuse(where.error);
    const { text = "", blocks = [], thread_ts } = body;
    if (text === "" && blocks.length === 0) return refuse("no_text");
    const fault = blocksFault(blocks);
    if (fault !== undefined)
      return refuse("invalid_blocks", { response_metadata: { messages: [`[ERROR] ${fault}`] } });
    if (
      thread_ts !== undefined &&
      only === undefined &&
      !messages.some((one) => one.channel === where && one.ts === thread_ts)
    )
      return refuse("thread_not_found");
    const shown = shownIn(text, blocks);
    const message: SlackMessage = {
      channel: where,
      ts: nextTs(),
      ...(thread_ts === undefined ? {} : { thread_ts }),
      text,
      blocks,
      shown,
      versions: [shown],
      ...(only === undefined ? {} : { only }),
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
    const fault = blocksFault(body.blocks ?? []);
    if (fault !== undefined) return refuse("invalid_blocks");
    message.text = body.text ?? message.text;
    message.blocks = body.blocks ?? [];
    message.shown = shownIn(message.text, message.blocks);
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

  /** What the exchange asks of the workspace. */
  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const file = /^\/files-pri\/T1-(F\w+)\/download\//.exec(pathname)?.[1];
    const fault = faults.take();
    if (fault)
      return Response.json(
        { ok: false, error: fault.status === 429 ? "ratelimited" : "internal_error" },
        {
          status: fault.status,
          ...(fault.wait === undefined ? {} : { headers: { "Retry-After": String(fault.wait) } }),
        },
      );
    const authorised =
      state.token === "valid" && request.headers.get("Authorization") === `Bearer ${botToken}`;
    if (file !== undefined) return fileOf(file, authorised);
    if (request.method !== "POST") return new Response("not found", { status: 404 });
    const url = responseUrls.get(pathname);
    if (url) return await respond(request, url);
    const method = /^\/api\/([a-zA-Z.]+)$/.exec(pathname)?.[1];
    if (method === undefined) return new Response("not found", { status: 404 });
    if (!request.headers.has("Authorization")) return refuse("not_authed");
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

  /** Who may not see a file gets the page to sign in. */
  function fileOf(name: string, authorised: boolean): Response {
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

  /** One request to the app, and those that follow where it is not taken. */
  async function tell(
    body: string,
    type: string,
    call: SlackCall,
    retries: readonly number[],
  ): Promise<Response> {
    const { secret = signingSecret, tamper = (text: string) => text, retry = 0 } = call;
    const hook = call.hook ?? options.hook;
    if (hook === undefined) throw new Error("the app has no request URL");
    const timestamp = call.timestamp ?? Math.floor(Date.now() / 1_000);
    const response = await deliver(
      new Request(hook, {
        method: "POST",
        headers: {
          "Content-Type": type,
          "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
          "X-Slack-Request-Timestamp": String(timestamp),
          "X-Slack-Signature": await slackSignature(secret, timestamp, body),
          ...(retry === 0
            ? {}
            : { "X-Slack-Retry-Num": String(retry), "X-Slack-Retry-Reason": "http_error" }),
        },
        body: tamper(body),
      }),
    );
    const [wait, ...more] = retries;
    if (response.ok || wait === undefined) return response;
    await new Promise((resolve) => setTimeout(resolve, wait));
    return await tell(body, type, { ...call, retry: retry + 1 }, more);
  }

  /** A person taps a button of a message. Slack does not send taps again. */
  async function tap(
    message: SlackMessage,
    action: string,
    { user, at = nextTs(), ...call }: SlackCall & { user: string; at?: string },
  ): Promise<Response> {
    const buttons = message.blocks.flatMap((block) =>
      block.type === "actions" ? (block.elements ?? []) : [],
    );
    const button = buttons.find(({ action_id }) => action_id === action);
    if (!button) throw new Error(`the message has no button ${action}`);
    const path = `/actions/T1/${crypto.randomUUID()}`;
    responseUrls.set(path, { channel: message.channel, user });
    const payload = {
      type: "block_actions",
      user: { id: user, username: user.toLowerCase(), team_id: "T1" },
      api_app_id: "A1",
      team: { id: "T1", domain: "home" },
      trigger_id: `${Date.now()}.1.${crypto.randomUUID()}`,
      container: {
        type: "message",
        message_ts: message.ts,
        channel_id: message.channel,
        is_ephemeral: false,
      },
      channel: { id: message.channel, name: "directmessage" },
      message: { type: "message", user: BOT, bot_id: "B1", ts: message.ts, text: message.text },
      response_url: `${place.api}${path}`,
      actions: [{ ...button, block_id: "b1", action_ts: at }],
    };
    const form = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return await tell(form, "application/x-www-form-urlencoded", call, []);
  }

  const envelope = (event: object, eventId: string): string =>
    JSON.stringify({
      token: "verification",
      team_id: "T1",
      api_app_id: "A1",
      event,
      type: "event_callback",
      event_id: eventId,
      event_time: Math.floor(Date.now() / 1_000),
      authorizations: [{ team_id: "T1", user_id: BOT, is_bot: true }],
    });

  /** A person writes, with files where there are some. */
  async function write(writing: SlackWriting): Promise<Response> {
    const { user, text = "", to, event = id("Ev") } = writing;
    const channel = to?.channel ?? writing.channel ?? `D${user.slice(1)}`;
    const thread = to && (to.thread_ts ?? to.ts);
    const shared = (writing.files ?? []).map((file) => {
      const name = id("F");
      files.set(name, file);
      const url = `${place.api}/files-pri/T1-${name}/download/${file.name}`;
      return {
        id: name,
        name: file.name,
        mimetype: file.type,
        size: file.bytes.byteLength,
        mode: "hosted",
        url_private: url,
        url_private_download: url,
      };
    });
    const said = {
      type: "message",
      ...(shared.length > 0 ? { subtype: "file_share", files: shared } : {}),
      user,
      text: escaped(text),
      ts: nextTs(),
      channel,
      channel_type: channel.startsWith("D") ? "im" : "channel",
      ...(thread === undefined ? {} : { thread_ts: thread, parent_user_id: BOT }),
    };
    return await tell(envelope(said, event), "application/json", writing, options.retries ?? []);
  }

  /** Any event, as it stands. */
  const event = async (of: object, call: SlackCall & { event?: string } = {}): Promise<Response> =>
    await tell(envelope(of, call.event ?? id("Ev")), "application/json", call, []);

  /** Any body, signed as it stands. */
  const raw = async (body: string, call: SlackCall & { type?: string } = {}): Promise<Response> =>
    await tell(body, call.type ?? "application/json", call, []);

  const challenge = async (word: string, call: SlackCall = {}): Promise<Response> =>
    await tell(
      JSON.stringify({ type: "url_verification", token: "verification", challenge: word }),
      "application/json",
      call,
      [],
    );

  return {
    messages,
    /** By conversation and time of the message below which they stand: `D04ANN:1712.0001`. */
    reactions,
    bot: BOT,
    signingSecret,
    handle,
    movedTo: (api: string): void => {
      place.api = api;
    },
    /** `dispatch.slack` of a household that uses it. */
    settings: () => ({
      bot_token: botToken,
      signing_secret: signingSecret,
      api: `${place.api}/api`,
    }),
    /** What only this person was told. */
    toldOnly: (user: string): string[] =>
      messages.filter(({ only }) => only === user).map(({ text }) => text),
    fail: (...next: Fault[]): void => faults.add(...next),
    outage: faults.outage,
    lift: faults.lift,
    act: {
      tap,
      write,
      event,
      raw,
      challenge,
      archive: (channel: string): void => void archived.add(channel),
      leave: (user: string): void => void absent.add(user),
      /** An admin removes the app, or the workspace ends. */
      revoke: (how: "token_revoked" | "account_inactive" = "token_revoked"): void => {
        state.token = how;
      },
      remove: (message: SlackMessage): void => {
        message.deleted = true;
      },
    },
  };
}
