/** The tenant: one object per household, with everything that belongs to it. Its logic lies in its neighbours. */
import type { Principal } from "../auth/principal.ts";
import { logDefect } from "../log.ts";
import { checkActorId } from "../mess/actors.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import { ok } from "../mess/result.ts";
import {
  type Candidate,
  candidateOf,
  type Executor,
  type Route,
  route,
} from "../mess/routing/routing.ts";
import type { Query, Request } from "../mess/wire/schema.ts";
import { isFinal } from "../mess/status.ts";
import { isZone } from "../mess/times.ts";
import type { ThreadSummary } from "../contracts/thread.ts";
import { isMereWords } from "./threads/thread-catalog.ts";
import { checkDeployment } from "./settings/check-deployment.ts";
import { expireUnmade, prune, tellDependents } from "./jobs/maintenance-jobs.ts";
import { observe } from "./threads/coalesce.ts";
import { configurationOf, configure, prepare } from "./settings/configure.ts";
import { runErrands } from "./jobs/thread-jobs.ts";
import { noHousehold } from "./household-context.ts";
import { acceptListener, tellListeners } from "./events/listeners.ts";
import { migrate } from "./migrations.ts";
import { openThreads, routeNow } from "./threads/open-threads.ts";
import { answerQuery, threadsMeant, type Viewer } from "./threads/answer-query.ts";
import { recordSummary } from "./threads/record-summary.ts";
import { endCredential, isLive } from "./identity/end-access.ts";
import { pushRevocations } from "./identity/link-revocations.ts";
import { fireSchedules } from "./schedules/fire-schedules.ts";
import { resolveForCall } from "./threads/resolve-target.ts";
import { SchedulesObject } from "./schedules/schedules-object.ts";
import { type Stores, storesOver } from "./stores.ts";
import { beginSweeping, sweepBlobs } from "./jobs/blob-cleanup.ts";
import type {
  HouseholdEvent,
  HouseholdRpc,
  HouseholdSettings,
  KeyHolder,
  KeyInfo,
  Opened,
  OpenInput,
  ThreadsMeant,
} from "../contracts/household.ts";

/** Milliseconds after a failed alarm until the next. */
const REST = 60_000;

type NewKey = Parameters<HouseholdRpc["addKey"]>[0];

export class HouseholdObject extends SchedulesObject implements HouseholdRpc {
  async setUp(
    settings: HouseholdSettings,
    owner: { actor: string; key_hash: string },
  ): Promise<Outcome<HouseholdSettings>> {
    if (this.home.open()) {
      return refuse("already_exists", "this household exists", "Choose another id.");
    }
    const id = checkActorId(settings.id, "id");
    if (!id.ok) return id;
    if (settings.id !== this.ctx.id.name) {
      const hint = "Give the id under which the household is addressed.";
      return refuse("bad_field", "id: not this household's", hint, { path: "id" });
    }
    const actor = checkActorId(owner.actor, "actor");
    if (!actor.ok) return actor;
    if (!isZone(settings.time_zone)) {
      const hint = "Use a name such as Europe/Rome.";
      return refuse("bad_field", "time_zone: no such zone", hint, { path: "time_zone" });
    }
    const stores = storesOver(this.ctx.storage.sql);
    const made = this.home.transaction(() => {
      migrate(this.ctx.storage.sql);
      stores.settings.set("id", settings.id);
      stores.settings.set("name", settings.name);
      stores.settings.set("time_zone", settings.time_zone);
      beginSweeping(stores, Date.now());
      const key = this.#addKey(stores, { ...owner, role: "owner" });
      return key.ok ? ok(stores.settings.household()) : key;
    });
    if (made.ok) await this.home.arm(stores);
    return made;
  }

  async settings(): Promise<HouseholdSettings | null> {
    return this.home.open()?.settings.household() ?? null;
  }

  async authenticate(keyHash: string): Promise<KeyHolder | null> {
    return this.home.open()?.credentials.holder(keyHash) ?? null;
  }

  async addKey(key: NewKey): Promise<Outcome<KeyInfo>> {
    const stores = this.home.open();
    if (!stores) return noHousehold();
    const actor = checkActorId(key.actor, "actor");
    return actor.ok ? this.home.transaction(() => this.#addKey(stores, key)) : actor;
  }

  async keys(): Promise<KeyInfo[]> {
    return this.home.open()?.credentials.list() ?? [];
  }

  async revokeKey(id: string): Promise<Outcome<true>> {
    const revoked = this.home.within((stores, now) => {
      const done = stores.credentials.revoke(id, now);
      if (done.ok) endCredential(stores, `key:${id}`, now);
      return done;
    });
    if (revoked.ok) await this.home.accessEnded();
    return revoked;
  }

  async open(input: OpenInput): Promise<Outcome<{ zone: string; threads: Opened[] }>> {
    const stores = this.home.open();
    if (!stores) return noHousehold();
    const opened = this.home.transaction(() => openThreads(stores, input, Date.now()));
    if (!opened.ok) return opened;
    await this.home.arm(stores);
    return ok({ zone: stores.settings.zone(), threads: opened.value });
  }

  async asksItself(actor: string, ref: string, request: Request, asks: string): Promise<void> {
    this.home.write((stores, now) => {
      stores.observations.unjoin(ref);
      observe(stores, actor, { ref, request, asks }, now);
    });
  }

  async resolve(actor: string, target: string, key?: string): Promise<Outcome<string>> {
    const stores = this.home.open();
    return stores ? resolveForCall(stores, actor, target, key) : noHousehold();
  }

  async dryRun(request: Request, requestor?: string): Promise<Route> {
    const stores = this.home.open();
    return stores
      ? routeNow(stores, request, Date.now(), requestor)
      : route(request, [], { rules: [] }, { now: Date.now(), zone: "UTC" });
  }

  async candidate(id: string): Promise<Outcome<Candidate>> {
    const executors = this.home.open()?.members.executors() ?? [];
    const executor = executors.find((one) => one.id === id);
    if (executor) return ok(candidateOf(executor));
    return refuse("unknown_executor", "no such executor", "Name an executor of this household.", {
      valid: executors.map((one) => one.id),
    });
  }

  async configure(config: JsonMap, by?: string): Promise<Outcome<{ warnings: string[] }>> {
    const stores = this.home.open();
    if (!stores) return noHousehold();
    const able = checkDeployment(config, this.env);
    if (!able.ok) return able;
    const prepared = await prepare(stores, this.home.vault(stores), config);
    if (!prepared.ok) return prepared;
    const owner = by ?? stores.credentials.owners()[0] ?? "owner";
    const done = this.home.within((_stores, now) => configure(stores, prepared.value, owner, now));
    await this.home.arm(stores);
    if (done.ok && prepared.value.change.removals.length > 0) await this.home.accessEnded();
    return done;
  }

  async configuration(): Promise<JsonMap> {
    const stores = this.home.open();
    return stores ? configurationOf(stores) : {};
  }

  async executors(): Promise<Executor[]> {
    return [...(this.home.open()?.members.executors() ?? [])];
  }

  async query(query: Query, viewer: Viewer): Promise<Json> {
    const stores = this.home.open();
    return stores ? answerQuery(stores, query, viewer, Date.now()) : { [query.type]: [] };
  }

  async threadsMeant(filter: NonNullable<Query["filter"]>): Promise<ThreadsMeant> {
    const stores = this.home.open();
    return stores ? threadsMeant(stores, filter, Date.now()) : {};
  }

  async changed(summary: ThreadSummary): Promise<void> {
    const stores = this.home.open();
    if (!stores) return;
    const now = Date.now();
    let news = false;
    let chores = false;
    this.ctx.storage.transactionSync(() => {
      const before = recordSummary(stores, summary, now);
      if (!before) return;
      news = true;
      chores = !isMereWords(before, summary);
      stores.revocations.noticed(before, summary, now);
      const moved = before.status !== summary.status || before.executor !== summary.executor;
      if (moved || before.seq === 0) stores.events.append(summary);
      if (before.status !== summary.status && isFinal(summary.status)) {
        stores.dependencies.ended(summary.ref, summary.status, now);
      }
      if (isFinal(summary.status)) {
        for (const ref of stores.observations.takeUntold(summary.ref)) {
          stores.errands.add(`answer ${ref}`, ref, { do: "inform", of: summary.ref }, now);
          chores = true;
        }
      }
    });
    if (news) tellListeners(this.ctx, summary);
    if (chores) await this.home.arm(stores);
  }

  async linkWanted(summary: ThreadSummary, executor: string): Promise<void> {
    this.home.open()?.events.linkWanted(summary, executor, Date.now());
  }

  override async fetch(request: globalThis.Request): Promise<Response> {
    const stores = this.home.open();
    return stores
      ? acceptListener(this.ctx, request, (credential) => isLive(stores, credential, Date.now()))
      : new Response(null, { status: 404 });
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  async events(
    viewer: Pick<Principal, "actor" | "role">,
    after: number,
    limit: number,
  ): Promise<{ events: HouseholdEvent[]; cursor: number }> {
    const stores = this.home.open();
    if (!stores) return { events: [], cursor: after };
    return stores.events.after(viewer, after, limit, stores.settings.zone());
  }

  async tasks(
    actor: string,
    after: number | undefined,
    limit: number,
  ): ReturnType<HouseholdRpc["tasks"]> {
    return (
      this.home.open()?.catalogue.tasks(actor, after, limit) ?? { refs: [], cursor: after ?? 0 }
    );
  }

  async refs(after: string | null, limit: number): Promise<string[]> {
    return this.home.open()?.catalogue.refs(after, limit) ?? [];
  }

  async unknownRefs(refs: string[]): Promise<string[]> {
    return this.home.open()?.catalogue.unknown(refs) ?? refs;
  }

  async adopt(summary: ThreadSummary): Promise<Outcome<true>> {
    const stores = this.home.open();
    if (!stores) return noHousehold();
    return this.home.transaction(() => {
      recordSummary(stores, summary, Date.now());
      return ok(true as const);
    });
  }

  /** Never throws: the platform would give a throwing alarm up after a few tries. */
  override async alarm(): Promise<void> {
    this.home.disarm();
    const stores = this.home.open();
    if (!stores) return;
    const now = Date.now();
    try {
      this.ctx.storage.transactionSync(() => {
        expireUnmade(stores, now);
        prune(stores, now);
      });
      await fireSchedules(this.ctx, stores, now);
      await runErrands(this.env, stores, now);
      await pushRevocations(this.env, stores, now);
      await tellDependents(this.env, stores, now);
      await sweepBlobs(this.env, stores, now);
      await this.home.arm(stores);
    } catch (error) {
      logDefect(error, { object: "household" });
      await this.ctx.storage.setAlarm(Date.now() + REST);
    }
  }

  /** An executor's key makes it a member that can be asked, if it was none. */
  #addKey(stores: Stores, key: NewKey): Outcome<KeyInfo> {
    const now = Date.now();
    stores.members.add(key.actor, now);
    if (key.role === "executor" && !stores.members.executor(key.actor)) {
      stores.revocations.restore(key.actor);
      stores.members.put({ id: key.actor, kind: "person", capabilities: [] }, now);
    }
    return stores.credentials.add({ ...key, id: crypto.randomUUID() }, now);
  }
}
