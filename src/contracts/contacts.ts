/** RPC surface of the household for contacting its members and resolving inbound messages. Types only. */
import type { ChannelKind } from "../channels/channel.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import type { ThreadSummary } from "./thread.ts";

/** A contact address of a member with secrets in plain text: for immediate sending, never to be stored or logged. */
export interface ContactAddress {
  channel: ChannelKind;
  /** `notify.{channel}` of the executor. */
  address: Json;
  /** `dispatch.{channel}` of the household. */
  settings: JsonMap;
  /** The circuit breaker is open: no attempt before this instant, in milliseconds since 1970. */
  broken_until?: number;
}

export interface Contact {
  executor: string;
  /** Membership number. Links that are sent to the member end with this membership. */
  membership: number;
  /** For a machine: `CallbackCredentials.token_binding`, for the callback token that is sent to it. */
  token_binding?: string;
  /** Addresses in order of preference; empty where the member has no channel. */
  addresses: ContactAddress[];
  /** Delay notices of this priority until this instant (milliseconds since 1970), with the reason. */
  hold?: { until: number; reason: string };
  /** All endpoints of the member are failing: no attempt before this instant, in milliseconds since 1970. */
  broken_until?: number;
  /** Text that says why it should not be offered a thread now; only given for an offer. */
  unavailableReason?: string;
}

export interface ContactQuery {
  /** Members to notify, or `owners` for the members who receive alerts. */
  recipients: string[] | "owners";
  priority: string;
  /** The notice is an offer: also return the reason of unavailability. */
  isOffer?: true;
}

export interface Contacts {
  contacts: Contact[];
  /** Display names of the members, by id. */
  names: Record<string, string>;
}

/** The result of one attempt, used for the circuit breaker, for matching replies, and for dead addresses. */
export interface DeliveryReport {
  executor: string;
  channel: ChannelKind;
  ref: string;
  ok: boolean;
  /** Send nothing more to this address until it is configured again. */
  isPermanent?: true;
  reason?: string;
  /** The notice alerted an owner about a thread. */
  isAlert?: true;
  /** The member's identity in the channel, and the channel's id of the sent message. */
  identity?: string;
  handle?: string;
}

/** The sender of an inbound message, and what it says about its thread. */
export interface InboundQuery {
  channel: ChannelKind;
  /** The channel's id of the event; repeating the query with it returns the same result. */
  id: string;
  from: string;
  /** In a shared chat: the identities of the person who wrote; empty where the channel does not provide them. */
  personIdentities?: readonly string[];
  ref?: string;
  handle?: string;
  /** The handle is certainly that of a sent message: where it is unknown, do not guess another thread. */
  isOwnMessage?: true;
  /** The meaning of a message that names no thread: completion, or an answer. */
  meaning?: "done" | "answer";
}

export interface ResolvedInbound {
  actor: string;
  ref: string;
  /** The owner who was alerted about the thread in this chat, and may act as owner. */
  alertedOwner?: string;
  /** The message did not name its thread, and several were possible. */
  isGuessed?: true;
}

/** An address that its channel reported as undeliverable after accepting a message. */
export interface UndeliverableAddress {
  executor: string;
  channel: ChannelKind;
  ref: string;
  reason: string;
  identity: string;
  /** The channel's ids of the undelivered message, in all spellings. */
  handles: string[];
}

/** Credentials of a machine that calls back. */
export interface CallbackCredentials {
  /** The secret that its owner set for its webhook; absent where the derived one is used. */
  secret?: string;
  /** Origins of its addresses; files are fetched only from these. */
  origins: string[];
  /**
   * A fingerprint of its webhook secret and its membership. A callback token contains it, and so becomes invalid when
   * the secret is rotated or the member is removed.
   */
  token_binding: string;
}

export interface ContactsRpc {
  findContacts(query: ContactQuery): Promise<Contacts>;
  /** Reports the results of the attempts since the last call, in order. */
  reportDeliveries(reports: DeliveryReport[]): Promise<void>;
  /** Stops sending to the address. Resolves with whether its member has other addresses. */
  markUndeliverable(address: UndeliverableAddress): Promise<boolean>;
  /**
   * Logs an event for a delivery that was given up. Idempotent.
   * @param at when it was given up, in milliseconds since 1970
   */
  recordDeliveryFailure(summary: ThreadSummary, executor: string, at: number): Promise<void>;
  /**
   * Logs an event for an alert to the owners, even where they have no channel. Idempotent.
   * @param note the reason in one line
   * @param at when the owners were alerted, in milliseconds since 1970
   */
  recordEscalation(summary: ThreadSummary, note: string, at: number): Promise<void>;
  /**
   * Resolves the sender and the target thread of an inbound message: by ref, by handle, else the last unfinished
   * thread that was sent to this address, or the one that the sender holds. Refuses an unknown sender with
   * `unknown_executor`, a message without a thread with `not_found`, and one that only an owner may send with
   * `wrong_role`.
   */
  resolveInbound(query: InboundQuery): Promise<Outcome<ResolvedInbound>>;
  /** Logs an event for an authenticated message of an unknown sender, at most once a day for each sender. */
  recordUnknownSender(channel: ChannelKind, from: string): Promise<void>;
  /** Returns `dispatch.{channel}` with secrets, to verify inbound requests; null where the channel is not configured. */
  getChannelSettings(channel: ChannelKind): Promise<JsonMap | null>;
  /** Returns the executor's callback credentials; null where it does not exist or its secret is unreadable. */
  getCallbackCredentials(executor: string): Promise<CallbackCredentials | null>;
}
