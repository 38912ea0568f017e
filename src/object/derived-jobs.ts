/**
 * Jobs without a row of their own, derived from state that each change stores anyway, such as a sequence number that a
 * store has not acknowledged. Adding one costs no write, and a crash loses none. Each kind has a queue of its own; a
 * change made during a run is handled by the next.
 */
import type { Job, JobSource, OpenQueues, QueueSet } from "./jobs.ts";
import type { RetryDelay } from "./retry.ts";

export interface DerivedJob {
  /** True while the state shows unfinished work. */
  isNeeded: () => boolean;
  /** Does the work or a part of it; a rejection counts as a failure. Must be idempotent. */
  run: () => Promise<void>;
}

/**
 * The changes of a busy object share one alarm, since each alarm is a billed write. Shorter than the ten seconds after
 * which the platform evicts an idle object: one that starts again for its alarm would repeat all of its jobs.
 */
const CRASH_CHECK_MS = 8_000;

export class DerivedJobs<Kind extends string> implements JobSource<Kind>, OpenQueues<Job<Kind>> {
  readonly #jobs: Readonly<Record<Kind, DerivedJob>>;
  readonly retryDelayMs: RetryDelay;
  readonly crashCheckMs = CRASH_CHECK_MS;
  readonly runningCheckMs = CRASH_CHECK_MS;
  readonly maxParallelQueues = Infinity;

  constructor(jobs: Readonly<Record<Kind, DerivedJob>>, retryDelayMs: RetryDelay) {
    this.#jobs = jobs;
    this.retryDelayMs = retryDelayMs;
  }

  listDue(_now: number, _limit: number, only?: Kind): Job<Kind>[] {
    const kinds = Object.keys(this.#jobs) as Kind[];
    return kinds
      .filter((kind) => (only === undefined || kind === only) && this.#jobs[kind].isNeeded())
      .map((kind) => ({ kind, queue: kind }));
  }

  findDue(queue: string, now: number): Job<Kind> | undefined {
    return this.listDue(now, 1, queue as Kind)[0];
  }

  /** Needed work is due since any time before now. */
  getNextDue(except: QueueSet): number | undefined {
    return this.listDue(0, Infinity).some(({ queue }) => !except.has(queue)) ? 0 : undefined;
  }

  open(): Promise<this> {
    return Promise.resolve(this);
  }

  async run({ kind }: Job<Kind>): Promise<void> {
    await this.#jobs[kind].run();
  }
}
