/**
 * How a thread changes: in one transaction, refused whole or committed whole, and then told. The alarm stands
 * behind every promise that a change makes: timers, the outbox, uploads that nobody took.
 */
import { dropPieces } from "../attachments/multipart-upload.ts";
import { dropBlobs } from "../attachments/blob-store.ts";
import type { PostReply } from "../delivery/delivery-attempt.ts";
import { Courier } from "../delivery/delivery-scheduler.ts";
import type { Desk } from "../delivery/delivery-port.ts";
import type { Undelivered } from "../contracts/thread.ts";
import { takeBack } from "../delivery/delivery-failure.ts";
import { logDefect } from "../log.ts";
import type { Outcome } from "../mess/errors.ts";
import { fail } from "../mess/result.ts";
import { Draft } from "../mess/thread/thread-change.ts";
import { fireTimers, nextTimer } from "../mess/thread/timers.ts";
import { within } from "../object/with-timeout.ts";
import { deskOf } from "./thread-delivery-port.ts";
import type { Links } from "./links.ts";
import type { ThreadLog } from "./thread-log.ts";
import { Effects } from "./pending-effects.ts";
import { exists, migrate } from "./migrations.ts";
import { Outbox } from "./summary-jobs.ts";
import { summaryOf } from "./summary.ts";
import type { Transfers } from "./multipart-uploads.ts";
import { tellWatchers, wakeWaiters } from "./waiters.ts";

/** Milliseconds for which an upload waits for its message. */
const UPLOAD_KEPT = 24 * 3_600_000;
/** Milliseconds after a failed alarm until the next. */
const REST = 60_000;
/** Milliseconds that an alarm waits for its deliveries; what takes longer goes on by itself. */
const DELIVERED_WITHIN = 25_000;

export class Keeper {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #log: ThreadLog;
  readonly #links: Links;
  readonly #transfers: Transfers;
  readonly #outbox: Outbox;
  readonly #effects: Effects;
  readonly #desk: Desk;
  readonly #courier: Courier;
  #alarmAt: number | undefined;
  #restUntil = 0;
  #known = false;

  constructor(
    ctx: DurableObjectState,
    env: Env,
    log: ThreadLog,
    links: Links,
    transfers: Transfers,
    postReply: PostReply,
  ) {
    this.#ctx = ctx;
    this.#env = env;
    this.#log = log;
    this.#links = links;
    this.#transfers = transfers;
    this.#outbox = new Outbox(env, log, () => summaryOf(log));
    this.#effects = new Effects(env, log);
    this.#desk = deskOf(ctx.storage, log, links, this);
    this.#courier = new Courier(env, this.#desk, postReply);
  }

  /** Asks the schema until the thread is there, and never again; its tables are then up to date. */
  exists(): boolean {
    if (this.#known || !exists(this.#ctx.storage.sql)) return this.#known;
    this.#ctx.storage.transactionSync(() => migrate(this.#ctx.storage.sql));
    return (this.#known = true);
  }

  /**
   * Runs a change in one transaction: refused, it leaves nothing. Committed, it wakes the waiters, and the
   * outbox starts at once.
   */
  async settle<T>(change: () => Outcome<T>): Promise<Outcome<T>> {
    const before = this.exists() ? this.#log.marks().seq : 0;
    const outcome = this.#transaction(change);
    if (!outcome.ok) return fail(outcome.error);
    const { seq } = this.#log.marks();
    if (seq === before) return outcome;
    const armed = this.arm();
    wakeWaiters(this.#ctx, seq);
    this.tellWatchers();
    this.#ctx.waitUntil(this.#outbox.drain());
    this.#ctx.waitUntil(this.#effects.drain());
    this.#ctx.waitUntil(this.#courier.drain());
    await armed;
    return outcome;
  }

  /** Tells the pages that watch how far the thread has got; those whose link has died are let go. */
  tellWatchers(): void {
    tellWatchers(this.#ctx, this.#log.marks().seq, (watcher) =>
      this.#links.fault(watcher, this.#log.state(), Date.now()),
    );
  }

  #transaction<T>(change: () => Outcome<T>): Outcome<T> {
    let outcome: Outcome<T> | undefined;
    try {
      this.#ctx.storage.transactionSync(() => {
        outcome = change();
        if (!outcome.ok) throw new Refused();
      });
    } catch (error) {
      this.#log.forget();
      if (!(error instanceof Refused)) throw error;
    }
    if (outcome === undefined) throw new Error("the change had no outcome");
    return outcome;
  }

  /** Lets time, and `act`, change the thread; stores nothing when nothing changes. */
  async advance(act: (draft: Draft) => void = () => undefined): Promise<void> {
    const state = this.#log.state();
    const { updated } = state;
    const before = JSON.stringify(state);
    const draft = new Draft(state, Date.now());
    act(draft);
    fireTimers(draft);
    const { change } = draft;
    const quiet = change.history.length === 0 && change.documents.length === 0;
    if (quiet && JSON.stringify({ ...state, updated }) === before) return;
    await this.settle(() => ({ ok: true, value: this.#log.commit(change) }));
  }

  /** Never throws: the platform would give a throwing alarm up after a few tries. */
  async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    if (!this.exists()) return;
    try {
      await this.advance();
      await this.#dropStaleUploads();
      this.#restUntil = 0;
    } catch (error) {
      logDefect(error, { object: "thread" });
      this.#restUntil = Date.now() + REST;
    }
    await Promise.all([this.#outbox.drain(), this.#effects.drain(), this.#deliver()]);
    this.#log.keepMarks();
    await this.arm();
  }

  /** Starts to send what is due, and leaves it to the alarm should that come to nothing. */
  async deliver(): Promise<void> {
    this.#ctx.waitUntil(this.#courier.drain());
    await this.arm();
  }

  /** A channel tells that a message of ours never arrived. */
  async undelivered(told: Undelivered): Promise<boolean> {
    const back = await takeBack(this.#desk, told, Date.now());
    if (back) await this.deliver();
    return back;
  }

  /** Sends what is due, and keeps no timer waiting for it. */
  async #deliver(): Promise<void> {
    const sending = this.#courier.drain();
    this.#ctx.waitUntil(sending);
    const timer = nextTimer(this.#log.state()) ?? Infinity;
    const patience = Math.min(DELIVERED_WITHIN, Math.max(0, timer - Date.now()));
    await within(patience, sending).catch(() => undefined);
  }

  async #dropStaleUploads(): Promise<void> {
    const instant = Date.now() - UPLOAD_KEPT;
    for (const { id, key, multipart, token } of this.#transfers.before(instant)) {
      if (key !== undefined && multipart !== undefined && token === undefined)
        await dropPieces(this.#env.BLOBS, { key, multipart });
      this.#transfers.drop(id);
    }
    const stale = this.#log.uploadsBefore(instant);
    if (stale.length === 0) return;
    // The rows first: from now on no message can take what is about to go. What R2 keeps is swept.
    for (const { token } of stale) this.#log.dropUpload(token);
    await dropBlobs(
      this.#env.BLOBS,
      stale.map(({ key }) => key),
    );
  }

  /** Sets the alarm to the earliest of: the next timer, the outbox's next try, the next delivery, the oldest upload's end. */
  async arm(): Promise<void> {
    const uploads = [this.#log.oldestUpload(), this.#transfers.oldest()];
    const retries = [this.#outbox.retryIn(), this.#effects.retryIn()];
    const { deliveries } = this.#log;
    const due = [
      this.#courier.nextTry(deliveries.nextDue(this.#courier.busy), Date.now()),
      nextTimer(this.#log.state()),
      ...retries.map((pause) => (pause === undefined ? undefined : Date.now() + pause)),
      ...uploads.map((at) => (at === undefined ? undefined : at + UPLOAD_KEPT)),
    ].filter((at) => at !== undefined);
    if (due.length === 0) return;
    const at = Math.max(Math.min(...due), this.#restUntil);
    if (this.#alarmAt !== undefined && this.#alarmAt <= at && this.#alarmAt > Date.now()) return;
    this.#alarmAt = at;
    await this.#ctx.storage.setAlarm(at);
  }
}

/** Rolls a transaction back, and goes no further. */
class Refused extends Error {}
