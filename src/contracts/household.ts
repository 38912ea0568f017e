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
  /** Each with the SHA-256 of its request block, for decision 9. */
  requests: {
    request: Request;
    digest: string;
    /** Digest of what is asked, where it may be put together with others who ask the same. */
    observationDigest?: string;
  }[];
}

/** What the household settled for one request: all that the thread's `create` needs from it. */
export interface OpenedThread {
  ref: string;
  client_id?: string;
  route: Route;
  /** None of the candidates has a channel: they look for themselves. */
  unreached?: true;
  /** The requestor has one. */
  requestor_reached?: true;
  blocked_by: string[];
  /** An earlier call had opened it: `create` heals or repeats. */
  existing: boolean;
  /** A thread that asks the same, which it joins if that lets it in; its answers hold for so many seconds. */
  joins?: { ref: string; within: number };
}

export interface HouseholdEvent {
  cursor: number;
  at: string;
  ref: string;
  status: string;
  executor: string | null;
  requestor: string;
  /** What happened where it was no change of status (decision 36), and who did it or whom it befell. */
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
  /** Where an address is gone, or a stranger wrote: in which channel. */
  channel?: string;
  /** Where a recurring request did it, or did not: which one, and why; or the stranger's address, or why owners are told. */
  schedule?: string;
  note?: string;
}

/** What a listener is told of a change. */
export interface ThreadChange {
  ref: string;
  client_id: string | null;
  status: string;
}

/** Whose key it is, and the id by which it is listed and revoked. */
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
  /** Changed at or after, in milliseconds: a time without an offset is meant on the household's clock. */
  since?: number;
  /** Who may hold them, where that matters: members who can do what is asked for, and can be asked now or not. */
  holders?: string[];
}

export interface HouseholdSettings {
  id: string;
  name?: string;
  time_zone: string;
}

export interface HouseholdRpc extends IdentityRpc, ContactsRpc, ChannelSetupRpc, SchedulesRpc {
  /** Makes the household with its owner's key hash; refused where it exists. */
  setUp(
    settings: HouseholdSettings,
    owner: { actor: string; key_hash: string },
  ): Promise<Outcome<HouseholdSettings>>;
  getSettings(): Promise<HouseholdSettings | null>;
  /** The member whose key has this SHA-256 (hex), or null. Touches nothing where the household does not exist. */
  authenticateKey(keyHash: string): Promise<KeyHolder | null>;
  addKey(key: {
    actor: string;
    role: Role;
    key_hash: string;
    label?: string;
  }): Promise<Outcome<KeyInfo>>;
  listKeys(): Promise<KeyInfo[]>;
  revokeKey(id: string): Promise<Outcome<true>>;

  /** One transaction: idempotency, client ids, serials, dependencies, routes. */
  openThreads(input: OpenThreadsInput): Promise<Outcome<{ zone: string; threads: OpenedThread[] }>>;
  /** The thread `ref` was not let in where it was to join: it asks by itself, and others may join it. */
  registerObservation(
    actor: string,
    ref: string,
    request: Request,
    observationDigest: string,
  ): Promise<void>;
  /** Carries out what was accepted in the thread, once however often it is told (decision 69). */
  enqueueEffect(ref: string, effect: Effect): Promise<void>;
  /** Decision 4 for a target that is no thread ref of ours as it stands: `{thread}` or `{thread}/{message}`. */
  resolveTarget(actor: string, target: string, key?: string): Promise<Outcome<string>>;
  /** The route that a request would take now; nothing is stored. The requestor is no candidate. */
  previewRoute(request: Request, requestor?: string): Promise<Route>;
  /** Candidates for a delegate, by member id. */
  findCandidate(id: string): Promise<Outcome<Candidate>>;

  /** A `config` block (decision 50): registers executors and routing. Warnings go into the ack. */
  configure(config: JsonMap, by?: string): Promise<Outcome<{ warnings: string[] }>>;
  /** Everything that `config` blocks have set. */
  exportConfiguration(): Promise<JsonMap>;
  listExecutors(): Promise<Executor[]>;
  /** A `answerQuery` block of type capabilities or executors (protocol §7.3, §8.6). */
  answerQuery(query: Query, viewer: Pick<Principal, "actor" | "role">): Promise<Json>;
  /** What only the household can tell of the threads that a query's filter means. */
  resolveThreadFilter(filter: NonNullable<Query["filter"]>): Promise<ResolvedThreadFilter>;

  /** A thread's newest summary: kept where its `seq` is newer, logged as an event, dependents told. */
  recordSummary(summary: ThreadSummary): Promise<void>;
  /** An executor wants a new link to its thread: logged once an hour. */
  recordLinkRequest(summary: ThreadSummary, executor: string): Promise<void>;
  listEvents(
    viewer: Pick<Principal, "actor" | "role">,
    after: number,
    limit: number,
  ): Promise<{ events: HouseholdEvent[]; cursor: number }>;
  /** A listener's WebSocket, which gets a ThreadChange as JSON for every change its member may see. */
  fetch(request: globalThis.Request): Promise<Response>;
  /** What the member has to do: the threads of `ThreadCatalog.findTasks`, by ref. */
  findTasks(
    actor: string,
    after: number | undefined,
    limit: number,
  ): Promise<{ refs: string[]; cursor: number }>;
  /** The catalogue of refs, oldest first, for export and for rebuilding the index. */
  listRefs(after: string | null, limit: number): Promise<string[]>;
  /** Those of the refs that are of no thread of the household. */
  findUnknownRefs(refs: string[]): Promise<string[]>;
  /** Takes over an imported ref: serials of its day continue above it. */
  adoptThread(summary: ThreadSummary): Promise<Outcome<true>>;
}
