/**
 * The interface of a channel: a way to notify a member about a thread. Each channel has a folder here; replies by
 * webhook are received in `ingress/webhooks`.
 */
import type * as z from "zod";
import type { JsonMap } from "../mess/json.ts";
import type { Entry } from "../mess/wire/content/entries.ts";
import type { Action } from "../mess/thread/actions.ts";
import type { MessageInput } from "../mess/wire/schema.ts";
import type { Egress } from "../egress/egress.ts";

export type { ChannelKind } from "./registry.ts";

/** Why a member is notified. */
export type NoticeKind =
  /** The thread is offered to the member. */
  | "offer"
  /** No member has taken the offer yet, or its holder has been silent for long. */
  | "reminder"
  /** A message that concerns the member: an answer, a cancel, a followup. */
  | "news"
  /** The thread changed: an earlier message is edited, where the channel can. */
  | "update"
  /** An owner is notified that no member answers, or that a member is unreachable. */
  | "alert";

/** The answer of an earlier thread to which the request refers. Written by people and robots: untrusted. */
export interface EarlierAnswer {
  readonly ref: string;
  /** The message or file to which the request refers; absent for the whole thread. */
  readonly part?: string;
  readonly intent: string;
  readonly status: string;
  /** Entries of its newest answers, with files as `content://` resources. */
  readonly answer: Entry[];
  /** Its files; the callback token or a key opens the URL while the request is open. */
  readonly files: { uri: string; mime: string; size: number; url?: string }[];
}

/** The content of a notification, the same for every channel. Each channel shows as much as fits. */
export interface Notice {
  /** The same on every attempt: `webhook-id` (Standard Webhooks). */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly household: string;
  readonly ref: string;
  /** The member that is notified. */
  readonly executor: string;
  readonly intent: string;
  readonly priority: string;
  readonly status: string;
  readonly requestor: string;
  /** The holder's display name; null while no member holds the thread. */
  readonly holder: string | null;
  /** Whether the member holds the thread. */
  readonly isHolder: boolean;
  /** ISO 8601 with the offset of the household. */
  readonly expires?: string;
  /** Up to five short lines of the request's context. Written by an agent: plain text, never markup. */
  readonly context: readonly string[];
  /** Present where the request refers to earlier threads. */
  readonly earlier?: readonly EarlierAnswer[];
  /** The event in one line: `claimed by Ann`, `the answer: kitchen`, `cancelled: found them`. */
  readonly eventText?: string;
  /** For an update: the kind of the message that it edits. An edit keeps the text of news. */
  readonly editsKind?: NoticeKind;
  /** Handle of the first message to the member about this thread, for channels that thread their messages. */
  readonly threadHandle?: string;
  /** The request asks an owner to decide: whether a draft may be sent, or only to have read a message. */
  readonly decision?: "send" | "read";
  /** Actions that the thread currently allows the member. */
  readonly actions: readonly Action[];
  /** The respond page; absent where `PUBLIC_ORIGIN` is not set. */
  readonly link?: { readonly url: string; readonly short_url: string };
  /** Where a machine posts its callbacks, with a short-lived token for this thread. */
  readonly callback?: { readonly url: string; readonly token: string; readonly expires: string };
  /** The request block as stored. */
  readonly request: JsonMap;
  /** Builds the thread as a MESSE-AF file; attachments stay links. */
  readonly buildFile: () => Promise<string>;
}

/** The result of one attempt. */
export type SendResult =
  | {
      readonly ok: true;
      /** The channel's id of the message, for edits and for replies to it. */
      readonly handle?: string;
      /** A machine's immediate reply, to be posted in its name; files as data URIs. */
      readonly reply?: readonly MessageInput[];
      /** A line for the history when the reply could not be used. Never contains the reply. */
      readonly note?: string;
      /** The machine is still at work: poll it by `update` after this time. */
      readonly pollAfterSeconds?: number;
    }
  | {
      readonly ok: false;
      /** A line for the history and the owner. Never contains a secret or the other side's body. */
      readonly reason: string;
      /** Seconds, from `Retry-After`. */
      readonly retryAfterSeconds?: number;
      /** The address will never accept a message (410, revoked bot, unknown number): nothing more is sent there. */
      readonly isPermanent?: true;
    };

/** The features of a channel. */
export interface ChannelFeatures {
  /** Sent messages can be edited: every change sends an `update`. */
  readonly edits: boolean;
  /** Every change is sent as a separate message, which suits machines but not people. */
  readonly updates: boolean;
  readonly buttons: boolean;
  /** Longest message, where the channel has a limit. */
  readonly maxCharacters?: number;
  /** Time limit of one send where 20 s are too short: a call that lasts as long as the work. */
  readonly timeoutSeconds?: number;
}

/** Everything that a channel may use. A channel stores nothing and reads no clock. */
export interface SendContext<Settings> {
  readonly settings: Settings;
  /** Outgoing requests: checked addresses, no redirects, 20 s, 64 KB read. */
  readonly egress: Egress;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly env: Env;
  /**
   * Posts a message of the member while the send is still running, like `SendResult.reply`.
   * Resolves with false where the thread refuses it (cancelled, or taken by another). For channels with long sends.
   */
  readonly postReply?: (messages: readonly MessageInput[]) => Promise<boolean>;
}

/** A channel in a `config` block. Pure: configurations are validated with it. */
export interface ChannelConfig<Settings = unknown, Address = unknown> {
  /** Schema of `dispatch.{kind}` with its secrets filled in. Channels without settings take an empty map. */
  readonly settings: z.ZodType<Settings>;
  /** Schema of `notify.{kind}` of an executor. */
  readonly address: z.ZodType<Address>;
  /** Keys of settings and addresses that hold secrets: sealed, and exported as `${NAME}`. */
  readonly secrets: readonly string[];
  /** The address itself grants access: all of it is secret, or everything but its origin. */
  readonly secretAddress?: "whole" | "beyond origin";
  /** Identifies the member in inbound messages, in one spelling: a chat id, a number. Absent without inbound. */
  readonly identity?: (address: unknown) => string;
  /** The members are machines. They get credentials for callbacks. */
  readonly isMachine?: true;
  /** Key of a secret in the settings that the household generates unless the owner sets it. */
  readonly generatedSecret?: string;
  /** Binding of the Worker without which this deployment cannot offer the channel. */
  readonly binding?: keyof Env;
}

export interface Channel<Settings = unknown, Address = unknown> extends ChannelConfig<
  Settings,
  Address
> {
  readonly features: ChannelFeatures;
  send(sender: SendContext<Settings>, address: Address, notice: Notice): Promise<SendResult>;
  /** Edits a message if `features.edits`, or polls a machine if its send asked for that. */
  update?(
    sender: SendContext<Settings>,
    address: Address,
    handle: string,
    notice: Notice,
  ): Promise<SendResult>;
}
