/** How the household's object answers about reaching its members, and being reached by them. Types only. */
import type { ChannelKind } from "../channels/channel.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import type { ThreadSummary } from "./thread.ts";

/** One way to reach a member, with its secrets in clear: for sending at once, never to be stored or logged. */
export interface ContactAddress {
  channel: ChannelKind;
  /** `notify.{channel}` of the executor. */
  address: Json;
  /** `dispatch.{channel}` of the household. */
  settings: JsonMap;
  /** It has failed again and again: no attempt before this instant, in milliseconds. */
  broken_until?: number;
}

export interface Contact {
  executor: string;
  /** Links that are sent to the member end with this membership. */
  membership: number;
  /** Of a machine: `CallbackCredentials.token_binding`, for the token that is sent to it. */
  token_binding?: string;
  /** In the order in which they are tried; empty where the member is not reached by any channel. */
  addresses: ContactAddress[];
  /** Milliseconds since 1970 until which the member is not to be disturbed at this priority, and why. */
  hold?: { until: number; reason: string };
  /** The member's endpoints have failed again and again: no attempt before this instant. */
  broken_until?: number;
  /** Why it had better not be asked now, in words; told where it is asked for. */
  unavailableReason?: string;
}

export interface ContactQuery {
  /** Members to be told; `owners` for whoever is to know when nobody answers. */
  recipients: string[] | "owners";
  priority: string;
  /** They are about to be offered the thread: what hinders them is told too. */
  isOffer?: true;
}

export interface Contacts {
  contacts: Contact[];
  /** What people call the members, by id. */
  names: Record<string, string>;
}

/** What came of one attempt, for the circuit breaker, for what is answered later, and for addresses that are gone. */
export interface DeliveryReport {
  executor: string;
  channel: ChannelKind;
  ref: string;
  ok: boolean;
  /** Nothing more is to be sent to this address until it is configured anew. */
  isPermanent?: true;
  reason?: string;
  /** It told an owner of a thread that needs one. */
  isAlert?: true;
  /** The member's identity in the channel, and the channel's name of our message. */
  identity?: string;
  handle?: string;
}

/** Who said something in a channel, and about which thread. */
export interface InboundQuery {
  channel: ChannelKind;
  /** The channel's own id of the event: asked again, the answer is the same. */
  id: string;
  from: string;
  /** In a room that several share, as whom the channel knows who spoke: empty where it does not tell. */
  personIdentities?: readonly string[];
  ref?: string;
  handle?: string;
  /** The handle is that of a message of ours for certain: where it is not known, no other is meant. */
  isOwnMessage?: true;
  /** What was said where it names no thread: the end of the work, or an answer. */
  meaning?: "done" | "answer";
}

export interface ResolvedInbound {
  actor: string;
  ref: string;
  /** The owner who was alerted about the thread there, and may speak as one. */
  alertedOwner?: string;
  /** Nothing said which thread was meant, and another could have been. */
  isGuessed?: true;
}

/** An address at which nothing arrives any more, as its channel told after it had taken a message. */
export interface UndeliverableAddress {
  executor: string;
  channel: ChannelKind;
  ref: string;
  reason: string;
  identity: string;
  /** What the channel calls the message that did not arrive, in the spellings that it may have. */
  handles: string[];
}

/** A member as it calls back by itself: robots and services. */
export interface CallbackCredentials {
  /** The secret that its owner set for its webhook; absent where the derived one is good. */
  secret?: string;
  /** Origins of its own addresses, from which its files are fetched. */
  origins: string[];
  /**
   * A fingerprint of its webhook's secret and its membership. A callback token carries it, and ends when the secret is
   * rotated or the member is removed.
   */
  token_binding: string;
}

export interface ContactsRpc {
  findContacts(query: ContactQuery): Promise<Contacts>;
  /** What came of the attempts since the last call, in their order. */
  reportDeliveries(reports: DeliveryReport[]): Promise<void>;
  /** Nothing more is sent to the address. Resolves with whether its member is reached elsewhere. */
  markUndeliverable(address: UndeliverableAddress): Promise<boolean>;
  /**
   * A delivery to the member was given up: logged as an event, once however often it is told.
   * @param at when it was, in milliseconds since 1970
   */
  recordDeliveryFailure(summary: ThreadSummary, executor: string, at: number): Promise<void>;
  /**
   * The owners are to know of the thread, whether or not any way leads to them: logged as an event, once however often
   * it is told.
   * @param note why, in one line
   * @param at when it was, in milliseconds since 1970
   */
  recordEscalation(summary: ThreadSummary, note: string, at: number): Promise<void>;
  /**
   * The member behind an address and the thread that is meant: by ref, by handle, else the last one that was sent to
   * this address and has not ended, or the one that they hold. Refused with `unknown_executor` for a stranger,
   * `not_found` where no thread is meant, `wrong_role` where only an owner could mean it.
   */
  resolveInbound(query: InboundQuery): Promise<Outcome<ResolvedInbound>>;
  /** Somebody whom nobody here knows wrote in the channel, as it vouches: the owners see it, once a day for each. */
  recordUnknownSender(channel: ChannelKind, from: string): Promise<void>;
  /** `dispatch.{channel}` with its secrets, to verify what comes in; null where the channel is not set up. */
  getChannelSettings(channel: ChannelKind): Promise<JsonMap | null>;
  /** How an executor proves who it is; null where there is none of that id, or its own secret cannot be had. */
  getCallbackCredentials(executor: string): Promise<CallbackCredentials | null>;
}
