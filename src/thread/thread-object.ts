/**
 * The thread's object: one per thread, the record of what was said. Who may see it is decided here; what the
 * rules make of a message is in `mess/thread`, the tables are in `log`, and how a change is committed and told
 * is in `keeper`.
 */
import { DurableObject } from "cloudflare:workers";
import type { PostReply } from "../delivery/delivery-attempt.ts";
import type { Principal } from "../auth/principal.ts";
import type { Undelivered } from "../contracts/thread.ts";
import type { Status } from "../mess/status.ts";
import type { Attachment, MessageDocument } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { noSuchThread } from "../auth/thread-not-found.ts";
import { unauthenticated } from "../auth/unauthenticated.ts";
import { fail, ok } from "../mess/result.ts";
import type { Route } from "../mess/routing/routing.ts";
import { mayOf } from "../mess/thread/actions.ts";
import { dependencyEnded, waitInstead } from "../mess/thread/dependencies.ts";
import { envelopeOf } from "../mess/thread/envelope.ts";
import type { Joiner } from "../mess/thread/join.ts";
import { maySee } from "../mess/thread/policy.ts";
import { openItems, type ThreadState } from "../mess/thread/state.ts";
import type { Replacement } from "../mess/thread/supersede.ts";
import { adopt } from "./adopt-import.ts";
import { joinBy, sayOnce, supersedeBy } from "./system-actions.ts";
import { listDeliveries, redeliver } from "./list-deliveries.ts";
import { Keeper } from "./thread-runtime.ts";
import { askForLink, Links } from "./links.ts";
import { ThreadLog } from "./thread-log.ts";
import { migrate } from "./migrations.ts";
import { append, create, createdBefore } from "./write-message.ts";
import type {
  AccessEnd,
  AdoptInput,
  AppendInput,
  CreateInput,
  GivenLink,
  LinkWanted,
  ListedDelivery,
  NewLink,
  NewTransfer,
  Receipt,
  StagedBlob,
  StoredPiece,
  ThreadRpc,
  ThreadSight,
  ThreadSummary,
  ThreadView,
  Told,
  Transfer,
  Watcher,
} from "../contracts/thread.ts";
import { summaryOf } from "./summary.ts";
import { Transfers } from "./multipart-uploads.ts";
import { Uploads } from "./staged-uploads.ts";
import { acceptWaiter, acceptWatcher } from "./waiters.ts";

export class ThreadObject extends DurableObject<Env> implements ThreadRpc {
  readonly #log: ThreadLog;
  readonly #links: Links;
  readonly #uploads: Uploads;
  readonly #keeper: Keeper;

  /** @param postReply posts what a machine answers during a delivery; injected, since threads do not import the exchange */
  constructor(ctx: DurableObjectState, env: Env, postReply: PostReply) {
    super(ctx, env);
    this.#log = new ThreadLog(ctx.storage.sql);
    this.#links = new Links(ctx.storage.sql);
    const transfers = new Transfers(ctx.storage.sql);
    this.#keeper = new Keeper(ctx, env, this.#log, this.#links, transfers, postReply);
    this.#uploads = new Uploads(this.#log, transfers, () => this.#keeper.arm());
  }

  /** Makes the thread; repeating it returns the first receipt (decision 9). */
  async create(input: CreateInput): Promise<Outcome<Receipt>> {
    return await this.#keeper.settle(() => {
      if (this.#keeper.exists()) return createdBefore(this.#log, input);
      migrate(this.ctx.storage.sql);
      return create(this.#log, input, Date.now());
    });
  }

  /** Appends one message, whole or not at all. */
  async append(input: AppendInput): Promise<Outcome<Receipt>> {
    return await this.#keeper.settle(() => {
      const state = this.#visibleState(input.actor);
      if (!state) return noSuchThread();
      const about = this.#messageName(input.about);
      if (!about.ok) return about;
      const dead = this.#links.fault(input.actor, state, Date.now());
      // What ended with its origin is not even answered again for what it said before.
      if (dead?.code === "unauthenticated") return fail(dead);
      return append(this.#log, state, input, { about: about.value, dead }, Date.now());
    });
  }

  /** The whole thread, or what came after a cursor. */
  async read(viewer: Principal, after = 0): Promise<Outcome<ThreadView>> {
    return await this.#admitted(viewer, (state) => ok(this.#view(state, after)));
  }

  async receipt(viewer: Principal, key: string): Promise<Outcome<Receipt | null>> {
    return await this.#admitted(viewer, () => ok(this.#log.receipt(key)?.receipt ?? null));
  }

  async sight(viewer: Principal): Promise<Outcome<ThreadSight>> {
    const sender = { actor: viewer.actor, owner: viewer.role === "owner" };
    return await this.#admitted(viewer, (state) =>
      ok({ ...this.#view(state, 0), may: mayOf(state, sender, Date.now()) }),
    );
  }

  async message(viewer: Principal, name: string): Promise<Outcome<MessageDocument[]>> {
    return await this.#admitted(viewer, () => {
      const whole = this.#messageName(name);
      return whole.ok ? ok(this.#log.message(serialOf(name))?.documents ?? []) : whole;
    });
  }

  async attachment(viewer: Principal, name: string): Promise<Outcome<Attachment>> {
    return await this.#admitted(viewer, () => {
      const found = this.#log.attachment(name);
      return found ? ok(found) : noSuchThread();
    });
  }

  /** Why these candidates were asked, and others were not. */
  async route(viewer: Principal): Promise<Outcome<Route>> {
    return await this.#admitted(viewer, () => {
      const route = this.#log.fact("route");
      return route === undefined
        ? refuse(
            "not_found",
            "this thread was imported and has no route",
            "Only threads asked for here are routed.",
          )
        : ok(JSON.parse(route) as Route);
    });
  }

  /** Checks that the viewer may add files, before a byte of one is stored. */
  async mayUpload(viewer: Principal): Promise<Outcome<true>> {
    return await this.#admitted(viewer, () => ok(true));
  }

  async stage(viewer: Principal, blob: StagedBlob): Promise<Outcome<StagedBlob>> {
    return await this.#admitted(viewer, () => this.#uploads.stage(blob));
  }

  async beginTransfer(viewer: Principal, wanted: NewTransfer): Promise<Outcome<Transfer>> {
    return await this.#admitted(viewer, () => this.#uploads.begin(wanted));
  }

  async transfer(viewer: Principal, id: string): Promise<Outcome<Transfer>> {
    return await this.#admitted(viewer, () => this.#uploads.transfer(viewer.actor, id));
  }

  async advanceTransfer(
    viewer: Principal,
    id: string,
    piece: StoredPiece,
  ): Promise<Outcome<Transfer>> {
    return await this.#admitted(viewer, () => this.#uploads.advance(viewer.actor, id, piece));
  }

  async endTransfer(
    viewer: Principal,
    id: string,
    blob?: StagedBlob,
  ): Promise<Outcome<StagedBlob>> {
    return await this.#admitted(viewer, () => this.#uploads.end(viewer.actor, id, blob));
  }

  async dropTransfer(viewer: Principal, id: string): Promise<void> {
    await this.#admitted(viewer, () => this.#uploads.drop(viewer.actor, id));
  }

  /** Takes over a thread that was read from a file (decision 63). */
  async adopt(input: AdoptInput): Promise<Outcome<{ fresh: boolean }>> {
    return await this.#keeper.settle(() =>
      adopt(this.ctx.storage.sql, this.#log, input, Date.now()),
    );
  }

  /** A thread on which this one depends has ended (decision 42). */
  async unblock(ref: string, status: Status): Promise<void> {
    if (this.#keeper.exists())
      await this.#keeper.advance((draft) => dependencyEnded(draft, ref, status));
  }

  async join(joiner: Joiner, within: number): Promise<Outcome<true>> {
    return this.#keeper.exists()
      ? await this.#keeper.settle(() => joinBy(this.#log, joiner, within, Date.now()))
      : noSuchThread();
  }

  async supersede(by: Replacement): Promise<boolean> {
    return await this.#onceMade(() => supersedeBy(this.#log, by, Date.now()));
  }

  async say(said: Told): Promise<boolean> {
    return await this.#onceMade(() => sayOnce(this.#log, said, Date.now()));
  }

  async waitInstead(of: string, refs: string[]): Promise<void> {
    if (this.#keeper.exists()) await this.#keeper.advance((draft) => waitInstead(draft, of, refs));
  }

  async #onceMade(act: () => Outcome<true>): Promise<boolean> {
    return this.#keeper.exists() && (await this.#keeper.settle(act)).ok;
  }

  async summary(): Promise<ThreadSummary | null> {
    return this.#keeper.exists() ? summaryOf(this.#log) : null;
  }

  async blobKeys(): Promise<string[]> {
    return this.#keeper.exists() ? this.#log.blobKeys() : [];
  }

  async addLink(link: NewLink): Promise<Outcome<GivenLink>> {
    return this.#keeper.exists() ? this.#links.add(link, Date.now()) : noSuchThread();
  }

  async linkNumbered(number: number): Promise<GivenLink | null> {
    return (this.#keeper.exists() && this.#links.byNumber(number)) || null;
  }

  async links(viewer: Principal): Promise<Outcome<GivenLink[]>> {
    return await this.#admitted(viewer, (state) => ok(this.#links.visible(state, viewer)));
  }

  async revokeLinks(
    viewer: Principal,
    which: { jti?: string; executor?: string },
  ): Promise<Outcome<GivenLink[]>> {
    return await this.#admitted(viewer, (state) => {
      const revoked = this.#links.revoke(state, viewer, which);
      if (revoked.ok) this.#keeper.tellWatchers();
      return revoked;
    });
  }

  async endAccess(end: AccessEnd): Promise<void> {
    if (!this.#keeper.exists()) return;
    this.#links.endAccess(end, Date.now());
    this.#keeper.tellWatchers();
  }

  async deliveries(viewer: Principal): Promise<Outcome<ListedDelivery[]>> {
    return await this.#admitted(viewer, (state) => listDeliveries(this.#log, state, viewer));
  }

  async redeliver(viewer: Principal, id: string): Promise<Outcome<ListedDelivery>> {
    return await this.#admitted(viewer, async (state) => {
      const sent = redeliver(this.#log, state, viewer, id, Date.now());
      if (sent.ok) await this.#keeper.deliver();
      return sent;
    });
  }

  async undelivered(told: Undelivered): Promise<boolean> {
    return this.#keeper.exists() && (await this.#keeper.undelivered(told));
  }

  async askForLink(executor: string, jti: string): Promise<Outcome<LinkWanted>> {
    return await this.#keeper.settle(() => {
      if (this.#keeper.exists() && this.#links.isEnded(jti)) return unauthenticated();
      const state = this.#visibleState({ household: "", actor: executor, role: "executor" });
      return state ? askForLink(this.#log, this.ctx.storage.sql, state, executor) : noSuchThread();
    });
  }

  /** A waiter's or a page's WebSocket; who may have one is checked by the read that precedes it. */
  override async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const after = Number(query.get("after"));
    if (!this.#keeper.exists()) return new Response(null, { status: 404 });
    const { seq } = this.#log.marks();
    const named = query.get("watcher");
    if (named === null) return acceptWaiter(this.ctx, after, seq);
    const watcher = JSON.parse(named) as Watcher;
    // Its link or credential may have ended between the read and this call.
    if (this.#links.fault(watcher, this.#log.state(), Date.now()))
      return new Response(null, { status: 401 });
    return acceptWatcher(this.ctx, watcher, after, seq);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    await this.#keeper.alarm();
  }

  #view(state: ThreadState, after: number): ThreadView {
    return {
      envelope: envelopeOf(state, this.#log.history(), this.#log.fact("extra")),
      messages: this.#log.documentsAfter(after),
      attachments: this.#log.attachments(),
      cursor: this.#log.marks().seq,
      open: openItems(state),
    };
  }

  /** Acts for who may see the thread: a link's bearer only while the link lives (decision 65). */
  async #admitted<T>(
    viewer: Principal,
    act: (state: ThreadState) => Outcome<T> | Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const state = this.#visibleState(viewer);
    if (!state) return noSuchThread();
    const dead = this.#links.fault(viewer, state, Date.now());
    return dead ? fail(dead) : await act(state);
  }

  #visibleState(viewer: Principal): ThreadState | undefined {
    if (!this.#keeper.exists()) return undefined;
    const state = this.#log.state();
    if (viewer.scope && viewer.scope.ref !== state.ref) return undefined;
    const sender = { actor: viewer.actor, owner: viewer.role === "owner" };
    return maySee(state, sender) ? state : undefined;
  }

  /** The whole name of the message that a `re` points at; its slug may be left out (decision 4). */
  #messageName(given: string | undefined): Outcome<string | undefined> {
    if (given === undefined) return ok(undefined);
    const { name } = this.#log.message(serialOf(given)) ?? { name: null };
    if (name !== null && (name === given || name.startsWith(`${given}-`))) return ok(name);
    return refuse(
      "not_found",
      "no such message in this thread",
      "Use the ref from the message's ack.",
    );
  }
}

/** The serial in a message name, or -1. */
const serialOf = (name: string): number => Number(/^[a-z]+-(\d{3,})(?:-|$)/.exec(name)?.[1] ?? -1);
