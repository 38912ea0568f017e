/** RPC surface of the household for contacting its members and resolving inbound messages. Types only. */
import type { ChannelKind } from "../channels/channel.ts";
import type { InboundRequest, WebhookChannel, WebhookEvent } from "../channels/inbound.ts";
import type { PushSubscription } from "../channels/push/config.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";

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
  delay?: { until: number; reason: string };
  /** All endpoints of the member are failing: no attempt before this instant, in milliseconds since 1970. */
  broken_until?: number;
  /** Text that says why it should not be offered a thread now; only given for an offer. */
  unavailableReason?: string;
}

export interface ContactQuery {
  /** Members to notify, or `owners` for the members who receive alerts. */
  recipients: string[] | "owners";
  priority: string;
  /** The thread of the notices, which is asked to send them when the wait of a member ends early. */
  ref?: string;
  /** The notice is an offer: also return the reason of unavailability. */
  isOffer?: true;
}

export interface Contacts {
  contacts: Contact[];
  /** Display names of the members, by id. */
  names: Record<string, string>;
  /** The household is suspended: no notice before this instant (milliseconds since 1970), unless it is resumed. */
  held_until?: number;
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
  /** Identities of the sender, the most likely first; the first that belongs to a member counts. */
  identities: readonly string[];
  /** In a shared chat: the identities of the person who wrote; empty where the channel does not provide them. */
  personIdentities?: readonly string[];
  ref?: string;
  handle?: string;
  /** The handle is certainly that of a sent message: where it is unknown, do not guess another thread. */
  isOwnMessage?: true;
  /** The meaning of a message that names no thread: completion, or an answer. */
  meaning?: "done" | "answer";
  /** The whole text is a keyword such as `yes` or `done`. */
  keyword?: true;
}

export interface ResolvedInbound {
  actor: string;
  ref: string;
  /** The owner who was alerted about the thread in this chat, and may act as owner. */
  alertedOwner?: string;
  /** The owner who certainly sent it: from a chat of their own that they have confirmed for approvals. */
  identifiedOwner?: string;
  /** It came from a chat of an owner who has not confirmed it for approvals. */
  isUnconfirmed?: true;
  /** The message did not name its thread, and several were possible. */
  isGuessed?: true;
  /** Display names of the members, by id. */
  names: Record<string, string>;
}

/** A chat of an owner, in which their taps approve drafts once they have confirmed it. */
export interface ApprovalChat {
  channel: ChannelKind;
  /** In the normalized form of the channel. */
  address: string;
  confirmed: boolean;
}

/** A verified request of a channel's service. */
export interface ReceivedInbound<Event> {
  /** `dispatch.{channel}` with secrets, to fetch files and to reply; never to be stored or logged. */
  settings: JsonMap;
  event: Event;
  /** The sender and the thread of the message in the event, if it has one. */
  resolved?: Outcome<ResolvedInbound>;
  /** The message source that gets the message, because it answers no request. `resolved` is then a refusal. */
  source?: string;
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
  /** The binding of tokens that were issued before a rotation of MESS_SECRET. */
  former_binding?: string;
}

export interface VapidKeys {
  /** Uncompressed point, base64url: the `applicationServerKey` of browsers. */
  publicKey: string;
  privateKey: JsonWebKey;
}

export interface Presence {
  actor: string;
  /** away: others are offered threads first. snoozed: notices wait, unless they are urgent. */
  state: "here" | "away" | "snoozed";
  /** ISO 8601 time in the household's zone; after it the member counts as present. */
  until?: string;
}

/** When a member wants to be contacted, as the member set it. */
export interface Availability extends Pick<Presence, "state" | "until"> {
  /** `22:00-07:00`, or null; absent for members that are not executors. */
  quiet_hours?: string | null;
}

export type AvailabilityChange = Partial<Pick<Presence, "state" | "until">> & {
  /** null ends the quiet hours. */
  quiet_hours?: string | null;
};

export interface ContactsRpc {
  findContacts(query: ContactQuery): Promise<Contacts>;
  /** Reports the results of the attempts since the last call, in order. */
  reportDeliveries(reports: DeliveryReport[]): Promise<void>;
  /** Stops sending to the address. Resolves with whether its member has other addresses. */
  markUndeliverable(address: UndeliverableAddress): Promise<boolean>;
  /**
   * Resolves the sender and the target thread of an inbound message: by ref, by handle, else the last unfinished
   * thread that was sent to this address, or the one that the sender holds. Refuses an unknown sender with
   * `unknown_executor`, a message without a thread with `not_found`, and one that only an owner may send with
   * `wrong_role`.
   */
  resolveInbound(query: InboundQuery): Promise<Outcome<ResolvedInbound>>;
  /**
   * Verifies and parses a request of the channel's service, and resolves the message in it like `resolveInbound`. In a
   * household with a connected source of the kind, no thread is guessed: what certainly answers no request is for the
   * source. Null for a request that is not authentic, and for a household without the channel.
   */
  receiveInbound<Kind extends WebhookChannel>(
    channel: Kind,
    request: InboundRequest,
  ): Promise<ReceivedInbound<WebhookEvent<Kind>> | null>;
  /** Returns `dispatch.{channel}` with secrets; null where the channel is not configured. */
  getChannelSettings(channel: ChannelKind): Promise<JsonMap | null>;
  /** Returns the executor's callback credentials; null where it does not exist or its secret is unreadable. */
  getCallbackCredentials(executor: string): Promise<CallbackCredentials | null>;

  /**
   * Adds a push subscription of a member's browser.
   * @param session the browser's session; the subscription ends with it
   */
  subscribe(
    actor: string,
    subscription: PushSubscription,
    session?: string,
  ): Promise<Outcome<true>>;
  unsubscribe(actor: string, endpoint: string): Promise<Outcome<true>>;
  listSubscriptions(actor: string): Promise<PushSubscription[]>;
  /** Returns the household's key pair for push services; creates it at the first call. */
  getVapidKeys(): Promise<Outcome<VapidKeys>>;

  /** The chats of the session's owner, who must be verified. */
  listApprovalChats(session: string): Promise<Outcome<ApprovalChat[]>>;
  /** Lets the taps of the session's owner in this chat approve, or no longer. */
  setApprovalChat(session: string, chat: ApprovalChat): Promise<Outcome<true>>;

  /** Sets the presence. `until`: ISO 8601 (default zone: the household's) or a duration from now. */
  setPresence(actor: string, state: Presence["state"], until?: string): Promise<Outcome<Presence>>;
  listPresence(): Promise<Presence[]>;
  getAvailability(actor: string): Promise<Availability>;
  /** Sets the member's own presence and quiet hours; both or neither. */
  setAvailability(actor: string, change: AvailabilityChange): Promise<Outcome<Availability>>;
}
