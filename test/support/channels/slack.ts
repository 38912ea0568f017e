/**
 * A local Slack workspace with one app: its Web API, people who tap and write, and calls of the app's request URL. It
 * handles web requests, so it runs in any runtime; `slack-server.ts` serves it on a port.
 */
import type { Fault } from "../fault-injection.ts";
import { type SlackCall, createSlackCaller } from "./slack-calls.ts";
import {
  type SlackFile,
  type SlackMessage,
  createSlackWorkspace,
  type WorkspaceOptions,
} from "./slack-workspace.ts";

export interface SlackOptions extends WorkspaceOptions {
  readonly signingSecret?: string;
  /** The app's request URL for events and interactivity: `https://…/hooks/slack/{household}`. */
  readonly hook?: string;
  /** Sends requests to the app; default: `fetch`. */
  readonly deliver?: (request: Request) => Promise<Response>;
  /** Milliseconds before each repetition of a failed event; Slack repeats at once, then after 1 and 5 minutes. */
  readonly retries?: readonly number[];
}

export interface SlackWriting extends SlackCall {
  readonly user: string;
  readonly text?: string;
  /** The message below which it is written. */
  readonly to?: Pick<SlackMessage, "channel" | "ts" | "thread_ts">;
  /** The conversation, if it is not below a message; default: the person's direct conversation with the app. */
  readonly channel?: string;
  readonly files?: readonly SlackFile[];
  /** A repeated id is the same event. */
  readonly event?: string;
}

/** Encodes typed text as Slack does. */
const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const createId = (letter: string): string =>
  letter + crypto.randomUUID().replaceAll("-", "").slice(0, 10).toUpperCase();

const BOT = "U0BOT";

export function createSlack(options: SlackOptions = {}) {
  const workspace = createSlackWorkspace(options);
  const { place, faults, messages, files, responseUrls, nextTs } = workspace;
  const signingSecret = options.signingSecret ?? crypto.randomUUID().replaceAll("-", "");
  const callHook = createSlackCaller({
    signingSecret,
    hook: options.hook,
    deliver: options.deliver ?? ((request) => fetch(request)),
  });

  /** Taps a button of a message. Slack does not repeat taps. */
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
    return await callHook(form, "application/x-www-form-urlencoded", call, []);
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

  /** Writes a message, optionally with files. */
  async function write(writing: SlackWriting): Promise<Response> {
    const { user, text = "", to, event = createId("Ev") } = writing;
    const channel = to?.channel ?? writing.channel ?? `D${user.slice(1)}`;
    const thread = to && (to.thread_ts ?? to.ts);
    const shared = (writing.files ?? []).map((file) => {
      const name = createId("F");
      files.set(name, file);
      const url = `${place.api}/files-pri/T1-${name}/download/${file.name.slice(0, 100)}`;
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
    const message = {
      type: "message",
      ...(shared.length > 0 ? { subtype: "file_share", files: shared } : {}),
      user,
      text: escapeText(text),
      ts: nextTs(),
      channel,
      channel_type: channel.startsWith("D") ? "im" : "channel",
      ...(thread === undefined ? {} : { thread_ts: thread, parent_user_id: BOT }),
    };
    workspace.written.add(`${channel}:${message.ts}`);
    return await callHook(
      envelope(message, event),
      "application/json",
      writing,
      options.retries ?? [],
    );
  }

  /** Sends any event unchanged. */
  const event = async (of: object, call: SlackCall & { event?: string } = {}): Promise<Response> =>
    await callHook(envelope(of, call.event ?? createId("Ev")), "application/json", call, []);

  /** Sends any body unchanged, signed. */
  const raw = async (body: string, call: SlackCall & { type?: string } = {}): Promise<Response> =>
    await callHook(body, call.type ?? "application/json", call, []);

  const challenge = async (word: string, call: SlackCall = {}): Promise<Response> =>
    await callHook(
      JSON.stringify({ type: "url_verification", token: "verification", challenge: word }),
      "application/json",
      call,
      [],
    );

  return {
    messages,
    reactions: workspace.reactions,
    bot: BOT,
    signingSecret,
    handle: workspace.handle,
    movedTo: (api: string): void => {
      place.api = api;
    },
    /** `dispatch.slack` of a household that uses the app. */
    settings: () => ({
      bot_token: workspace.botToken,
      signing_secret: signingSecret,
      api: `${place.api}/api`,
    }),
    /** Messages that only this person sees. */
    toldOnly: (user: string): string[] =>
      messages.filter(({ only }) => only === user).map(({ text }) => text),
    fail: (...next: Fault[]): void => faults.add(...next),
    outage: faults.outage,
    endOutage: faults.endOutage,
    act: {
      tap,
      write,
      event,
      raw,
      challenge,
      archive: (channel: string): void => void workspace.archived.add(channel),
      leave: (user: string): void => void workspace.absent.add(user),
      /** Removes the app, or closes the workspace. */
      revoke: (how: "token_revoked" | "account_inactive" = "token_revoked"): void => {
        workspace.state.token = how;
      },
      remove: (message: SlackMessage): void => {
        message.deleted = true;
      },
    },
  };
}
