/** RPC surface of the household for its threads: opening, resolving, routing and listing them. Types only. */
import type { AuditSource } from "./audit.ts";
import type { Principal, Role } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json } from "../mess/json.ts";
import type { Candidate, Route } from "../mess/routing/routing.ts";
import type { Effect } from "../mess/thread/suggestions/effects.ts";
import type { Query, Request } from "../mess/wire/schema.ts";
import type { ThreadSummary } from "./thread.ts";

export interface OpenThreadsInput {
  actor: string;
  /** Role of the credential. Only that of an owner may depend on the threads of others. */
  role?: Role | undefined;
  /** `Idempotency-Key` of the call, which covers the whole batch. */
  key?: string;
  /** Refuse a client id that names another request of the last ten minutes (`ID_REUSED`). */
  refuseReusedIds?: true;
  /** The files that the call has stored, which count with its new threads. */
  files?: { files: number; bytes: number };
  /** Offer the threads to this executor only. */
  executor?: string;
  /** Offer the threads to one owner only: the first who can be reached. */
  owner?: true;
  /** The threads take the place of others, so that they need no room of their own. */
  replacing?: true;
  /** Each request with the SHA-256 of its block (decision 9). */
  requests: {
    request: Request;
    digest: string;
    /** Digest of the observation, where the request may be coalesced with equal ones. */
    observationDigest?: string;
    /** References of its context: `{thread}`, `{thread}/{part}`, or the position of a request of this call. */
    references?: readonly (string | number)[];
  }[];
}

/** The household's part of a new thread, for the thread's `create`. */
export interface OpenedThread {
  ref: string;
  client_id?: string;
  route: Route;
  /** No candidate has a channel; they poll for their tasks. */
  unreached?: true;
  /** The requestor has a channel. */
  requestor_reached?: true;
  blocked_by: string[];
  /** Another request of the last ten minutes that its client id named until now. */
  reuses?: string;
  /** Its place among the requests that wait for the same executors, all of which are at their capacity. */
  queue_position?: number;
  /** An earlier call opened it: `create` completes or repeats it. */
  existing: boolean;
  /** A thread with an equal request that it may join; `within` is the validity of its answers in seconds. */
  joins?: { ref: string; within: number };
}

export interface ResolvedThreadFilter {
  /** Changed at or after this instant, in milliseconds; times without offset were read in the household's zone. */
  since?: number;
  /** Allowed holders, where the filter names capabilities or availability. */
  holders?: string[];
}

export interface ResolveOptions {
  /** `Idempotency-Key` of the call: a retry gets the result of the first attempt. */
  readonly key?: string | undefined;
  /** The target of a reply may also be the id of an open suggestion (decision 74). */
  readonly isReply?: boolean;
  /** Role of the credential. Only that of an owner finds the threads of others. */
  readonly role?: Role | undefined;
}

export interface HouseholdThreadsRpc {
  /** Opens threads in one transaction: idempotency, client ids, serials, dependencies, routes. */
  openThreads(input: OpenThreadsInput): Promise<Outcome<{ zone: string; threads: OpenedThread[] }>>;
  /** Refuses an `Idempotency-Key` that the actor used for a call with another digest, or to create threads. */
  checkCall(actor: string, key: string, digest: string): Promise<Outcome<true>>;
  /** Records a call that creates no threads under its `Idempotency-Key`. */
  recordCall(actor: string, key: string, digest: string): Promise<void>;
  /** Records that `ref` could not join another thread: it stays separate, and others may join it. */
  registerObservation(
    actor: string,
    ref: string,
    request: Request,
    observationDigest: string,
  ): Promise<void>;
  /** Queues the effect of an accepted suggestion (decision 69). Idempotent. */
  enqueueEffect(ref: string, effect: Effect): Promise<void>;
  /** Resolves a target `{thread}` or `{thread}/{message}` that is not a full ref (decision 4). */
  resolveTarget(actor: string, target: string, options?: ResolveOptions): Promise<Outcome<string>>;
  /** Returns the place of a thread in the queue of executors at their capacity; null where it does not wait in one. */
  getQueuePosition(ref: string): Promise<number | null>;
  /** Lists open threads whose request refers to this one, newest first. They decide who may read it (decision 72). */
  findReferrers(ref: string): Promise<string[]>;
  /** Returns the route that a request would get now, without storing it. The requestor is never a candidate. */
  previewRoute(request: Request, requestor?: string): Promise<Route>;
  /** Returns a member as a candidate for a delegation. */
  findCandidate(id: string): Promise<Outcome<Candidate>>;
  /** Answers a `query` block of type capabilities or executors (protocol §7.3, §8.6). */
  answerQuery(query: Query, viewer: Pick<Principal, "actor" | "role">): Promise<Json>;
  /** Resolves the parts of a query's filter that need the household's members or time zone. */
  resolveThreadFilter(filter: NonNullable<Query["filter"]>): Promise<ResolvedThreadFilter>;

  /** Stores a thread's summary if its `seq` is newer, logs an event, and notifies dependent threads. */
  recordSummary(summary: ThreadSummary): Promise<void>;
  /** Lists the refs of the member's tasks, from `ThreadCatalog.findTasks`. */
  findTasks(
    actor: string,
    after: number | undefined,
    limit: number,
  ): Promise<{ refs: string[]; cursor: number }>;
  /** Lists the refs of the catalog, oldest first, for export and for rebuilding the index. */
  listRefs(after: string | null, limit: number): Promise<string[]>;
  /** Returns the refs that belong to no thread of the household. */
  findUnknownRefs(refs: string[]): Promise<string[]>;
  /** Deletes a thread, for owners; its object is emptied by a job. Idempotent by its full ref. */
  deleteThread(target: string, by: AuditSource): Promise<Outcome<{ ref: string; at: string }>>;
  /** Registers an imported thread; serials of its day continue above it. */
  adoptThread(summary: ThreadSummary): Promise<Outcome<true>>;
}
