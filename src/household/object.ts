/** The tenant: one object per household, with everything that belongs to it. Its logic lies in its neighbours. */
import { DurableObject } from "cloudflare:workers";
import type { Principal, Role } from "../auth/principal.ts";
import { logDefect } from "../log.ts";
import { checkActorId } from "../mess/actors.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import { ok } from "../mess/result.ts";
import { type Candidate, candidateOf, type Executor, type Route, route } from "../mess/routing.ts";
import type { Query, Request } from "../mess/schema.ts";
import { isFinal } from "../mess/status.ts";
import { isZone } from "../mess/times.ts";
import type { ThreadSummary } from "../thread/stub.ts";
import { expireUnmade, nextChore, tellDependents } from "./chores.ts";
import { configurationOf, configure } from "./configure.ts";
import { acceptListener, tellListeners } from "./listeners.ts";
import { exists, migrate } from "./migrations.ts";
import { openThreads } from "./open.ts";
import { answerQuery } from "./query.ts";
import { recordSummary } from "./record.ts";
import { resolveForCall } from "./resolve.ts";
import { type Stores, storesOver } from "./stores.ts";
import type { Answered, GrantInput, Invitation, StoredPasskey } from "./people-stub.ts";
import * as signIn from "./sign-in.ts";
import { beginSweeping, nextSweep, sweepBlobs } from "./sweep.ts";
import type {
  HouseholdEvent,
  HouseholdRpc,
  HouseholdSettings,
  KeyInfo,
  Opened,
  OpenInput,
} from "./stub.ts";

/** Milliseconds after a failed alarm until the next. */
const REST = 60_000;

type NewKey = Parameters<HouseholdRpc["addKey"]>[0];

const noHousehold = () =>
  refuse("not_found", "no such household", "Set the household up before you use it.");

export class HouseholdObject extends DurableObject<Env> implements HouseholdRpc {
  #stores: Stores | undefined;
  /** The alarm that this instance knows of, in milliseconds; unknown after an eviction. */
  #armed = Infinity;

  async setUp(
    settings: HouseholdSettings,
    owner: { actor: string; key_hash: string },
  ): Promise<Outcome<HouseholdSettings>> {
    if (this.#open()) {
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
    const made = this.#transaction(() => {
      migrate(this.ctx.storage.sql);
      stores.settings.set("id", settings.id);
      stores.settings.set("name", settings.name);
      stores.settings.set("time_zone", settings.time_zone);
      beginSweeping(stores, Date.now());
      const key = this.#addKey(stores, { ...owner, role: "owner" });
      return key.ok ? ok(stores.settings.household()) : key;
    });
    if (made.ok) await this.#arm(stores);
    return made;
  }

  async settings(): Promise<HouseholdSettings | null> {
    return this.#open()?.settings.household() ?? null;
  }

  async authenticate(keyHash: string): Promise<{ actor: string; role: Role } | null> {
    return this.#open()?.credentials.holder(keyHash) ?? null;
  }

  async addKey(key: NewKey): Promise<Outcome<KeyInfo>> {
    const stores = this.#open();
    if (!stores) return noHousehold();
    const actor = checkActorId(key.actor, "actor");
    return actor.ok ? this.#transaction(() => this.#addKey(stores, key)) : actor;
  }

  async keys(): Promise<KeyInfo[]> {
    return this.#open()?.credentials.list() ?? [];
  }

  async revokeKey(id: string): Promise<Outcome<true>> {
    return this.#open()?.credentials.revoke(id, Date.now()) ?? noHousehold();
  }

  async open(input: OpenInput): Promise<Outcome<{ zone: string; threads: Opened[] }>> {
    const stores = this.#open();
    if (!stores) return noHousehold();
    const opened = this.#transaction(() => openThreads(stores, input, Date.now()));
    if (!opened.ok) return opened;
    await this.#arm(stores);
    return ok({ zone: stores.settings.zone(), threads: opened.value });
  }

  async resolve(actor: string, target: string, key?: string): Promise<Outcome<string>> {
    const stores = this.#open();
    return stores ? resolveForCall(stores, actor, target, key) : noHousehold();
  }

  async dryRun(request: Request, requestor?: string): Promise<Route> {
    const stores = this.#open();
    const context = {
      now: Date.now(),
      zone: stores?.settings.zone() ?? "UTC",
      ...(requestor === undefined ? {} : { requestor }),
    };
    const executors = stores?.members.executors() ?? [];
    return route(request, executors, stores?.routing.config() ?? { rules: [] }, context);
  }

  async candidate(id: string): Promise<Outcome<Candidate>> {
    const executors = this.#open()?.members.executors() ?? [];
    const executor = executors.find((one) => one.id === id);
    if (executor) return ok(candidateOf(executor));
    return refuse("unknown_executor", "no such executor", "Name an executor of this household.", {
      valid: executors.map((one) => one.id),
    });
  }

  async configure(config: JsonMap): Promise<Outcome<{ warnings: string[] }>> {
    const stores = this.#open();
    return stores ? this.#transaction(() => configure(stores, config, Date.now())) : noHousehold();
  }

  async configuration(): Promise<JsonMap> {
    const stores = this.#open();
    return stores ? configurationOf(stores) : {};
  }

  async executors(): Promise<Executor[]> {
    return [...(this.#open()?.members.executors() ?? [])];
  }

  async query(query: Query): Promise<Json> {
    const stores = this.#open();
    return answerQuery(query, stores?.routing.catalog() ?? [], stores?.members.executors() ?? []);
  }

  async changed(summary: ThreadSummary): Promise<void> {
    const stores = this.#open();
    if (!stores) return;
    const now = Date.now();
    let news = false;
    this.ctx.storage.transactionSync(() => {
      const before = recordSummary(stores, summary, now);
      if (!before) return;
      news = true;
      const moved = before.status !== summary.status || before.executor !== summary.executor;
      if (moved || before.seq === 0) stores.events.append(summary);
      if (before.status !== summary.status && isFinal(summary.status)) {
        stores.dependencies.ended(summary.ref, summary.status, now);
      }
    });
    if (news) tellListeners(this.ctx, summary);
    await this.#arm(stores);
  }

  async linkWanted(summary: ThreadSummary, executor: string): Promise<void> {
    this.#open()?.events.linkWanted(summary, executor, Date.now());
  }

  override async fetch(request: globalThis.Request): Promise<Response> {
    return this.#open() ? acceptListener(this.ctx, request) : new Response(null, { status: 404 });
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  async events(
    viewer: Pick<Principal, "actor" | "role">,
    after: number,
    limit: number,
  ): Promise<{ events: HouseholdEvent[]; cursor: number }> {
    const stores = this.#open();
    if (!stores) return { events: [], cursor: after };
    return stores.events.after(viewer, after, limit, stores.settings.zone());
  }

  async refs(after: string | null, limit: number): Promise<string[]> {
    return this.#open()?.catalogue.refs(after, limit) ?? [];
  }

  async adopt(summary: ThreadSummary): Promise<Outcome<true>> {
    const stores = this.#open();
    if (!stores) return noHousehold();
    return this.#transaction(() => {
      recordSummary(stores, summary, Date.now());
      return ok(true as const);
    });
  }

  async invite(invitation: Invitation): ReturnType<HouseholdRpc["invite"]> {
    return this.#within((stores, now) => signIn.invite(stores, invitation, now));
  }

  async invited(link: string): ReturnType<HouseholdRpc["invited"]> {
    return this.#within((stores, now) => signIn.invited(stores, link, now));
  }

  async acceptInvitation(link: string, session: string): ReturnType<HouseholdRpc["inSession"]> {
    return this.#within((stores, now) => signIn.acceptInvitation(stores, link, session, now));
  }

  async inSession(session: string): ReturnType<HouseholdRpc["inSession"]> {
    return this.#within((stores, now) => signIn.inSession(stores, session, now));
  }

  async endSession(session: string): Promise<Outcome<true>> {
    return this.#within(({ people }) => {
      people.end(session);
      return ok(true as const);
    });
  }

  async people(): ReturnType<HouseholdRpc["people"]> {
    return this.#within(({ people }, now) => ok(people.list(now)));
  }

  async removePerson(actor: string): Promise<Outcome<true>> {
    return this.#within((stores) => signIn.removePerson(stores, actor));
  }

  async passkey(id: string): ReturnType<HouseholdRpc["passkey"]> {
    return this.#within((stores) => signIn.passkey(stores, id));
  }

  async passkeysInSession(session: string): ReturnType<HouseholdRpc["passkeysInSession"]> {
    return this.#within((stores, now) => signIn.passkeysInSession(stores, session, now));
  }

  async addPasskey(
    session: string,
    passkey: Omit<StoredPasskey, "actor">,
    answered: Answered,
  ): Promise<Outcome<true>> {
    return this.#within((stores, now) =>
      signIn.addPasskey(stores, session, passkey, answered, now),
    );
  }

  async acceptPasskey(
    passkey: { id: string; counter: number },
    answered: Answered,
    session: string,
  ): ReturnType<HouseholdRpc["inSession"]> {
    return this.#within((stores, now) =>
      signIn.acceptPasskey(stores, passkey, answered, session, now),
    );
  }

  async grant(session: string, grant: GrantInput): ReturnType<HouseholdRpc["grant"]> {
    return this.#within((stores, now) => signIn.grant(stores, session, grant, now));
  }

  async replaceGrant(session: string, clientId: string): Promise<Outcome<true>> {
    return this.#within((stores, now) => signIn.replaceGrant(stores, session, clientId, now));
  }

  async grantHolder(id: string): ReturnType<HouseholdRpc["grantHolder"]> {
    return this.#within((stores, now) => signIn.grantHolder(stores, id, now));
  }

  async grants(): ReturnType<HouseholdRpc["grants"]> {
    return this.#within(({ grants }, now) => ok(grants.list(now)));
  }

  async revokeGrant(id: string): Promise<Outcome<true>> {
    return this.#within(({ grants }) => grants.revoke(id));
  }

  /** Never throws: the platform would give a throwing alarm up after a few tries. */
  override async alarm(): Promise<void> {
    this.#armed = Infinity;
    const stores = this.#open();
    if (!stores) return;
    const now = Date.now();
    try {
      this.ctx.storage.transactionSync(() => expireUnmade(stores, now));
      await tellDependents(this.env, stores, now);
      await sweepBlobs(this.env, stores, now);
      await this.#arm(stores);
    } catch (error) {
      logDefect(error, { object: "household" });
      await this.ctx.storage.setAlarm(Date.now() + REST);
    }
  }

  /** The stores, or undefined where no household was set up: then nothing but the schema has been read. */
  #open(): Stores | undefined {
    if (!this.#stores && exists(this.ctx.storage.sql)) {
      this.ctx.storage.transactionSync(() => migrate(this.ctx.storage.sql));
      this.#stores = storesOver(this.ctx.storage.sql);
    }
    return this.#stores;
  }

  /** Commits what `work` writes unless it refuses. */
  #transaction<T>(work: () => Outcome<T>): Outcome<T> {
    const refused = new Error("refused");
    let outcome: Outcome<T> | undefined;
    try {
      this.ctx.storage.transactionSync(() => {
        outcome = work();
        if (!outcome.ok) throw refused;
      });
    } catch (error) {
      this.#stores?.members.forget();
      if (error !== refused) throw error;
    }
    return outcome!;
  }

  #within<T>(work: (stores: Stores, now: number) => Outcome<T>): Outcome<T> {
    const stores = this.#open();
    return stores ? this.#transaction(() => work(stores, Date.now())) : noHousehold();
  }

  /** An executor's key makes it a member that can be asked, if it was none. */
  #addKey(stores: Stores, key: NewKey): Outcome<KeyInfo> {
    const now = Date.now();
    stores.members.add(key.actor, now);
    if (key.role === "executor" && !stores.members.executor(key.actor)) {
      stores.members.put({ id: key.actor, kind: "person", capabilities: [] }, now);
    }
    return stores.credentials.add({ ...key, id: crypto.randomUUID() }, now);
  }

  /** Only ever moves the alarm forward: one that comes too early finds nothing to do and sets the next. */
  async #arm(stores: Stores): Promise<void> {
    const due = Math.min(nextChore(stores), nextSweep(stores));
    if (due >= this.#armed) return;
    this.#armed = due;
    await this.ctx.storage.setAlarm(due);
  }
}
