/**
 * Jobs without a row of their own, derived from state that each change stores anyway, such as a sequence number that a
 * store has not acknowledged. Adding one costs no write, and a crash loses none. One run per kind at a time; changes
 * made during a run are handled by the next. The object calls `run` after a change and in its alarm, and sets the
 * alarm to `getNextDue` before and after.
 */
import type { RetryDelay } from "./retry.ts";

export interface DerivedJob {
  /** True while the state shows unfinished work. */
  isNeeded: () => boolean;
  /** Does the work or a part of it. A rejection counts as `retry`. Must be idempotent. */
  run: () => Promise<"done" | "retry">;
  retryDelayMs: RetryDelay;
}

/**
 * The alarm runs a job again after this time, in case the object stops before the first run ends. The time is long so
 * that the changes of a busy object share one alarm, since each alarm is a billed write.
 */
const CRASH_CHECK_MS = 30_000;

export class DerivedJobs<Kind extends string> {
  readonly #jobs: readonly (readonly [Kind, DerivedJob])[];
  readonly #running = new Map<Kind, Promise<void>>();
  /** Consecutive failures, in memory only: after a restart of the object the next retry comes sooner. */
  readonly #failures = new Map<Kind, number>();

  constructor(jobs: Readonly<Record<Kind, DerivedJob>>) {
    this.#jobs = Object.entries(jobs) as [Kind, DerivedJob][];
  }

  /** Runs each needed job until it has no work left or fails; joins those that run already. Never rejects. */
  async run(): Promise<void> {
    void this.start();
    await Promise.all(this.#running.values());
  }

  /** Starts each needed job that is not running; resolves when these end, undefined where there were none. */
  start(): Promise<unknown> | undefined {
    const needed = this.#jobs.filter(([kind, job]) => !this.#running.has(kind) && job.isNeeded());
    if (needed.length === 0) return undefined;
    return Promise.all(
      needed.map(([kind, job]) => {
        const running = this.#runWhileNeeded(kind, job);
        this.#running.set(kind, running);
        return running;
      }),
    );
  }

  /** The next time at which `run` must be called, in milliseconds since 1970; undefined when no job is needed. */
  getNextDue(now: number): number | undefined {
    const delays = this.#jobs
      .filter(([, job]) => job.isNeeded())
      .map(([kind, job]) => {
        const failures = this.#failures.get(kind);
        return failures === undefined ? CRASH_CHECK_MS : (job.retryDelayMs(failures) ?? Infinity);
      });
    const delayMs = Math.min(...delays);
    return delayMs === Infinity ? undefined : now + delayMs;
  }

  async #runWhileNeeded(kind: Kind, job: DerivedJob): Promise<void> {
    try {
      while (job.isNeeded()) {
        const outcome = await job.run().catch(() => "retry" as const);
        if (outcome === "retry") {
          this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + 1);
          return;
        }
        this.#failures.delete(kind);
      }
    } finally {
      this.#running.delete(kind);
    }
  }
}
