/** The RPC surface of ThreadObject and the values that cross it. Types only. */
import type { CredentialId, LinkPermission, Principal } from "../auth/principal.ts";
import type { ChannelKind, NoticeKind } from "../channels/channel.ts";
import type { DeliveryState } from "../delivery/delivery.ts";
import type { Attachment, Envelope, MessageDocument } from "../mess/envelope.ts";
import type { Outcome } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import type { Entry } from "../mess/wire/entries.ts";
import type { Candidate, Route } from "../mess/routing/routing.ts";
import type { Message } from "../mess/wire/schema.ts";
import type { Partition, Status } from "../mess/status.ts";
import type { ActionPermission } from "../mess/thread/actions.ts";
import type { Joiner } from "../mess/thread/join.ts";
import type { OpenItems } from "../mess/thread/state.ts";
import type { Replacement } from "../mess/thread/supersede.ts";

/** Bytes that lie in R2 already and are named in a message by `token`. */
export interface StagedBlob {
  /** What the content entry's `file` holds until the thread gives the attachment its name: `upload-{id}`. */
  token: string;
  /** R2 object key. */
  key: string;
  kind: "image" | "audio" | "video" | "file";
  mime: string;
  size: number;
  original?: string;
}

/** A file that is to come in pieces. */
export interface NewMultipartUpload {
  id: string;
  /** Whose it is: nobody else goes on with it. */
  actor: string;
  /** The MIME type that the sender stated. */
  declared: string;
  /** Bytes of the whole. */
  size: number;
  original?: string;
  /** A photo is to lose the place where it was taken. */
  hidePlace: boolean;
}

export interface MultipartUpload extends NewMultipartUpload {
  /** Bytes that are stored. */
  offset: number;
  pieces: { number: number; etag: string }[];
  /** Bytes of each piece but the last, once the first has come. */
  piece?: number;
  /** Where the pieces lie, and as what the file will be served. */
  key?: string;
  multipart?: string;
  mime?: string;
  /** Names the whole file in a message. */
  token?: string;
}

/** A piece that R2 has. */
export interface StoredPart {
  from: number;
  length: number;
  number: number;
  etag: string;
  key: string;
  multipart: string;
  mime: string;
}

export interface Idempotency {
  key: string;
  /** SHA-256, in hex, of the message as the sender meant it. */
  digest: string;
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
  /** None of the candidates has a channel: offering it to them makes no delivery. */
  unreached?: true;
  /** The requestor has one: it is told what others say, and of the end. */
  requestor_reached?: true;
  batch?: string[];
  /** The ack's `requests:` when the thread is one of a batch (decision 14). */
  batch_ack?: { id?: string; ref: string }[];
  blocked_by?: string[];
  /** The thread that it joins, which has let it in. */
  joins?: string;
  /** The threads in whose place it is made. */
  replaces?: { refs: string[]; reason: "merge" | "split" };
}

/** What the exchange says in a thread by itself. */
export interface SystemMessage {
  /** Under the same key it is said once. */
  key: string;
  /** Said only where the thread has joined this one. */
  joined?: string;
  message: string;
  context?: Entry[];
}

export interface AppendInput {
  actor: Principal;
  channel: string;
  /** The message ref in the sender's `re`, where it named a message rather than the thread. */
  about?: string;
  message: Message;
  blobs: StagedBlob[];
  idempotency?: Idempotency;
  /** The member that a `delegated` status names, where the household knows it (decision 34). */
  delegate?: Candidate;
}

/** What an append or a create yields. The ack is the body of the protocol's `ack` block. */
export interface Receipt {
  ref: string;
  /** The message's own ref; absent for a request. */
  message_ref?: string;
  ack: JsonMap;
  seq: number;
  status: Status;
  /** False when an earlier call with the same key or body had done it. */
  fresh: boolean;
}

/** A read of the thread: all documents, or those after a cursor. */
export interface ThreadView {
  envelope: Envelope;
  messages: MessageDocument[];
  attachments: Attachment[];
  /** Give it back as `cursor` to read or wait for what comes after. */
  cursor: number;
  /** What awaits the requestor. */
  open: OpenItems;
}

/** A read with what the viewer may do now. */
export interface ThreadWithActions extends ThreadView {
  may: ActionPermission[];
}

export interface NewThreadLink {
  executor: string;
  permissions: readonly LinkPermission[];
  /** Seconds since 1970. */
  expires: number;
  /** Its maker with the call's `Idempotency-Key`: the call again gives the same link. */
  call?: string;
  /** The link ends with this: the credential that made it, or the exchange where it was sent to a member. */
  made_with: CredentialId | "exchange";
  /** The executor's membership when the link was made, which ends when it is taken out of the household. */
  membership: number;
}

/** A credential or a membership that has ended: nothing that was made with it, or for it, works any more. */
export type AccessEnd =
  | { credential: CredentialId }
  /** Every membership of the executor up to this one. */
  | { executor: string; membership: number };

export interface ThreadLink extends Omit<NewThreadLink, "call" | "made_with" | "membership"> {
  /** Counts the thread's links; part of the short address. */
  number: number;
  jti: string;
  made: number;
  revoked: boolean;
}

/** The row that the index and the household keep of a thread. Instants are milliseconds. */
export interface ThreadSummary {
  household: string;
  ref: string;
  client_id: string | null;
  /** Rises with every change of the thread; the newer row wins. */
  seq: number;
  status: Status;
  partition: Partition;
  requestor: string;
  executor: string | null;
  /** Everyone who may see the thread: requestor, holder, candidates it was offered to. */
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
}

export interface ThreadRpc {
  /** Makes the thread; repeating it returns the first receipt. */
  create(input: CreateInput): Promise<Outcome<Receipt>>;
  append(input: AppendInput): Promise<Outcome<Receipt>>;
  readThread(viewer: Principal, after?: number): Promise<Outcome<ThreadView>>;
  /** What an append with this idempotency key came to; null where there was none. */
  findReceipt(viewer: Principal, key: string): Promise<Outcome<Receipt | null>>;
  /** One message document by its ref's last part, `response-002`, with its ack. */
  readMessage(viewer: Principal, name: string): Promise<Outcome<MessageDocument[]>>;
  findAttachment(viewer: Principal, name: string): Promise<Outcome<Attachment>>;
  getRoute(viewer: Principal): Promise<Outcome<Route>>;
  /** The whole thread with what the viewer may do in it, at one moment. */
  readWithActions(viewer: Principal): Promise<Outcome<ThreadWithActions>>;
  /** Who may give one is checked before. */
  addLink(link: NewThreadLink): Promise<Outcome<ThreadLink>>;
  /** The link of a short address; null where the thread has none of that number. */
  findLinkByNumber(number: number): Promise<ThreadLink | null>;
  /** The links that the viewer may revoke: its own, or all for the requestor's side. */
  listLinks(viewer: Principal): Promise<Outcome<ThreadLink[]>>;
  /** Revokes one link, all of an executor, or all; refused where the viewer may revoke none such. */
  revokeLinks(
    viewer: Principal,
    which: { jti?: string; executor?: string },
  ): Promise<Outcome<ThreadLink[]>>;
  /** Ends links and sockets for good, also those whose making is still under way. Repeating it changes nothing. */
  endAccess(end: AccessEnd): Promise<void>;
  /** What members were told and are to be told; for the requestor and the owners. */
  listDeliveries(viewer: Principal): Promise<Outcome<ListedDelivery[]>>;
  /** Sends one again, for owners. */
  redeliver(viewer: Principal, id: string): Promise<Outcome<ListedDelivery>>;
  /** A channel's verified receipt: what it had taken never arrived. False where that is nothing new. */
  recordDeliveryFailure(failure: DeliveryFailure): Promise<boolean>;
  /**
   * Writes into the history that the executor wants a new link: `fresh` once an hour (decision 36).
   * @param jti the link that the wish comes by
   */
  requestLink(executor: string, jti: string): Promise<Outcome<LinkRequest>>;
  /** Checks that the viewer may upload here, before a byte is stored. */
  checkUpload(viewer: Principal): Promise<Outcome<true>>;
  /**
   * Remembers an upload until a message names its token, or a day has passed. Answers with the blob that the
   * token stands for: an earlier one where the upload is a repetition.
   */
  stageUpload(viewer: Principal, blob: StagedBlob): Promise<Outcome<StagedBlob>>;
  /** Begins a file in pieces, or answers with the same one that was begun. */
  beginUpload(viewer: Principal, upload: NewMultipartUpload): Promise<Outcome<MultipartUpload>>;
  findUpload(viewer: Principal, id: string): Promise<Outcome<MultipartUpload>>;
  /** Takes note of the piece that follows the last; refuses any other with `offset_conflict`. */
  recordPart(viewer: Principal, id: string, part: StoredPart): Promise<Outcome<MultipartUpload>>;
  /** Stages the whole file as `stageUpload` does; without a blob the one that was staged is answered. */
  finishUpload(viewer: Principal, id: string, blob?: StagedBlob): Promise<Outcome<StagedBlob>>;
  abortUpload(viewer: Principal, id: string): Promise<void>;
  /** Writes a thread that was read from a file (decision 63); refused where the ref is taken by another. */
  adoptThread(input: AdoptInput): Promise<Outcome<{ fresh: boolean }>>;
  /** Another thread asks the same, and joins this one if it may; its requestor reads along then. */
  acceptJoiner(joiner: Joiner, maxAgeSeconds: number): Promise<Outcome<true>>;
  /** Another thread goes on in its place. False where it is not made yet. */
  supersede(replacement: Replacement): Promise<boolean>;
  /** What it waits for has been replaced by others (decision 42). */
  replaceDependency(of: string, refs: string[]): Promise<void>;
  /** False where it is not made yet. */
  postSystemMessage(message: SystemMessage): Promise<boolean>;
  /** A dependency reached an end (decision 42). */
  resolveDependency(ref: string, status: Status): Promise<void>;
  getSummary(): Promise<ThreadSummary | null>;
  /** R2 keys that the thread refers to, for the sweep. */
  listBlobKeys(): Promise<string[]>;
  /** The WebSocket of a waiter, or of a page where the address names its `watcher`. */
  fetch(request: Request): Promise<Response>;
}

/** A page that watches for every change: asked again at each, since its link may have died. */
export type ThreadWatcher = Pick<Principal, "actor" | "scope" | "credential">;

/** A delivery as the requestor and the owners see it. Times are ISO 8601 in the household's zone. */
export interface ListedDelivery {
  /** `webhook-id`. */
  id: string;
  /** `owners` until it is known who they are. */
  executor: string;
  /** The channel that took it, or that is next; null is the member's first. */
  channel: ChannelKind | null;
  kind: NoticeKind;
  state: DeliveryState;
  /** Rounds through the member's addresses that failed. */
  attempts: number;
  next?: string;
  /** Why it failed last, waits or was dropped. */
  error?: string;
  at: string;
}

/** What the household is told of an executor that wants a new link. */
export interface LinkRequest {
  fresh: boolean;
  summary: ThreadSummary;
}

export interface AdoptInput {
  household: string;
  zone: string;
  envelope: Envelope;
  messages: MessageDocument[];
  attachments: Attachment[];
}

/** A delivery that a channel accepted at first and reported as failed later. */
export interface DeliveryFailure {
  channel: ChannelKind;
  /** The channel's name of our message. */
  handle: string;
  /** One line for the history. */
  reason: string;
  /** The address takes nothing any more: `elsewhere` where the member has others, `nowhere` where not. */
  addressState?: "elsewhere" | "nowhere";
}
