/**
 * Commits changes of a thread in one transaction, refused or stored as a whole, and starts their follow-ups. The alarm
 * completes these after a crash or a failure: timers, jobs, unused uploads.
 */
import { abortMultipart } from "../attachments/multipart-upload.ts";
import { deleteBlobs } from "../attachments/blob-store.ts";
import type { PostReply } from "../delivery/delivery-attempt.ts";
import type { DeliveryPort } from "../delivery/delivery-port.ts";
import type { DeliveryFailure } from "../contracts/thread.ts";
import { recordDeliveryFailure } from "../delivery/delivery-failure.ts";
import { logDefect } from "../log.ts";
import type { Outcome } from "../mess/errors.ts";
import { fail } from "../mess/result.ts";
import { ThreadDraft } from "../mess/thread/thread-change.ts";
import { startTierClock } from "../mess/thread/escalation.ts";
import { fireTimers, getNextTimer } from "../mess/thread/timers.ts";
import { Alarm } from "../object/alarm.ts";
import { transact } from "../object/transaction.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { createDeliveryPort } from "./deliveries/thread-delivery-port.ts";
import type { ThreadLinks } from "./links.ts";
import type { ThreadLog } from "./thread-log.ts";
import { isCreated, migrate, type ThreadTables } from "./migrations.ts";
import { createThreadJobs, type ThreadJobs } from "./thread-jobs.ts";
import type { MultipartUploads } from "./files/multipart-uploads.ts";
import { notifyWatchers, wakeCallers } from "./waiters.ts";

/** An upload waits this long for its message. */
const UPLOAD_RETENTION_MS = 24 * 3_600_000;
/** The alarm waits this long for its jobs; longer deliveries continue without it. */
const JOBS_WAIT_MS = 25_000;

export class ThreadRuntime {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #tables: ThreadTables;
  readonly #log: ThreadLog;
  readonly #links: ThreadLinks;
  readonly #uploads: MultipartUploads;
  readonly #jobs: ThreadJobs;
  readonly #port: DeliveryPort;
  readonly #alarm: Alarm;
  #isKnown = false;

  constructor(
    ctx: DurableObjectState,
    env: Env,
    tables: ThreadTables,
    log: ThreadLog,
    links: ThreadLinks,
    uploads: MultipartUploads,
    postReply: PostReply,
  ) {
    this.#ctx = ctx;
    this.#env = env;
    this.#tables = tables;
    this.#log = log;
    this.#links = links;
    this.#uploads = uploads;
    this.#port = createDeliveryPort(env, ctx.storage, log, links, this);
    this.#jobs = createThreadJobs(env, log, this.#port, postReply);
    this.#alarm = new Alarm(ctx.storage, {
      listDueTimes: (now) => this.#listDueTimes(now),
      onError: (error) => logDefect(error, { object: "thread" }),
    });
  }

  /** Reads the schema until the thread exists, then remembers that; migrates the tables once. */
  isCreated(): boolean {
    if (this.#isKnown || !isCreated(this.#tables)) return this.#isKnown;
    migrate(this.#ctx.storage, this.#tables);
    return (this.#isKnown = true);
  }

  /** Call it when the thread was deleted. */
  forget(): void {
    this.#isKnown = false;
    this.#log.clearCache();
    for (const socket of this.#ctx.getWebSockets()) socket.close(4_410, "deleted");
  }

  /**
   * Runs a change in one transaction. A refusal leaves nothing. A commit wakes the waiters and starts the jobs.
   */
  async commit<T>(change: () => Outcome<T>): Promise<Outcome<T>> {
    const before = this.isCreated() ? this.#log.getSyncState().seq : 0;
    const outcome = transact(this.#ctx.storage, change, () => this.#log.clearCache());
    if (!outcome.ok) return fail(outcome.error);
    const { seq } = this.#log.getSyncState();
    if (seq === before) return outcome;
    const alarmSet = this.setAlarm();
    wakeCallers(this.#ctx, seq);
    this.notifyWatchers();
    this.#startJobs();
    await alarmSet;
    return outcome;
  }

  /** Runs a change in one transaction that is not part of the thread, and starts the jobs that it queued. */
  async commitApart<T>(change: () => Outcome<T>): Promise<Outcome<T>> {
    const outcome = transact(this.#ctx.storage, change, () => this.#log.clearCache());
    if (!outcome.ok) return outcome;
    await this.setAlarm();
    this.#startJobs();
    return outcome;
  }

  /** The alarm runs them again if the object stops before they end. */
  #startJobs(): void {
    const started = this.#jobs.start();
    if (started) this.#ctx.waitUntil(started);
  }

  /** Sends the newest `seq` to watching pages, and closes those whose link has ended. */
  notifyWatchers(): void {
    notifyWatchers(this.#ctx, this.#log.getSyncState().seq, (watcher) =>
      this.#links.checkBearer(watcher, this.#log.readState(), Date.now()),
    );
  }

  /** Applies timers and `applyChange`; stores nothing when the state stays the same, or before the thread exists. */
  async advance(applyChange: (draft: ThreadDraft) => void = () => undefined): Promise<void> {
    if (!this.isCreated()) return;
    const state = this.#log.getState();
    const { updated } = state;
    const before = JSON.stringify(state);
    const draft = new ThreadDraft(state, Date.now());
    applyChange(draft);
    fireTimers(draft);
    const { change } = draft;
    const quiet = change.history.length === 0 && change.documents.length === 0;
    if (quiet && JSON.stringify({ ...state, updated }) === before) return;
    await this.commit(() => ({ ok: true, value: this.#log.commit(change) }));
  }

  async alarm(): Promise<void> {
    if (!this.isCreated()) return;
    await this.#alarm.run(async () => {
      try {
        await this.advance();
        await this.#dropStaleUploads();
      } finally {
        await this.#runJobsAndWait();
      }
    });
  }

  /** Starts due deliveries, with the alarm as a fallback. */
  async startDelivery(): Promise<void> {
    this.#ctx.waitUntil(this.#jobs.run("delivery"));
    await this.setAlarm();
  }

  /** Makes the held notices to the member due now. True if none waited, and none was due already. */
  async releaseHeld(executor: string): Promise<boolean> {
    if (!this.isCreated()) return true;
    const { deliveries } = this.#log;
    const now = Date.now();
    const isIdle = this.#ctx.storage.transactionSync(() => deliveries.release(executor, now));
    if (isIdle) return true;
    await this.advance(startTierClock);
    await this.startDelivery();
    return false;
  }

  /** Records a channel's report that it could not deliver a message that it had accepted. */
  async recordDeliveryFailure(failure: DeliveryFailure): Promise<boolean> {
    const record = () => recordDeliveryFailure(this.#port, failure, Date.now());
    let isRecorded = await record();
    if (!isRecorded) {
      // A report may arrive before the response to its send is recorded.
      await this.#runJobsAndWait("delivery");
      isRecorded = await record();
    }
    if (isRecorded) await this.startDelivery();
    return isRecorded;
  }

  /** Runs due jobs, or those of one kind, and waits no longer than until the next timer. */
  async #runJobsAndWait(kind?: "delivery"): Promise<void> {
    const running = this.#jobs.run(kind);
    this.#ctx.waitUntil(running);
    const timer = getNextTimer(this.#log.readState()) ?? Infinity;
    const waitMs = Math.min(JOBS_WAIT_MS, Math.max(0, timer - Date.now()));
    await withTimeout(waitMs, running).catch(() => undefined);
  }

  async #dropStaleUploads(): Promise<void> {
    const instant = Date.now() - UPLOAD_RETENTION_MS;
    for (const { id, key, multipart, token } of this.#uploads.listBegunBefore(instant)) {
      if (key !== undefined && multipart !== undefined && token === undefined)
        await abortMultipart(this.#env.BLOBS, { key, multipart });
      this.#uploads.remove(id);
    }
    const stale = this.#log.uploads.listBefore(instant);
    if (stale.length === 0) return;
    // Delete the rows first, so that no message can name a file that is being deleted. The cleanup deletes leftovers in R2.
    for (const { token } of stale) this.#log.uploads.remove(token);
    await deleteBlobs(
      this.#env.BLOBS,
      stale.map(({ key }) => key),
    );
  }

  async setAlarm(): Promise<void> {
    await this.#alarm.set();
  }

  /** Due times of timers, jobs and the oldest upload. */
  #listDueTimes(now: number): (number | undefined)[] {
    if (!this.isCreated()) return [];
    const uploads = [this.#log.uploads.getOldest(), this.#uploads.getOldest()];
    return [
      getNextTimer(this.#log.readState()),
      this.#jobs.getNextDue(now),
      ...uploads.map((at) => (at === undefined ? undefined : at + UPLOAD_RETENTION_MS)),
    ];
  }
}
