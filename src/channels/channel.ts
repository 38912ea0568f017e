/**
 * What every channel is to the exchange: a way to tell a member of a thread. One file each in `channels/`; what comes
 * back from a channel that talks is read by its twin in `ingress/webhooks/`.
 */
import type * as z from "zod";
import type { JsonMap } from "../mess/json.ts";
import type { Action } from "../mess/thread/actions.ts";
import type { ChannelKind } from "./channel-kinds.ts";
import type { Egress } from "../egress/egress.ts";

export { CHANNEL_KINDS, type ChannelKind } from "./channel-kinds.ts";

/** Why a member is told. */
export type NoticeKind =
  /** The thread is offered to the member, who may take it. */
  | "offer"
  /** It was offered, and nobody has taken it yet; or it is held, and nothing was heard for long. */
  | "reminder"
  /** Somebody said something that the member must know: an answer, a cancel, a followup. */
  | "news"
  /** The thread looks different now: what was sent before is edited, where the channel can. */
  | "update"
  /** An owner is told that nobody answers, or that a member cannot be reached. */
  | "alert";

/** What a channel is given to say. It is the same for every channel; each takes what it has room for. */
export interface Notice {
  /** The same on every attempt: `webhook-id` (Standard Webhooks). */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly household: string;
  readonly ref: string;
  /** Member who is told. */
  readonly executor: string;
  readonly intent: string;
  readonly priority: string;
  readonly status: string;
  readonly requestor: string;
  /** Who holds the thread, as people call them; null while nobody does. */
  readonly holder: string | null;
  /** The member itself holds it. */
  readonly isHolder: boolean;
  /** ISO 8601 in the household's zone. */
  readonly expires?: string;
  /** Short plain lines of the request's context, at most five. Written by an agent: text, never markup. */
  readonly context: readonly string[];
  /** What happened, in one line: `claimed by Ann`, `the answer: kitchen`, `cancelled: found them`. */
  readonly eventText?: string;
  /** Of an update: as what the message that it edits was sent. News stays as it was said. */
  readonly editsKind?: NoticeKind;
  /** The channel's name of the first message about this thread to the member there: what follows goes below it. */
  readonly threadHandle?: string;
  /** What the member may do now, by the thread's own rules. */
  readonly actions: readonly Action[];
  /** The respond page, where the deployment knows its own address. */
  readonly link?: { readonly url: string; readonly short_url: string };
  /** Where a machine calls back, and the short-lived token that lets it into this thread. */
  readonly callback?: { readonly url: string; readonly token: string; readonly expires: string };
  /** The request block as the thread holds it. */
  readonly request: JsonMap;
  /** The thread as a MESSE-AF file, made when asked for; its attachments stay behind their addresses. */
  readonly buildFile: () => Promise<string>;
}

/** What became of one attempt. */
export type SendResult =
  | {
      readonly ok: true;
      /** What the channel calls the message: names it in edits, and in what is answered to it. */
      readonly handle?: string;
      /** What a machine answered at once, to be said in its name: MESS in YAML or JSON, files as data URIs. */
      readonly reply?: string;
      /** One line for the history where its answer could not be used. Never what it wrote. */
      readonly note?: string;
      /** It is at work: after so many seconds it is asked by `update`, under the handle, how far it is. */
      readonly pollAfterSeconds?: number;
    }
  | {
      readonly ok: false;
      /** One line for the history and the owner: never a secret, never a body that a stranger wrote. */
      readonly reason: string;
      /** Seconds, from `Retry-After`. */
      readonly retryAfterSeconds?: number;
      /** It will never be taken: 410, a revoked bot, a number that does not exist. Nothing more is sent there. */
      readonly isPermanent?: true;
    };

/** How far edits and news go in this channel. */
export interface ChannelFeatures {
  /** A message that was sent can be edited: it gets an `update` with every change. */
  readonly edits: boolean;
  /** A change that is no news is sent as a message of its own: machines want to know, people do not. */
  readonly updates: boolean;
  readonly buttons: boolean;
  /** Characters of one message, where the channel has a bound. */
  readonly maxCharacters?: number;
  /** Seconds that one send may take, where 20 are not enough: a call that lasts as long as the work. */
  readonly timeoutSeconds?: number;
}

/** All that a channel has to work with. It keeps nothing and reads no clock of its own. */
export interface SendContext<Settings> {
  readonly settings: Settings;
  /** Outgoing requests: checked addresses, no redirects, 20 s, 64 KB read. */
  readonly egress: Egress;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly env: Env;
  /**
   * Says something in the member's name while the send goes on: MESS in YAML or JSON, as `SendResult.reply`. False where the
   * thread refuses it: it was cancelled, or another was faster. Only a channel whose sends take long uses it.
   */
  readonly postReply?: (text: string) => Promise<boolean>;
}

export interface Channel<Settings = unknown, Address = unknown> {
  /** The key under `notify` and under `dispatch` of a `config` block. */
  readonly kind: ChannelKind;
  readonly features: ChannelFeatures;
  /** `dispatch.{kind}` with its secrets filled in. Channels without settings take an empty map. */
  readonly settings: z.ZodType<Settings>;
  /** Keys of the settings and of a member's address that are secrets: sealed, and exported as `${NAME}`. */
  readonly secrets: readonly string[];
  /** `notify.{kind}` of an executor. */
  readonly address: z.ZodType<Address>;
  /** By which what comes in is known to be this member's: a chat id, a number. Absent where nothing comes in. */
  identity?(address: Address): string;
  send(sender: SendContext<Settings>, address: Address, notice: Notice): Promise<SendResult>;
  /** Edits what was sent where `features.editsKind`, or asks how far it is where a send has said to. */
  update?(
    sender: SendContext<Settings>,
    address: Address,
    handle: string,
    notice: Notice,
  ): Promise<SendResult>;
}
