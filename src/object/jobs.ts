/**
 * Runs the durable jobs of an object at least once: one at a time in each queue, with backoff between attempts. After a
 * crash between an attempt and the record of its outcome the job runs again, so every handler must be idempotent. The
 * object calls `run` in its alarm, and sets the alarm to `getNextDue`.
 */
import type { JobTable, StoredJob } from "./job-table.ts";
import type { RetryDelay } from "./retry.ts";
import { withTimeout } from "./with-timeout.ts";

/** `done` removes the job, `retry` runs it again after a delay, `give_up` keeps it as a dead letter. */
export type JobOutcome = "done" | "retry" | "give_up";

export interface JobHandler<Payload> {
  /** A rejection counts as `retry`. @param attempts number of failed attempts before this one */
  run: (payload: Payload, attempts: number) => Promise<JobOutcome>;
  retryDelayMs: RetryDelay;
}

export type JobHandlers<Payloads extends object> = {
  readonly [Kind in keyof Payloads]: JobHandler<Payloads[Kind]>;
};

export interface JobsOptions<Payloads extends object> {
  storage: Pick<DurableObjectStorage, "transactionSync">;
  handlers: JobHandlers<Payloads>;
  /** Called with the error of a handler that threw. */
  onError: (job: StoredJob<Payloads>, error: unknown) => void;
  onGiveUp: (job: StoredJob<Payloads>) => void;
}

/** Queues that one round of `run` works on in parallel, and rounds of one call. The alarm continues with the others. */
const MAX_QUEUES_PER_ROUND = 50;
const MAX_ROUNDS_PER_RUN = 20;
/** Timeout of one attempt, so that a handler that hangs does not delay other queues. */
const RUN_TIMEOUT_MS = 10_000;
/** A running queue is checked again after this, in case the object stopped in the meantime. */
const RUNNING_CHECK_MS = 2 * RUN_TIMEOUT_MS;
const UNKNOWN_KIND_RETRY_MS = 3_600_000;

export class Jobs<Payloads extends object> {
  readonly #table: JobTable<Payloads>;
  readonly #options: JobsOptions<Payloads>;
  readonly #running = new Map<string, { kind: string; work: Promise<void> }>();

  constructor(table: JobTable<Payloads>, options: JobsOptions<Payloads>) {
    this.#table = table;
    this.#options = options;
  }

  /** The next time at which `run` must be called, in milliseconds since 1970; undefined when no job is left. */
  getNextDue(now: number): number | undefined {
    const due = this.#table.getNextDue(this.#running);
    return this.#running.size === 0 ? due : Math.min(due ?? Infinity, now + RUNNING_CHECK_MS);
  }

  /**
   * Attempts every due job, or those of one kind, and resolves when each was attempted once, also by a call that began
   * earlier. Never rejects.
   */
  async run(clock: () => number, kind?: keyof Payloads & string): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS_PER_RUN; round++) {
      const started = this.#start(clock, kind);
      if (started.length === 0) break;
      await Promise.all(started);
    }
    const running = [...this.#running.values()];
    const awaited = running.filter((job) => kind === undefined || job.kind === kind);
    await Promise.all(awaited.map(({ work }) => work));
  }

  #start(clock: () => number, kind: (keyof Payloads & string) | undefined): Promise<void>[] {
    return this.#table
      .listDue(clock(), MAX_QUEUES_PER_ROUND + this.#running.size, kind)
      .filter(({ queue }) => !this.#running.has(queue))
      .map((job) => {
        const work = this.#runJob(job, clock)
          .catch((error: unknown) => this.#options.onError(job, error))
          .finally(() => this.#running.delete(job.queue));
        this.#running.set(job.queue, { kind: job.kind, work });
        return work;
      });
  }

  async #runJob(job: StoredJob<Payloads>, clock: () => number): Promise<void> {
    const { handlers, storage, onError, onGiveUp } = this.#options;
    const known = handlers as Readonly<Record<string, JobHandler<unknown> | undefined>>;
    const { run, retryDelayMs } = known[job.kind] ?? UNKNOWN_KIND;
    let outcome: JobOutcome = "retry";
    try {
      outcome = await withTimeout(RUN_TIMEOUT_MS, run(job.payload, job.attempts));
    } catch (error) {
      onError(job, error);
    }
    const delayMs = outcome === "retry" ? retryDelayMs(job.attempts + 1) : undefined;
    storage.transactionSync(() => {
      if (outcome === "done") this.#table.complete(job);
      else if (delayMs !== undefined) this.#table.postpone(job, clock() + delayMs);
      else this.#table.giveUp(job, clock());
    });
    if (outcome !== "done" && delayMs === undefined) onGiveUp(job);
  }
}

/** A kind of job that a newer version added before a rollback to this one: kept until that version returns. */
const UNKNOWN_KIND: JobHandler<unknown> = {
  run: () => Promise.resolve("retry"),
  retryDelayMs: () => UNKNOWN_KIND_RETRY_MS,
};
