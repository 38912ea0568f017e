/** Durable jobs with a row each: a handler for each kind, backoff between attempts, and dead letters. */
import type { JobSource, OpenQueues, QueueSet } from "./jobs.ts";
import type { JobTable, StoredJob } from "./job-table.ts";
import { exponential, type RetryDelay } from "./retry.ts";
import { withTimeout } from "./with-timeout.ts";

/** `done` removes the job, `retry` runs it again after a delay, `give_up` keeps it as a dead letter. */
export type JobOutcome = "done" | "retry" | "give_up";

export interface JobHandler<Payload> {
  /** A rejection counts as `retry`. @param attempts number of failed attempts before this one */
  run: (payload: Payload, attempts: number) => Promise<JobOutcome>;
  retryDelayMs: RetryDelay;
  /** Timeout of one attempt, so that a handler that hangs does not delay other jobs. */
  timeoutMs?: number;
}

export type JobHandlers<Payloads extends object> = {
  readonly [Kind in keyof Payloads]: JobHandler<Payloads[Kind]>;
};

export interface StoredJobsOptions<Payloads extends object> {
  storage: Pick<DurableObjectStorage, "transactionSync">;
  handlers: JobHandlers<Payloads>;
  /** Called with the error of a handler, or of the storage that did not record its outcome. */
  onError: (job: StoredJob<Payloads>, error: unknown) => void;
  onGiveUp: (job: StoredJob<Payloads>) => void;
}

/** Timeout of one attempt where the handler sets none. */
const RUN_TIMEOUT_MS = 10_000;
const UNKNOWN_KIND_RETRY_MS = 3_600_000;

export class StoredJobs<Payloads extends object>
  implements
    JobSource<keyof Payloads & string, StoredJob<Payloads>>,
    OpenQueues<StoredJob<Payloads>>
{
  readonly #table: JobTable<Payloads>;
  readonly #options: StoredJobsOptions<Payloads>;
  /** Only for outcomes that could not be stored. */
  readonly retryDelayMs = exponential(1_000, 60_000);
  readonly crashCheckMs = 0;
  readonly runningCheckMs = 2 * RUN_TIMEOUT_MS;
  readonly maxParallelQueues = 50;

  constructor(table: JobTable<Payloads>, options: StoredJobsOptions<Payloads>) {
    this.#table = table;
    this.#options = options;
  }

  listDue(now: number, limit: number, kind?: keyof Payloads & string): StoredJob<Payloads>[] {
    return this.#table.listDue(now, limit, kind);
  }

  findDue(queue: string, now: number): StoredJob<Payloads> | undefined {
    return this.#table.findDue(queue, now);
  }

  getNextDue(except: QueueSet): number | undefined {
    return this.#table.getNextDue(except);
  }

  open(): Promise<this> {
    return Promise.resolve(this);
  }

  async run(job: StoredJob<Payloads>): Promise<void> {
    const { handlers, onError } = this.#options;
    const known = handlers as Readonly<Record<string, JobHandler<unknown> | undefined>>;
    const { run, retryDelayMs, timeoutMs = RUN_TIMEOUT_MS } = known[job.kind] ?? UNKNOWN_KIND;
    let outcome: JobOutcome = "retry";
    try {
      outcome = await withTimeout(timeoutMs, run(job.payload, job.attempts));
    } catch (error) {
      onError(job, error);
    }
    try {
      this.#record(job, outcome, retryDelayMs);
    } catch (error) {
      onError(job, error);
      throw error;
    }
  }

  #record(job: StoredJob<Payloads>, outcome: JobOutcome, retryDelayMs: RetryDelay): void {
    const { storage, onGiveUp } = this.#options;
    const delayMs = outcome === "retry" ? retryDelayMs(job.attempts + 1) : undefined;
    storage.transactionSync(() => {
      const now = Date.now();
      if (outcome === "done") this.#table.complete(job);
      else if (delayMs !== undefined) this.#table.postpone(job, now + delayMs);
      else this.#table.giveUp(job, now);
    });
    if (outcome !== "done" && delayMs === undefined) onGiveUp(job);
  }
}

/** A kind of job that a newer version added before a rollback to this one: kept until that version returns. */
const UNKNOWN_KIND: JobHandler<unknown> = {
  run: () => Promise.resolve("retry"),
  retryDelayMs: () => UNKNOWN_KIND_RETRY_MS,
};
