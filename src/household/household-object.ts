/** The Durable Object of one household: it owns all of the household's data and delegates the logic to its modules. */
import type { Principal } from "../auth/principal.ts";
import { logDefect } from "../log.ts";
import { checkActorId } from "../mess/actors.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import { ok } from "../mess/result.ts";
import {
  type Candidate,
  toCandidate,
  type Executor,
  type Route,
  routeRequest,
} from "../mess/routing/routing.ts";
import type { Query, Request } from "../mess/wire/schema.ts";
import { isFinal } from "../mess/status.ts";
import { isZone } from "../mess/times.ts";
import type { ThreadSummary } from "../contracts/thread.ts";
import { isTextOnlyChange } from "./threads/thread-catalog.ts";
import { checkDeployment } from "./settings/check-deployment.ts";
import { expireUncreated, prune } from "./jobs/maintenance-jobs.ts";
import { recordObservation } from "./threads/coalesce.ts";
import { exportConfiguration, configure, prepareConfig } from "./settings/configure.ts";
import { isSealed, markSealed, sealStored } from "./settings/seal-stored.ts";
import { refuseNoHousehold } from "./household-context.ts";
import { acceptListener, notifyListeners } from "./events/listeners.ts";
import { migrate } from "./migrations.ts";
import { openThreads, computeRoute } from "./threads/open-threads.ts";
import { answerQuery, resolveThreadFilter, type Viewer } from "./threads/answer-query.ts";
import { recordSummary } from "./threads/record-summary.ts";
import { endCredential, isLive } from "./identity/end-access.ts";
import { fireSchedules } from "./schedules/fire-schedules.ts";
import { resolveForCall } from "./threads/resolve-target.ts";
import { SchedulesObject } from "./schedules/schedules-object.ts";
import { type Stores, createStores } from "./stores.ts";
import { initializeCleanup, cleanUpBlobs } from "./jobs/blob-cleanup.ts";
import type {
  HouseholdEvent,
  HouseholdRpc,
  HouseholdSettings,
  KeyHolder,
  KeyInfo,
  OpenedThread,
  OpenThreadsInput,
  ResolvedThreadFilter,
} from "../contracts/household.ts";

type AddKeyInput = Parameters<HouseholdRpc["addKey"]>[0];

export class HouseholdObject extends SchedulesObject implements HouseholdRpc {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const stores = this.context.openStores();
    // Runs before any call or alarm, so that no caller reads values that an earlier version stored in plain text.
    if (stores && !isSealed(stores)) void ctx.blockConcurrencyWhile(() => this.#seal(stores));
  }

  async setUp(
    settings: HouseholdSettings,
    owner: { actor: string; key_hash: string },
  ): Promise<Outcome<HouseholdSettings>> {
    if (this.context.openStores()) {
      return refuse("already_exists", "this household already exists", "Choose another id.");
    }
    const id = checkActorId(settings.id, "id");
    if (!id.ok) return id;
    if (settings.id !== this.ctx.id.name) {
      const hint = "Use the id of the household in the path.";
      return refuse("bad_field", "id: does not match this household", hint, { path: "id" });
    }
    const actor = checkActorId(owner.actor, "actor");
    if (!actor.ok) return actor;
    if (!isZone(settings.time_zone)) {
      const hint = "Use an IANA name such as Europe/Rome.";
      return refuse("bad_field", "time_zone: unknown time zone", hint, { path: "time_zone" });
    }
    const stores = createStores(this.ctx.storage.sql);
    const made = this.context.runTransaction(() => {
      migrate(this.ctx.storage.sql);
      stores.settings.set("id", settings.id);
      stores.settings.set("name", settings.name);
      stores.settings.set("time_zone", settings.time_zone);
      markSealed(stores);
      initializeCleanup(stores, Date.now());
      const key = this.#addKey(stores, { ...owner, role: "owner" });
      return key.ok ? ok(stores.settings.getHousehold()) : key;
    });
    if (made.ok) await this.context.setAlarm();
    return made;
  }

  async getSettings(): Promise<HouseholdSettings | null> {
    return this.context.openStores()?.settings.getHousehold() ?? null;
  }

  async authenticateKey(keyHash: string): Promise<KeyHolder | null> {
    return this.context.openStores()?.credentials.findHolder(keyHash) ?? null;
  }

  async addKey(key: AddKeyInput): Promise<Outcome<KeyInfo>> {
    const stores = this.context.openStores();
    if (!stores) return refuseNoHousehold();
    const actor = checkActorId(key.actor, "actor");
    return actor.ok ? this.context.runTransaction(() => this.#addKey(stores, key)) : actor;
  }

  async listKeys(): Promise<KeyInfo[]> {
    return this.context.openStores()?.credentials.list() ?? [];
  }

  async revokeKey(id: string): Promise<Outcome<true>> {
    const revoked = this.context.transact((stores, now) => {
      const done = stores.credentials.revoke(id, now);
      if (done.ok) endCredential(stores, `key:${id}`, now);
      return done;
    });
    if (revoked.ok) await this.context.enforceAccessEnd();
    return revoked;
  }

  async openThreads(
    input: OpenThreadsInput,
  ): Promise<Outcome<{ zone: string; threads: OpenedThread[] }>> {
    const stores = this.context.openStores();
    if (!stores) return refuseNoHousehold();
    const opened = this.context.runTransaction(() => openThreads(stores, input, Date.now()));
    if (!opened.ok) return opened;
    await this.context.setAlarm();
    return ok({ zone: stores.settings.getZone(), threads: opened.value });
  }

  async registerObservation(
    actor: string,
    ref: string,
    request: Request,
    observationDigest: string,
  ): Promise<void> {
    this.context.write((stores, now) => {
      stores.observations.unjoin(ref);
      recordObservation(stores, actor, { ref, request, observationDigest }, now);
    });
  }

  async resolveTarget(actor: string, target: string, key?: string): Promise<Outcome<string>> {
    const stores = this.context.openStores();
    return stores ? resolveForCall(stores, actor, target, key) : refuseNoHousehold();
  }

  async previewRoute(request: Request, requestor?: string): Promise<Route> {
    const stores = this.context.openStores();
    return stores
      ? computeRoute(stores, request, Date.now(), requestor)
      : routeRequest(request, [], { rules: [] }, { now: Date.now(), zone: "UTC" });
  }

  async findCandidate(id: string): Promise<Outcome<Candidate>> {
    const executors = this.context.openStores()?.members.listExecutors() ?? [];
    const executor = executors.find((one) => one.id === id);
    if (executor) return ok(toCandidate(executor));
    return refuse("unknown_executor", "executor not found", "Name an executor of this household.", {
      valid: executors.map((one) => one.id),
    });
  }

  async configure(config: JsonMap, by?: string): Promise<Outcome<{ warnings: string[] }>> {
    const stores = this.context.openStores();
    if (!stores) return refuseNoHousehold();
    const able = checkDeployment(config, this.env);
    if (!able.ok) return able;
    const prepared = await prepareConfig(stores, this.context.getVault(stores), config);
    if (!prepared.ok) return prepared;
    const owner = by ?? stores.credentials.listOwners()[0] ?? "owner";
    const done = this.context.transact((_stores, now) =>
      configure(stores, prepared.value, owner, now),
    );
    await this.context.setAlarm();
    if (done.ok && prepared.value.change.removals.length > 0) await this.context.enforceAccessEnd();
    return done;
  }

  async exportConfiguration(): Promise<JsonMap> {
    const stores = this.context.openStores();
    return stores ? exportConfiguration(stores) : {};
  }

  async listExecutors(): Promise<Executor[]> {
    return [...(this.context.openStores()?.members.listExecutors() ?? [])];
  }

  async answerQuery(query: Query, viewer: Viewer): Promise<Json> {
    const stores = this.context.openStores();
    return stores ? answerQuery(stores, query, viewer, Date.now()) : { [query.type]: [] };
  }

  async resolveThreadFilter(filter: NonNullable<Query["filter"]>): Promise<ResolvedThreadFilter> {
    const stores = this.context.openStores();
    return stores ? resolveThreadFilter(stores, filter, Date.now()) : {};
  }

  async recordSummary(summary: ThreadSummary): Promise<void> {
    const stores = this.context.openStores();
    if (!stores) return;
    const now = Date.now();
    let hasChanged = false;
    let hasMaintenance = false;
    this.ctx.storage.transactionSync(() => {
      const before = recordSummary(stores, summary, now);
      if (!before) return;
      hasChanged = true;
      hasMaintenance = !isTextOnlyChange(before, summary);
      stores.revocations.noticed(before, summary, now);
      if (before.seq === 0) stores.dependencies.noteCreated(summary.ref, now);
      const moved = before.status !== summary.status || before.executor !== summary.executor;
      if (moved || before.seq === 0) stores.events.appendStatus(summary);
      if (before.status !== summary.status && isFinal(summary.status)) {
        stores.dependencies.noteEnd(summary.ref, summary.status, now);
      }
      if (isFinal(summary.status)) {
        for (const ref of stores.observations.takeUnnotified(summary.ref)) {
          stores.jobs.add("inform", `answer ${ref}`, { ref, of: summary.ref }, now);
          hasMaintenance = true;
        }
      }
    });
    if (hasChanged) notifyListeners(this.ctx, summary);
    if (hasMaintenance) await this.context.setAlarm();
  }

  async recordLinkRequest(summary: ThreadSummary, executor: string): Promise<void> {
    this.context.openStores()?.events.appendLinkRequest(summary, executor, Date.now());
  }

  override async fetch(request: globalThis.Request): Promise<Response> {
    const stores = this.context.openStores();
    return stores
      ? acceptListener(this.ctx, request, (credential) => isLive(stores, credential, Date.now()))
      : new Response(null, { status: 404 });
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  async listEvents(
    viewer: Pick<Principal, "actor" | "role">,
    after: number,
    limit: number,
  ): Promise<{ events: HouseholdEvent[]; cursor: number }> {
    const stores = this.context.openStores();
    if (!stores) return { events: [], cursor: after };
    return stores.events.listAfter(viewer, after, limit, stores.settings.getZone());
  }

  async findTasks(
    actor: string,
    after: number | undefined,
    limit: number,
  ): ReturnType<HouseholdRpc["findTasks"]> {
    return (
      this.context.openStores()?.threadCatalog.findTasks(actor, after, limit) ?? {
        refs: [],
        cursor: after ?? 0,
      }
    );
  }

  async listRefs(after: string | null, limit: number): Promise<string[]> {
    return this.context.openStores()?.threadCatalog.listRefs(after, limit) ?? [];
  }

  async findUnknownRefs(refs: string[]): Promise<string[]> {
    return this.context.openStores()?.threadCatalog.findUnknown(refs) ?? refs;
  }

  async adoptThread(summary: ThreadSummary): Promise<Outcome<true>> {
    const stores = this.context.openStores();
    if (!stores) return refuseNoHousehold();
    return this.context.runTransaction(() => {
      recordSummary(stores, summary, Date.now());
      return ok(true as const);
    });
  }

  override async alarm(): Promise<void> {
    const stores = this.context.openStores();
    if (!stores) return;
    await this.context.runAlarm(async () => {
      const now = Date.now();
      // Runs first, so that a defect in other work cannot keep ended access open.
      await this.context.runJobs(stores, "revokeLinks");
      this.ctx.storage.transactionSync(() => {
        expireUncreated(stores, now);
        prune(stores, now);
      });
      await fireSchedules(this.ctx, stores, now);
      await this.context.runJobs(stores);
      await cleanUpBlobs(this.env, stores, now);
    });
  }

  /** A failure is only logged, so that the household stays available; the next instance tries again. */
  async #seal(stores: Stores): Promise<void> {
    try {
      const store = await sealStored(stores, this.context.getVault(stores));
      this.context.write((_stores, now) => store(now));
    } catch (error) {
      logDefect(error, { object: "household", while: "sealing" });
    }
  }

  /** Adds the key. A key with the role executor also makes its member an executor, if it is not one yet. */
  #addKey(stores: Stores, key: AddKeyInput): Outcome<KeyInfo> {
    const now = Date.now();
    stores.members.add(key.actor, now);
    if (key.role === "executor" && !stores.members.findExecutor(key.actor)) {
      stores.revocations.restore(key.actor);
      stores.members.putExecutor({ id: key.actor, kind: "person", capabilities: [] }, now);
    }
    return stores.credentials.add({ ...key, id: crypto.randomUUID() }, now);
  }
}
