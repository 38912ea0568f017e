/**
 * Runs the durable jobs of an object at least once: one run per queue at a time, retries with backoff, never a
 * rejection. A crash between a run and its record runs the job again, so every handler is idempotent. The owner calls
 * `run` in its alarm, and sets the alarm to `getNextDue`.
 */
import type { JobTable, StoredJob } from "./job-table.ts";
import type { RetryDelay } from "./retry.ts";
import { withTimeout } from "./with-timeout.ts";

/** `done` removes the job, `retry` runs it again later, `give_up` keeps it as a dead letter. A rejection is a retry. */
export type JobOutcome = "done" | "retry" | "give_up";

export interface JobHandler<Payload> {
  /** @param attempts runs that failed before this one */
  run: (payload: Payload, attempts: number) => Promise<JobOutcome>;
  retryDelayMs: RetryDelay;
}

export type JobHandlers<Payloads extends object> = {
  readonly [Kind in keyof Payloads]: JobHandler<Payloads[Kind]>;
};

export interface JobsOptions<Payloads extends object> {
  storage: Pick<DurableObjectStorage, "transactionSync">;
  handlers: JobHandlers<Payloads>;
  /** Receives what a handler threw. */
  onError: (job: StoredJob<Payloads>, error: unknown) => void;
  onGiveUp: (job: StoredJob<Payloads>) => void;
}

/** Queues that one round of `run` works on at the same time, and rounds in one call; the alarm continues. */
const MAX_QUEUES_PER_ROUND = 50;
const MAX_ROUNDS_PER_RUN = 20;
/** A run that hangs counts as failed, so that it does not hold up other queues. */
const RUN_TIMEOUT_MS = 10_000;
/** A queue that runs is looked at again after this, should the object have died meanwhile. */
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

  /** When `run` is next needed, in milliseconds since 1970; undefined when nothing is left. */
  getNextDue(now: number): number | undefined {
    const due = this.#table.getNextDue(this.#running);
    return this.#running.size === 0 ? due : Math.min(due ?? Infinity, now + RUNNING_CHECK_MS);
  }

  /**
   * Works on everything that is due, or on what is of one kind, and resolves when it has been tried once, also by a run
   * that began earlier. Never rejects.
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

/** A job that a newer version stored, before a rollback to this one: kept until that version is back. */
const UNKNOWN_KIND: JobHandler<unknown> = {
  run: () => Promise.resolve("retry"),
  retryDelayMs: () => UNKNOWN_KIND_RETRY_MS,
};
