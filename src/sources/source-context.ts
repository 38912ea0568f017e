/** The parts that all facets of a source share: its tables, transactions over them, jobs and the alarm. */
import type { PostForSource, SourceRecord } from "../contracts/sources.ts";
import { logDefect, log } from "../log.ts";
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { refuseSourceNotFound } from "../mess/sources/refusals.ts";
import { Alarm } from "../object/alarm.ts";
import { Jobs } from "../object/jobs.ts";
import { StoredJobs } from "../object/stored-jobs.ts";
import { transact } from "../object/transaction.ts";
import { dropSourceRows } from "../partitions/source-messages.ts";
import { eraseMessages } from "./messages/delete-messages.ts";
import { createMessageHandlers } from "./messages/message-jobs.ts";
import { endWaits } from "./messages/waits.ts";
import { createOutboxHandlers } from "./outbox/outbox-jobs.ts";
import { createPollHandlers } from "./polling/poll-jobs.ts";
import { resumePolling } from "./polling/schedule-poll.ts";
import type { SourceJobs } from "./source-jobs.ts";
import { SourceStore } from "./tables/source-store.ts";
import { createWatcherHandlers } from "./watcher/watcher-jobs.ts";

export class SourceContext {
  readonly ctx: DurableObjectState;
  readonly env: Env;
  readonly store: SourceStore;
  readonly postForSource: PostForSource;
  readonly #jobs: Jobs<keyof SourceJobs>;
  readonly #alarm: Alarm;

  constructor(ctx: DurableObjectState, env: Env, postForSource: PostForSource) {
    this.ctx = ctx;
    this.env = env;
    this.postForSource = postForSource;
    this.store = new SourceStore(ctx.storage.sql);
    this.#alarm = new Alarm(ctx.storage, {
      listDueTimes: (now) => (this.store.read() ? [this.#jobs.getNextDue(now)] : []),
      onError: (error) => logDefect(error, { object: "source" }),
    });
    const stored = new StoredJobs(this.store.jobs, {
      storage: ctx.storage,
      handlers: {
        ...createMessageHandlers(this),
        ...createWatcherHandlers(this),
        ...createOutboxHandlers(this),
        ...createPollHandlers(this),
      },
      onError: ({ kind, attempts }) => log("job_failed", { object: "source", kind, attempts }),
      onGiveUp: ({ kind, queue }) => log("job_given_up", { object: "source", kind, queue }),
    });
    this.#jobs = new Jobs<keyof SourceJobs>([stored], () => this.#alarm.set());
  }

  /** Runs a change in one transaction. A refusal leaves nothing. Starts the jobs that the change added. */
  change<T>(work: (store: SourceStore, now: number) => Outcome<T>): Outcome<T> {
    const before = this.store.jobs.addedCount;
    const outcome = transact(
      this.ctx.storage,
      () => (this.store.read() ? work(this.store, Date.now()) : refuseSourceNotFound()),
      () => this.store.clearCache(),
    );
    if (outcome.ok && this.store.jobs.addedCount > before) this.startJobs();
    return outcome;
  }

  /** Reads without a transaction. */
  read<T>(work: (store: SourceStore, now: number) => Outcome<T>): Outcome<T> {
    return this.store.read() ? work(this.store, Date.now()) : refuseSourceNotFound();
  }

  async sync(record: SourceRecord): Promise<void> {
    const before = this.store.jobs.addedCount;
    transact(
      this.ctx.storage,
      () => {
        const now = Date.now();
        const isNewer = this.store.save(record, now);
        if (isNewer) resumePolling(this.store, now);
        return ok(isNewer);
      },
      () => this.store.clearCache(),
    );
    if (this.store.jobs.addedCount > before) this.startJobs();
    await this.#alarm.set();
  }

  /** Runs the due jobs of the kind, and waits for them. */
  async runJobs(kind?: keyof SourceJobs): Promise<void> {
    await this.#jobs.run(kind);
  }

  startJobs(): void {
    this.ctx.waitUntil(Promise.all([this.#alarm.set(), this.#jobs.start()]));
  }

  /** Deletes the bytes in R2 and the rows of the index first, so that a repeated call finds those that are left. */
  async erase({ household, name }: { household: string; name: string }): Promise<void> {
    endWaits(this.ctx);
    if (this.store.read()) await eraseMessages(this.env, household, this.store);
    await dropSourceRows(this.env.INDEX, { household, source: name });
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.store.clearCache();
  }

  async runAlarm(): Promise<void> {
    await this.#alarm.run(async () => {
      if (this.store.read()) await this.#jobs.run();
    });
  }
}
