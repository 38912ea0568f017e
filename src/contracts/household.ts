/** The RPC surface of HouseholdObject and the values that cross it. Types only. */
import type { Principal, Role } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import type { Candidate, Executor, Route } from "../mess/routing/routing.ts";
import type { Query, Request } from "../mess/wire/schema.ts";
import type { Effect } from "../mess/thread/effects.ts";
import type { ThreadSummary } from "./thread.ts";
import type { ContactsRpc } from "./contacts.ts";
import type { IdentityRpc } from "./identity.ts";
import type { ChannelSetupRpc } from "./member-settings.ts";
import type { SchedulesRpc } from "./schedules.ts";

export interface OpenThreadsInput {
  actor: string;
  /** `Idempotency-Key` of the call, which covers the whole batch. */
  key?: string;
  /** Each request with the SHA-256 of its block (decision 9). */
  requests: {
    request: Request;
    digest: string;
    /** Digest of the observation, where the request may be coalesced with equal ones. */
    observationDigest?: string;
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
  /** An earlier call opened it: `create` completes or repeats it. */
  existing: boolean;
  /** A thread with an equal request that it may join; `within` is the validity of its answers in seconds. */
  joins?: { ref: string; within: number };
}

export interface HouseholdEvent {
  cursor: number;
  at: string;
  ref: string;
  status: string;
  executor: string | null;
  requestor: string;
  /** The event, where it is not a change of status (decision 36), and the member who caused it or is affected. */
  action?:
    | "link_requested"
    | "channel_gone"
    | "delivery_failed"
    | "escalated"
    | "stranger"
    | "schedule_fired"
    | "schedule_skipped"
    | "schedule_paused";
  by?: string;
  /** The channel of an undeliverable address or of an unknown sender. */
  channel?: string;
  /** The schedule that fired or failed. `note`: the reason, the unknown sender's address, or the cause of an alert. */
  schedule?: string;
  note?: string;
}

/** A change as it is sent to listeners. */
export interface ThreadChange {
  ref: string;
  client_id: string | null;
  status: string;
}

/** The member of a key, and the id by which the key is listed and revoked. */
export interface KeyHolder {
  id: string;
  actor: string;
  role: Role;
}

export interface KeyInfo {
  id: string;
  actor: string;
  role: Role;
  label?: string;
  created: string;
}

export interface ResolvedThreadFilter {
  /** Changed at or after this instant, in milliseconds; times without offset were read in the household's zone. */
  since?: number;
  /** Allowed holders, where the filter names capabilities or availability. */
  holders?: string[];
}

export interface HouseholdSettings {
  id: string;
  name?: string;
  time_zone: string;
}

export interface HouseholdRpc extends IdentityRpc, ContactsRpc, ChannelSetupRpc, SchedulesRpc {
  /** Creates the household with its owner's key hash; refused where it exists. */
  setUp(
    settings: HouseholdSettings,
    owner: { actor: string; key_hash: string },
  ): Promise<Outcome<HouseholdSettings>>;
  getSettings(): Promise<HouseholdSettings | null>;
  /** Returns the member whose key has this SHA-256 (hex), or null. Creates nothing where the household does not exist. */
  authenticateKey(keyHash: string): Promise<KeyHolder | null>;
  addKey(key: {
    actor: string;
    role: Role;
    key_hash: string;
    label?: string;
  }): Promise<Outcome<KeyInfo>>;
  listKeys(): Promise<KeyInfo[]>;
  revokeKey(id: string): Promise<Outcome<true>>;

  /** Opens threads in one transaction: idempotency, client ids, serials, dependencies, routes. */
  openThreads(input: OpenThreadsInput): Promise<Outcome<{ zone: string; threads: OpenedThread[] }>>;
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
  resolveTarget(actor: string, target: string, key?: string): Promise<Outcome<string>>;
  /** Returns the route that a request would get now, without storing it. The requestor is never a candidate. */
  previewRoute(request: Request, requestor?: string): Promise<Route>;
  /** Returns a member as a candidate for a delegation. */
  findCandidate(id: string): Promise<Outcome<Candidate>>;

  /** A `config` block (decision 50): registers executors and routing. Warnings go into the ack. */
  configure(config: JsonMap, by?: string): Promise<Outcome<{ warnings: string[] }>>;
  /** Returns everything that `config` blocks have set. */
  exportConfiguration(): Promise<JsonMap>;
  listExecutors(): Promise<Executor[]>;
  /** Answers a `query` block of type capabilities or executors (protocol §7.3, §8.6). */
  answerQuery(query: Query, viewer: Pick<Principal, "actor" | "role">): Promise<Json>;
  /** Resolves the parts of a query's filter that need the household's members or time zone. */
  resolveThreadFilter(filter: NonNullable<Query["filter"]>): Promise<ResolvedThreadFilter>;

  /** Stores a thread's summary if its `seq` is newer, logs an event, and notifies dependent threads. */
  recordSummary(summary: ThreadSummary): Promise<void>;
  /** Logs that an executor requests a new link to its thread, at most once an hour. */
  recordLinkRequest(summary: ThreadSummary, executor: string): Promise<void>;
  listEvents(
    viewer: Pick<Principal, "actor" | "role">,
    after: number,
    limit: number,
  ): Promise<{ events: HouseholdEvent[]; cursor: number }>;
  /** Opens a listener's WebSocket, which gets a ThreadChange as JSON for every change that its member may see. */
  fetch(request: globalThis.Request): Promise<Response>;
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
  /** Registers an imported thread; serials of its day continue above it. */
  adoptThread(summary: ThreadSummary): Promise<Outcome<true>>;
}
