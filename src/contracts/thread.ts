/** The RPC surface of ThreadObject and the values that cross it. Types only. */
import type { CredentialId, LinkPermission, Principal } from "../auth/principal.ts";
import type { ChannelKind, NoticeKind } from "../channels/channel.ts";
import type { InboundEvent, ReceiveResult } from "../channels/chat-event.ts";
import type { DeliveryState } from "../delivery/delivery.ts";
import type { Attachment, Envelope, MessageDocument } from "../mess/envelope.ts";
import type { AuditSource, ThreadAuditRecord } from "./audit.ts";
import type { Outcome } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import type { InlineFile } from "../mess/messe-af/resource-documents.ts";
import type { DocumentFormat } from "../mess/messe-af/write.ts";
import type { Entry } from "../mess/wire/content/entries.ts";
import type { Candidate, Route } from "../mess/routing/routing.ts";
import type { Message } from "../mess/wire/schema.ts";
import type { Partition, Status } from "../mess/status.ts";
import type { RequestOrigin } from "../mess/thread/state.ts";
import type { Joiner } from "../mess/thread/suggestions/join.ts";
import type { Replacement } from "../mess/thread/suggestions/supersede.ts";
import type {
  StagedBlob,
  NewMultipartUpload,
  MultipartUpload,
  StoredPart,
} from "./thread-uploads.ts";
import type {
  ThreadView,
  EarlierThread,
  EarlierThreadWithFiles,
  ResourceView,
  DocumentRange,
  DocumentText,
  ThreadPage,
  ThreadText,
  ThreadWithActions,
} from "./thread-views.ts";

/** A call with an `Idempotency-Key`: its caller and key, as `buildCallKey` joins them. */
export interface KeyedCall {
  call?: string;
}

export interface Idempotency {
  key: string;
  /** SHA-256, in hex, of the message as sent. */
  digest: string;
}

/** A request of a batch in the ack. */
export interface BatchAckEntry {
  id?: string;
  ref: string;
  queue_position?: number;
}

export interface CreateInput {
  household: string;
  ref: string;
  /** IANA zone in which the thread's times are written (decision 7). */
  zone: string;
  requestor: string;
  channel: string;
  message: Message;
  blobs: StagedBlob[];
  digest: string;
  route: Route;
  /** No candidate has a channel, so an offer creates no deliveries. */
  unreached?: true;
  /** The requestor has a channel, and gets notices about messages and the end. */
  requestor_reached?: true;
  /** The requestor may claim the request itself. */
  requestor_serves?: true;
  batch?: string[];
  /** The `requests` of the ack where the thread is one of a batch (decision 14). */
  batch_ack?: BatchAckEntry[];
  /** For the ack: its place among the requests that wait for the same executors. */
  queue_position?: number;
  blocked_by?: string[];
  /** References of its context: `{thread}` or `{thread}/{part}`. The caller has checked that the requestor sees it. */
  references?: string[];
  /** Warnings for the ack. */
  warnings?: string[];
  /** The thread that it joins, which has accepted it. */
  joins?: string;
  /** The threads that it replaces. */
  replaces?: { refs: string[]; reason: "merge" | "split" };
  origin?: RequestOrigin;
}

/** A message of the exchange in a thread. */
export interface SystemMessage {
  /** Idempotency key: posted once for each key. */
  key: string;
  /** Post only where the thread has joined this one. */
  joined?: string;
  message: string;
  context?: Entry[];
}

export interface AppendInput {
  actor: Principal;
  channel: string;
  /** The message in the sender's `re`, if it names a message instead of the thread. */
  about?: string;
  message: Message;
  blobs: StagedBlob[];
  idempotency?: Idempotency;
  /** The member that a `delegated` status names, if it is in the household (decision 34). */
  delegate?: Candidate;
}

/** The result of an append or a create. `ack` is the body of the `ack` block. */
export interface Receipt {
  ref: string;
  /** The message's ref; absent for a request. */
  message_ref?: string;
  ack: JsonMap;
  seq: number;
  status: Status;
  /** False where an earlier call with the same key or body did it. */
  fresh: boolean;
}

export interface NewThreadLink {
  executor: string;
  permissions: readonly LinkPermission[];
  /** Seconds since 1970. */
  expires: number;
  /** Its creator with the call's `Idempotency-Key`: repeating the call returns the same link. */
  call?: string;
  /** The same as `buildCallKey` joins it, which is refused for calls of another kind. */
  call_key?: string;
  /** The credential that created the link and with which it ends, or the exchange for a link in a notice. */
  made_with: CredentialId | "exchange";
  /** The executor's membership when the link was created; removal from the household ends it. */
  membership: number;
  /** The caller that creates it, for the household's audit trail; absent for the exchange. */
  by?: AuditSource;
}

/** A change that the thread reports to the household, whose audit trail records it. */
export interface AuditReport {
  type: "audit";
  record: ThreadAuditRecord;
}

/** A deleted file whose bytes a job still deletes. */
export interface BlobDeletion {
  type: "deleteBlob";
  key: string;
}

/** The end of a credential or a membership, which ends all links and sockets that depend on it. */
export type AccessEnd =
  | { credential: CredentialId }
  /** Every membership of the executor up to and including this one. */
  | { executor: string; membership: number };

export interface ThreadLink extends Omit<
  NewThreadLink,
  "call" | "made_with" | "membership" | "by"
> {
  /** Number of the link in its thread; part of the short URL. */
  number: number;
  jti: string;
  made: number;
  revoked: boolean;
}

/** The summary of a thread for the index and the household. Instants are milliseconds since 1970. */
export interface ThreadSummary {
  household: string;
  ref: string;
  client_id: string | null;
  /** Increases with every change of the thread; the higher value takes precedence. */
  seq: number;
  status: Status;
  partition: Partition;
  requestor: string;
  executor: string | null;
  /** Members who may see the thread: requestor, joiners, holder, candidates that were offered it. */
  participants: string[];
  intent: string;
  priority: string;
  /** IANA zone in which the thread's times are written. */
  zone: string;
  created: number;
  updated: number;
  expires: number | null;
  /** Intent, context and answers as plain text, for search. */
  text: string;
  /** For the household: the statuses since the last summary that it acknowledged, each with the `seq` of its change. */
  moves?: readonly (readonly [seq: number, status: Status])[];
  /** Open suggestions: the id of each and the name of its message. Absent where there are none. */
  suggestions?: readonly (readonly [id: string, name: string])[];
}

/** The sender of a chat message, as the household resolved it. */
export interface ChatSpeaker {
  household: string;
  actor: string;
  /** The owner who was alerted about the thread in this chat, and may act as owner. */
  alertedOwner?: string;
  /** The owner who certainly sent this, from an address of their own. */
  identifiedOwner?: string;
}

/** A chat message about the thread, before its text is interpreted. */
export interface InboundReply extends Pick<
  InboundEvent,
  "channel" | "action" | "text" | "location"
> {
  /** Identifies the event: repeating it has no effect. */
  readonly key: string;
  /** Its files, which are stored in R2. */
  readonly files: readonly StagedBlob[];
}

/** The thread after the reply, for the receipt. */
export type ReplyResult = Omit<ReceiveResult, "isGuessed">;

export interface ThreadRpc {
  /** Creates the thread; repeating it returns the first receipt. */
  create(input: CreateInput): Promise<Outcome<Receipt>>;
  append(input: AppendInput): Promise<Outcome<Receipt>>;
  /**
   * Interprets a chat message in the thread's current state and appends it, in one transaction. Refused with
   * `empty_message`, or as the message itself would be. Reports a repeated event as such.
   */
  receiveReply(speaker: ChatSpeaker, reply: InboundReply): Promise<Outcome<ReplyResult>>;
  /** Returns the result of a reply that was received before; null for a new one. Comes before its files are fetched. */
  findReply(
    speaker: ChatSpeaker,
    reply: Pick<InboundReply, "key" | "action" | "text">,
  ): Promise<Outcome<ReplyResult | null>>;
  readThread(viewer: Principal, after?: number): Promise<Outcome<ThreadView>>;
  /** Like `readThread`, with files as `content://` resources. Lists the files that are kept in messages, too. */
  readResources(viewer: Principal, after?: number): Promise<Outcome<ResourceView>>;
  /** Reads a page of the thread as text, without building its documents. */
  readThreadText(
    viewer: Principal,
    format: DocumentFormat,
    page: ThreadPage,
  ): Promise<Outcome<ThreadText>>;
  /** Reads the `rest` of an earlier text. */
  readDocumentText(
    viewer: Principal,
    format: DocumentFormat,
    rest: DocumentRange,
  ): Promise<Outcome<DocumentText>>;
  /** Returns the receipt of the append with this idempotency key; null where there was none. */
  findReceipt(viewer: Principal, key: string): Promise<Outcome<Receipt | null>>;
  /** Reads one message document by the last part of its ref, such as `response-002`, with its ack. */
  readMessage(viewer: Principal, name: string): Promise<Outcome<MessageDocument[]>>;
  /** Finds a file by its name or by the name that its sender gave it; the error for another name lists the files. */
  findAttachment(viewer: Principal, name: string): Promise<Outcome<Attachment | InlineFile>>;
  /** Reads the earlier threads to which the request refers; none once the thread has ended (decision 72). */
  /** Deletes a file, for owners; a text takes its place in its message. Idempotent. */
  deleteFile(
    viewer: Principal,
    name: string,
    by: AuditSource,
  ): Promise<Outcome<{ deleted: string; at: string }>>;
  readContext(viewer: Principal): Promise<Outcome<EarlierThread[]>>;
  /** Finds a file of an earlier thread to which the request refers. */
  findContextFile(
    viewer: Principal,
    thread: string,
    name: string,
  ): Promise<Outcome<Attachment | InlineFile>>;
  /** Reads this thread, or a message or file of it, for a thread that refers to it and has checked its reader. */
  readAsContext(part?: string): Promise<EarlierThreadWithFiles | null>;
  getRoute(viewer: Principal): Promise<Outcome<Route>>;
  /** Reads the whole thread and the viewer's allowed actions consistently. */
  readWithActions(viewer: Principal): Promise<Outcome<ThreadWithActions>>;
  /** Adds a link. The caller has checked the permission. */
  addLink(link: NewThreadLink): Promise<Outcome<ThreadLink>>;
  /** Returns the link of a short URL; null where the thread has no link of that number. */
  findLinkByNumber(number: number): Promise<ThreadLink | null>;
  /** Lists the links that the viewer may revoke: its own, or all for the requestor's side. */
  listLinks(viewer: Principal): Promise<Outcome<ThreadLink[]>>;
  /** Revokes one link, all of an executor, or all; refused where the viewer may revoke none of them. */
  revokeLinks(
    viewer: Principal,
    links: { jti?: string; executor?: string },
    by?: AuditSource,
  ): Promise<Outcome<ThreadLink[]>>;
  /** Ends links and sockets permanently, including those that are being created. Idempotent. */
  endAccess(end: AccessEnd): Promise<void>;
  /** Lists sent and pending deliveries; for the requestor and the owners. */
  listDeliveries(viewer: Principal): Promise<Outcome<ListedDelivery[]>>;
  /** Sends a delivery again; for owners. */
  redeliver(viewer: Principal, id: string): Promise<Outcome<ListedDelivery>>;
  /**
   * Sends the notices to the member that wait for its quiet hours or snooze, or postpones them again. False if some were
   * waiting or on their way: call it again, since one of them may have been postponed meanwhile.
   */
  releaseHeld(executor: string): Promise<boolean>;
  /** Records a channel's verified report that an accepted message was not delivered. False where it is known already. */
  recordDeliveryFailure(failure: DeliveryFailure): Promise<boolean>;
  /**
   * Records in the history that the executor requests a new link; `fresh` at most once an hour (decision 36). A new
   * link is sent in place of an expired one, but never in place of a revoked one.
   * @param jti the link through which the request comes
   */
  requestLink(executor: string, jti: string): Promise<Outcome<RequestedLink>>;
  /**
   * Checks that the viewer may upload to the thread, before any bytes are stored. The value says whether a file waits
   * under the token.
   */
  checkUpload(viewer: Principal, token?: string): Promise<Outcome<boolean>>;
  /**
   * Registers an upload until a message refers to its token, at most for a day. Returns the blob of the token: the
   * earlier one where the upload is a repetition.
   */
  stageUpload(viewer: Principal, blob: StagedBlob & KeyedCall): Promise<Outcome<StagedBlob>>;
  /** Begins an upload in parts; returns the existing one where it was begun before. */
  beginUpload(
    viewer: Principal,
    upload: NewMultipartUpload & KeyedCall,
  ): Promise<Outcome<MultipartUpload>>;
  findUpload(viewer: Principal, id: string): Promise<Outcome<MultipartUpload>>;
  /** Records the part after the last one; refuses any other with `offset_conflict`. */
  recordPart(viewer: Principal, id: string, part: StoredPart): Promise<Outcome<MultipartUpload>>;
  /** Stages the complete file like `stageUpload`; without a blob returns the one that was staged before. */
  finishUpload(viewer: Principal, id: string, blob?: StagedBlob): Promise<Outcome<StagedBlob>>;
  abortUpload(viewer: Principal, id: string): Promise<void>;
  /** Stores a thread that was read from a file (decision 63); refused where another thread has the ref. */
  adoptThread(input: AdoptInput): Promise<Outcome<{ fresh: boolean }>>;
  /** Lets a thread with an equal request join this one, if allowed; its requestor may then read this thread. */
  acceptJoiner(joiner: Joiner, maxAgeSeconds: number): Promise<Outcome<true>>;
  /** Ends the thread as replaced by another. False where the thread does not exist yet. */
  supersede(replacement: Replacement): Promise<boolean>;
  /** Replaces a dependency by the threads that superseded it (decision 42). */
  replaceDependency(of: string, refs: string[]): Promise<void>;
  /** Posts a message of the exchange. False where the thread does not exist yet. */
  postSystemMessage(message: SystemMessage): Promise<boolean>;
  /** Handles the end of a dependency (decision 42). */
  resolveDependency(ref: string, status: Status): Promise<void>;
  getSummary(): Promise<ThreadSummary | null>;
  /** Deletes the thread's record, files and index row; only its household calls it. Idempotent. */
  erase(thread: { household: string; ref: string }): Promise<void>;
  /** Lists the R2 keys that the thread refers to, for the cleanup of blobs. */
  listBlobKeys(): Promise<string[]>;
  /** Opens the WebSocket of a waiting call, or of a page where the URL contains `watcher`. */
  fetch(request: Request): Promise<Response>;
}

/** A page that watches the thread; its access is checked at each change, since its link may have ended. */
export type ThreadWatcher = Pick<Principal, "actor" | "scope" | "credential">;

/** A delivery as the requestor and the owners see it. Times are ISO 8601 in the household's zone. */
export interface ListedDelivery {
  /** `webhook-id`. */
  id: string;
  /** The member, or `owners` until the owners are resolved. */
  executor: string;
  /** The channel that accepted it or is tried next; null for the member's first channel. */
  channel: ChannelKind | null;
  kind: NoticeKind;
  state: DeliveryState;
  /** Failed rounds over the member's addresses. */
  attempts: number;
  next?: string;
  /** Why it failed last, is delayed or was dropped. */
  error?: string;
  at: string;
}

/** An executor's request for a new link, as reported to the household. */
export interface RequestedLink {
  fresh: boolean;
  /** The exchange sends a new link through the channel that the member was notified by. */
  sent: boolean;
  summary: ThreadSummary;
}

export interface AdoptInput {
  household: string;
  zone: string;
  envelope: Envelope;
  messages: MessageDocument[];
  attachments: Attachment[];
  /** Store nothing, and return whether the thread would be new: its files need no storage if it is not. */
  dryRun?: true;
}

/** A delivery that a channel accepted and later reported as failed. */
export interface DeliveryFailure {
  channel: ChannelKind;
  /** The channel's id of the sent message. */
  handle: string;
  /** One line for the history. */
  reason: string;
  /** Set where the address is dead: `elsewhere` where the member has other addresses, else `nowhere`. */
  addressState?: "elsewhere" | "nowhere";
}
