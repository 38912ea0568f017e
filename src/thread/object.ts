/**
 * The thread's object: one per thread, the record of what was said. It serializes every append in one
 * transaction, and then lets the index, the household and whoever waits know. The rules are in `mess/thread`,
 * the tables in `log`, what goes out in `outbox`; here they meet.
 */
import { DurableObject } from "cloudflare:workers";
import type { Principal } from "../auth/principal.ts";
import { dropBlobs } from "../attachments/store.ts";
import { logDefect } from "../log.ts";
import { partitionOf, type Status } from "../mess/status.ts";
import type { Attachment, MessageDocument } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { fail, ok } from "../mess/result.ts";
import type { Route } from "../mess/routing.ts";
import { dependencyEnded } from "../mess/thread/dependencies.ts";
import { Draft } from "../mess/thread/draft.ts";
import { envelopeOf } from "../mess/thread/envelope.ts";
import { maySee } from "../mess/thread/policy.ts";
import { openItems, participantsOf, type ThreadState } from "../mess/thread/state.ts";
import { fireTimers, nextTimer } from "../mess/thread/timers.ts";
import { adopt } from "./adopt.ts";
import { ThreadLog } from "./log.ts";
import { exists, migrate } from "./migrations.ts";
import { Outbox } from "./outbox.ts";
import { append, create, createdBefore } from "./record.ts";
import type {
  AdoptInput,
  AppendInput,
  CreateInput,
  Receipt,
  StagedBlob,
  ThreadRpc,
  ThreadSummary,
  ThreadView,
} from "./stub.ts";
import { acceptWaiter, wakeWaiters } from "./waiters.ts";

const UPLOAD_KEPT = 24 * 3_600_000;
const REST = 60_000;

const notFound = (): Outcome<never> =>
  refuse(
    "not_found",
    "no such thread",
    "Use the ref from an ack, or list your threads with GET /mess.",
  );

export class ThreadObject extends DurableObject<Env> implements ThreadRpc {
  readonly #log: ThreadLog;
  readonly #outbox: Outbox;
  #alarmAt: number | undefined;
  /** After a failed alarm, the next comes no sooner. */
  #restUntil = 0;
  #known = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#log = new ThreadLog(ctx.storage.sql);
    this.#outbox = new Outbox(env, this.#log, () => this.#summary());
  }

  /** Makes the thread; repeating it returns the first receipt (decision 9). */
  async create(input: CreateInput): Promise<Outcome<Receipt>> {
    return await this.#settle(() => {
      if (this.#exists()) return createdBefore(this.#log, input);
      migrate(this.ctx.storage.sql);
      return create(this.#log, input, Date.now());
    });
  }

  /** Appends one message, whole or not at all. */
  async append(input: AppendInput): Promise<Outcome<Receipt>> {
    return await this.#settle(() => {
      const state = this.#visibleState(input.actor);
      if (!state) return notFound();
      const about = this.#messageName(input.about);
      return about.ok ? append(this.#log, state, input, about.value, Date.now()) : about;
    });
  }

  /** The whole thread, or what came after a cursor. */
  async read(viewer: Principal, after = 0): Promise<Outcome<ThreadView>> {
    const state = this.#visibleState(viewer);
    if (!state) return notFound();
    const extra = this.#log.fact("extra");
    return ok({
      envelope: envelopeOf(state, this.#log.history(), extra),
      messages: this.#log.documentsAfter(after),
      attachments: this.#log.attachments(),
      cursor: this.#log.marks().seq,
      open: openItems(state),
    });
  }

  async message(viewer: Principal, name: string): Promise<Outcome<MessageDocument[]>> {
    if (!this.#visibleState(viewer)) return notFound();
    const whole = this.#messageName(name);
    if (!whole.ok) return whole;
    return ok(this.#log.message(serialOf(name))?.documents ?? []);
  }

  async attachment(viewer: Principal, name: string): Promise<Outcome<Attachment>> {
    const found = this.#visibleState(viewer) && this.#log.attachment(name);
    return found ? ok(found) : notFound();
  }

  /** Why these candidates were asked, and others were not. */
  async route(viewer: Principal): Promise<Outcome<Route>> {
    if (!this.#visibleState(viewer)) return notFound();
    const route = this.#log.fact("route");
    return route === undefined
      ? refuse(
          "not_found",
          "this thread was imported and has no route",
          "Only threads asked for here are routed.",
        )
      : ok(JSON.parse(route) as Route);
  }

  /** Checks that the viewer may add files, before a byte of one is stored. */
  async mayUpload(viewer: Principal): Promise<Outcome<true>> {
    return this.#visibleState(viewer) ? ok(true) : notFound();
  }

  /** Keeps an upload until a message names its token, or a day has passed; the first under a token stays. */
  async stage(viewer: Principal, blob: StagedBlob): Promise<Outcome<StagedBlob>> {
    if (!this.#visibleState(viewer)) return notFound();
    const kept = this.#log.upload(blob.token);
    if (kept) return ok(kept);
    this.#log.stageUpload(blob, Date.now());
    await this.#arm();
    return ok(blob);
  }

  /** Takes over a thread that was read from a file (decision 63). */
  async adopt(input: AdoptInput): Promise<Outcome<{ fresh: boolean }>> {
    return await this.#settle(() => adopt(this.ctx.storage.sql, this.#log, input, Date.now()));
  }

  /** A thread on which this one depends has ended (decision 42). */
  async unblock(ref: string, status: Status): Promise<void> {
    await this.#advance((draft) => dependencyEnded(draft, ref, status));
  }

  async summary(): Promise<ThreadSummary | null> {
    return this.#exists() ? this.#summary() : null;
  }

  async blobKeys(): Promise<string[]> {
    return this.#exists() ? this.#log.blobKeys() : [];
  }

  /** A waiter's WebSocket; who may wait is checked by the read that precedes it. */
  override async fetch(request: Request): Promise<Response> {
    const after = Number(new URL(request.url).searchParams.get("after"));
    if (!this.#exists()) return new Response(null, { status: 404 });
    return acceptWaiter(this.ctx, after, this.#log.marks().seq);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  /** Never throws: the platform would give a throwing alarm up after a few tries. */
  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    if (!this.#exists()) return;
    try {
      await this.#advance(() => undefined);
      await this.#dropStaleUploads();
      this.#restUntil = 0;
    } catch (error) {
      logDefect(error, { object: "thread" });
      this.#restUntil = Date.now() + REST;
    }
    await this.#outbox.drain();
    await this.#arm();
  }

  async #dropStaleUploads(): Promise<void> {
    const stale = this.#log.uploadsBefore(Date.now() - UPLOAD_KEPT);
    if (stale.length === 0) return;
    await dropBlobs(
      this.env.BLOBS,
      stale.map(({ key }) => key),
    );
    for (const { token } of stale) this.#log.dropUpload(token);
  }

  /** Lets time, and `act`, change the thread; stores nothing when nothing changes. */
  async #advance(act: (draft: Draft) => void): Promise<void> {
    await this.#settle(() => {
      if (!this.#exists()) return notFound();
      const state = this.#log.state();
      const before = JSON.stringify(state);
      const updated = state.updated;
      const draft = new Draft(state, Date.now());
      act(draft);
      fireTimers(draft);
      const quiet = draft.history.length === 0 && draft.documents.length === 0;
      if (quiet && JSON.stringify({ ...state, updated }) === before) return notFound();
      this.#log.commit(draft.change);
      return ok(true);
    });
  }

  /**
   * Runs a change in one transaction: refused, it leaves nothing. Committed, it wakes the waiters, and the
   * outbox starts at once; the alarm stands behind it.
   */
  async #settle<T>(change: () => Outcome<T>): Promise<Outcome<T>> {
    const before = this.#exists() ? this.#log.marks().seq : 0;
    let outcome: Outcome<T> | undefined;
    try {
      this.ctx.storage.transactionSync(() => {
        outcome = change();
        if (!outcome.ok) throw new Refused();
      });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    if (outcome === undefined) throw new Error("the change had no outcome");
    if (!outcome.ok) return fail(outcome.error);
    const { seq } = this.#log.marks();
    if (seq === before) return outcome;
    const armed = this.#arm();
    wakeWaiters(this.ctx, seq);
    this.ctx.waitUntil(this.#outbox.drain());
    await armed;
    return outcome;
  }

  /** Sets the alarm to the earliest of: the next timer, the outbox's next try, the oldest upload's end. */
  async #arm(): Promise<void> {
    const upload = this.#log.oldestUpload();
    const retry = this.#outbox.retryIn();
    const due = [
      nextTimer(this.#log.state()),
      retry === undefined ? undefined : Date.now() + retry,
      upload === undefined ? undefined : upload + UPLOAD_KEPT,
    ].filter((at) => at !== undefined);
    if (due.length === 0) return;
    const at = Math.max(Math.min(...due), this.#restUntil);
    if (this.#alarmAt !== undefined && this.#alarmAt <= at && this.#alarmAt > Date.now()) return;
    this.#alarmAt = at;
    await this.ctx.storage.setAlarm(at);
  }

  /** Asks the schema until the thread is there, and never again. */
  #exists(): boolean {
    return (this.#known ||= exists(this.ctx.storage.sql));
  }

  #visibleState(viewer: Principal): ThreadState | undefined {
    if (!this.#exists()) return undefined;
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

  #summary(): ThreadSummary {
    const state = this.#log.state();
    const { household, seq } = this.#log.marks();
    return {
      household,
      ref: state.ref,
      client_id: state.client_id ?? null,
      seq,
      status: state.status,
      partition: partitionOf(state.status),
      requestor: state.requestor,
      executor: state.executor,
      participants: participantsOf(state),
      intent: state.intent,
      priority: state.priority,
      zone: state.zone,
      created: state.created,
      updated: state.updated,
      expires: state.expires ?? null,
      text: this.#log.fact("text") ?? "",
    };
  }
}

/** Rolls a transaction back; never leaves `#settle`. */
class Refused extends Error {}

/** The serial in a message name, or -1. */
const serialOf = (name: string): number => Number(/^[a-z]+-(\d{3,})(?:-|$)/.exec(name)?.[1] ?? -1);
