/**
 * RPC surface of SourceObject, the record of one message source of a household: its messages, their classification,
 * drafts and what was sent. The household decides which sources there are. Types only.
 */
import type { Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json } from "../mess/json.ts";
import type {
  AutomaticKind,
  ClassifiedBy,
  DraftState,
  MessageMark,
  SourceKindName,
  SourceMessageStatus,
  Tier,
  Urgency,
} from "../mess/sources/vocabulary.ts";
import type { SourceRequestOrigin } from "../mess/sources/request-origin.ts";
import type { MessageInput } from "../mess/wire/schema.ts";
import type { Status } from "../mess/status.ts";

/** A source as the household sends it to its object. A lower `revision` than the stored one is ignored. */
export interface SourceRecord {
  household: string;
  /** Unique in the household, such as `email`. */
  name: string;
  kind: SourceKindName;
  title?: string;
  /** A disconnected source keeps its messages, refuses new ones, polls nothing and sends nothing. */
  status: "connected" | "disconnected";
  /** Why it cannot send, in one sentence for people (`SourceKind.explainCannotSend`); absent where it can. */
  cannot_send?: string;
  /** Rises with every change of the record or of the source's settings, which starts polling again. */
  revision: number;
  /** Milliseconds since 1970. */
  created: number;
}

/** Bytes in R2, stored before anything refers to them. */
export interface StoredBytes {
  /** Key in R2. */
  key: string;
  size: number;
  mime: string;
}

export interface SourceAttachment extends StoredBytes {
  name: string;
}

/** A message as its kind received it. Every text is within its limit. */
export interface IncomingSourceMessage {
  /** The provider's id: a message with the same id is stored once. */
  external_id: string;
  sender: string;
  sender_name?: string;
  recipient: string;
  subject?: string;
  /** Plain text. */
  body: string;
  /** Milliseconds since 1970, as the sender or provider says. */
  timestamp: number;
  headers: [name: string, value: string][];
  /** Provider ids of the messages to which it replies, the nearest first. */
  references?: string[];
  /** Where a reply goes: a mail address, a chat id. */
  channel: string;
  urgency?: Urgency;
  automatic?: AutomaticKind;
  attachments: SourceAttachment[];
  raw?: StoredBytes;
}

/** The result of `receive` for one message. */
export interface ReceivedMessage {
  id: string;
  /** A message with its external id was stored before; nothing was stored again. */
  repeated?: true;
}

/** A message in lists. Its texts were written by strangers: untrusted. */
export interface SourceMessageSummary {
  id: string;
  source: string;
  kind: SourceKindName;
  sender: string;
  sender_name?: string;
  subject?: string;
  /** The first characters of the body. */
  excerpt: string;
  /** ISO 8601 in UTC. */
  timestamp: string;
  /** When it arrived here. */
  received: string;
  status: SourceMessageStatus;
  /** Absent until it is classified. */
  tier?: Tier;
  reason?: string;
  classified_by?: ClassifiedBy;
  /** The classifier was not available; it is classified again later. */
  provisional?: true;
  urgency: Urgency;
  seen: boolean;
  flagged?: true;
  automatic?: AutomaticKind;
  attachments: number;
  /** Id of its newest draft that is not discarded. */
  draft?: string;
}

export interface SourceMessageView extends Omit<SourceMessageSummary, "attachments" | "excerpt"> {
  recipient: string;
  body: string;
  headers: [name: string, value: string][];
  /** Id of the message in this source, or else the provider's id, to which it replies. */
  reply_to?: string;
  channel: string;
  /** Position in the list; files are fetched by it. */
  attachments: { index: number; name: string; mime: string; size: number }[];
  has_raw: boolean;
  drafts: string[];
  /** Classifications that people have corrected, the oldest first. */
  former_verdicts?: FormerVerdict[];
}

export interface FormerVerdict {
  tier: Tier;
  reason: string;
  by: ClassifiedBy;
  /** ISO 8601. */
  until: string;
}

export interface MessageQuery {
  status?: SourceMessageStatus;
  tier?: Tier;
  /** Only those that nobody has seen, or has. */
  seen?: boolean;
  flagged?: boolean;
  /** Only those that wait for a classifier. */
  unclassified?: boolean;
  /** At or after, and before, this arrival: milliseconds since 1970. */
  from?: number;
  to?: number;
  /** `next_cursor` of the previous page; newest first. */
  cursor?: string;
  limit: number;
}

export interface SourceMessagePage {
  messages: SourceMessageSummary[];
  next_cursor?: string;
}

/** Messages after a position, in the order of arrival. */
export interface NewSourceMessages {
  messages: SourceMessageSummary[];
  /** For the next call. */
  position: number;
  more: boolean;
}

export interface SourceStatus {
  source: string;
  kind: SourceKindName;
  title?: string;
  status: "connected" | "disconnected";
  can_send: boolean;
  messages: number;
  unseen: number;
  unclassified: number;
  drafts: number;
  /** Arrival of the newest message, ISO 8601. */
  newest?: string;
  /** The last failures of receiving and of sending, in one line. Never contains a secret. */
  problem?: string;
  problem_since?: string;
}

/** Messages of a source. The caller's access to the source was checked by the exchange. */
export interface SourceMessagesRpc {
  /** Stores the messages, each once. Refuses all where the source is disconnected, unknown or full. */
  receive(messages: IncomingSourceMessage[]): Promise<Outcome<ReceivedMessage[]>>;
  /** Shows as the source's problem, until a message is stored, that one could not be. @param reason in one line, without a secret */
  reportNotStored(reason: string): Promise<void>;
  status(): Promise<Outcome<SourceStatus>>;
  list(query: MessageQuery): Promise<Outcome<SourceMessagePage>>;
  /** Without a position: no messages, and the position of the newest. */
  listAfter(position: number | undefined, limit: number): Promise<Outcome<NewSourceMessages>>;
  read(id: string): Promise<Outcome<SourceMessageView>>;
  /** Where the bytes of the raw message or of an attachment are. */
  locate(id: string, part: "raw" | number): Promise<Outcome<SourceAttachment>>;
  mark(id: string, mark: MessageMark): Promise<Outcome<SourceMessageSummary>>;
  /** Deletes a message with its drafts that were not sent, and its bytes. */
  remove(id: string): Promise<Outcome<true>>;
  /** For exports, in the order of arrival. */
  listAll(after: number, limit: number): Promise<{ messages: SourceMessageView[]; next?: number }>;
  estimateExportBytes(): Promise<number>;
  /** For the cleanup of R2: keys of messages that arrived at or after the instant, and of drafts. @param after `next` of the previous page, or 0 */
  listBlobKeys(since: number, after: number): Promise<{ keys: string[]; next?: number }>;
  /** For retention: deletes up to a number of messages that arrived before the instant. */
  deleteOlder(before: number): Promise<{ deleted: number; more: boolean }>;
  /** Sends everything to the index in D1 again. */
  reindex(): Promise<void>;
}

/** The verdict about a message by another policy, beside the present one. */
export interface DryRunEntry {
  id: string;
  sender: string;
  subject?: string;
  before?: Tier;
  after: Tier;
  reason: string;
  by: ClassifiedBy;
}

export interface WatcherRpc {
  /** Stores the verdict of a connected agent about a message that waits for one; its text is parsed strictly. */
  submitVerdict(
    caller: Principal,
    id: string,
    text: string,
  ): Promise<Outcome<SourceMessageSummary>>;
  /** A person corrects the tier. The household learns from it. */
  correct(caller: Principal, id: string, tier: Tier): Promise<Outcome<SourceMessageSummary>>;
  /** Classifies the newest messages by another policy, changing nothing. */
  dryRun(policy: string, limit: number): Promise<Outcome<DryRunEntry[]>>;
  /** Classifies provisional messages now; the household calls it when its classifier or policy has changed. */
  catchUp(): Promise<void>;
}

export interface NewDraft {
  /** Id of the message that it answers; without it, `to` is needed. */
  message?: string;
  to?: string[];
  subject?: string;
  body: string;
  /** Forwards the message, with its attachments, to `to`. */
  forward?: true;
  /** Idempotency key of the call. */
  key?: string;
}

export interface DraftChange {
  to?: string[];
  subject?: string;
  body?: string;
  /** The revision that the caller has read: another one in the meantime is refused with `draft_changed`. */
  revision: number;
}

export interface DraftView {
  id: string;
  source: string;
  message?: string;
  /** It answers or forwards a message, which may have been deleted since. */
  about_message?: true;
  to: string[];
  subject?: string;
  body: string;
  /** Attachments of the forwarded message. */
  attachments: { name: string; mime: string; size: number }[];
  revision: number;
  /** Identifies the content of this revision; an approval repeats it. */
  digest: string;
  state: DraftState;
  /** The author of this revision: a member, or `watcher` for the automatic sorting. */
  author: string;
  created: string;
  updated: string;
  approved_by?: string;
  /** When it will be sent; until then an approval can be undone. */
  send_at?: string;
  sent_at?: string;
  /** The provider's id of the sent message. */
  external_id?: string;
  /** For a failed one: why, and what to do. For a sent one: a warning that the provider may have sent it twice. */
  note?: string;
}

/** An approval by a person. Keys and agents cannot approve. */
export interface Approval {
  draft: string;
  digest: string;
  /** Milliseconds since 1970; default: after the time for undoing. */
  send_at?: number;
}

export interface OutboxRpc {
  create(author: Principal, draft: NewDraft): Promise<Outcome<DraftView>>;
  revise(author: Principal, id: string, change: DraftChange): Promise<Outcome<DraftView>>;
  discard(caller: Principal, id: string): Promise<Outcome<DraftView>>;
  list(query: {
    state?: DraftState;
    cursor?: string;
    limit: number;
  }): Promise<Outcome<{ drafts: DraftView[]; next_cursor?: string }>>;
  read(id: string): Promise<Outcome<DraftView>>;
  /** Asks the owners for their approval through their channels. */
  requestApproval(caller: Principal, id: string): Promise<Outcome<DraftView>>;
  /** Refused with `person_required` unless the principal is an owner in a browser session. */
  approve(person: Principal, approval: Approval): Promise<Outcome<DraftView>>;
  /** Takes an approval back while the message has not been sent. */
  undo(person: Principal, id: string): Promise<Outcome<DraftView>>;
}

/** The answer of an owner to the request that an interruption or a request for approval has opened. */
export interface SourceRequestChange {
  /** From the origin of the request. */
  message?: string;
  draft?: string;
  digest?: string;
  ref: string;
  /** Rises with every change of the request. */
  seq: number;
  status: Status;
  /** The owner who completed or declined it, by a tap in its own channel or in a browser session; absent otherwise. */
  person?: string;
}

/** A change of the state that a kind stores with its messages, such as the entries of a feed that were read. */
export interface KindStateChange {
  /** As it was read; undefined if there was none. */
  before: Json | undefined;
  after: Json;
  /** When the source must be polled, at the latest: milliseconds since 1970; null for never. */
  pollAt?: number | null;
}

export interface KindRpc {
  /** Undefined if the kind has stored none. */
  readState(): Promise<Outcome<{ state: Json | undefined }>>;
  /** Stores messages and state in one transaction. Null, and nothing stored, if the state has changed since `before`. */
  receive(
    messages: IncomingSourceMessage[],
    state: KindStateChange,
  ): Promise<Outcome<ReceivedMessage[] | null>>;
  /**
   * Somebody waits for messages: polls soon, and often for this time, by default some minutes. Does nothing for kinds
   * that are not polled.
   */
  hasten(awaitedMs?: number): Promise<void>;
  /** Tries the source's settings with its provider. Empty where all is well, or nothing can be tried. */
  check(source: { household: string; name: string }): Promise<string[]>;
}

export interface SourceFacets {
  readonly messages: SourceMessagesRpc;
  readonly watcher: WatcherRpc;
  readonly outbox: OutboxRpc;
  readonly kind: KindRpc;
}

export interface SourceRpc extends SourceFacets {
  /** Stores the household's record of the source, and begins or ends polling. */
  sync(record: SourceRecord): Promise<void>;
  takeRequestChange(change: SourceRequestChange): Promise<void>;
  /** Deletes everything. The household has removed the source. */
  erase(source: { household: string; name: string }): Promise<void>;
  /** `/new?after={seq}`: a WebSocket that gets the id of the first message after the position, then closes. */
  fetch(request: Request): Promise<Response>;
}

/** The methods of the object itself. Callers use SourceRpc, which `getSourceStub` builds on them. */
export interface SourceObjectRpc extends Pick<
  SourceRpc,
  "sync" | "takeRequestChange" | "erase" | "fetch"
> {
  callFacet(facet: keyof SourceFacets, method: string, args: unknown[]): Promise<unknown>;
}

/**
 * Opens a request to an owner in the name of the source, once for each key; without `origin`, sends a message to one of
 * its requests. @returns the ref of the thread
 */
export type PostForSource = (
  household: string,
  message: MessageInput,
  options: { key: string; source: string; origin?: SourceRequestOrigin },
) => Promise<Outcome<string>>;
