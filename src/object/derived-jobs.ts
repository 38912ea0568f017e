/**
 * Jobs without a row. The state that a change writes anyway shows what is left to do, such as a sequence number that a
 * store has not acknowledged, so adding such a job costs nothing and a crash loses none. One run per kind at a time;
 * changes made during a run are covered by the next. The owner calls `run` after a change and in its alarm, and
 * sets the alarm to `getNextDue` before and after.
 */
import type { RetryDelay } from "./retry.ts";

export interface DerivedJob {
  /** Whether the state shows something to do. */
  isNeeded: () => boolean;
  /** Does all or a part of it. A rejection is a retry. Repeated runs are harmless. */
  run: () => Promise<"done" | "retry">;
  retryDelayMs: RetryDelay;
}

/**
 * The alarm runs a job after this, should the object die before its first run ends. Long, because an alarm costs rows:
 * the changes of a busy object share one.
 */
const CRASH_CHECK_MS = 30_000;

export class DerivedJobs<Kind extends string> {
  readonly #jobs: readonly (readonly [Kind, DerivedJob])[];
  readonly #running = new Map<Kind, Promise<void>>();
  /** Consecutive failures. Losing them with the isolate only makes the next retry sooner. */
  readonly #failures = new Map<Kind, number>();

  constructor(jobs: Readonly<Record<Kind, DerivedJob>>) {
    this.#jobs = Object.entries(jobs) as [Kind, DerivedJob][];
  }

  /** Runs every job that is needed, until it is not, or fails. Never rejects. */
  async run(): Promise<void> {
    await Promise.all(this.#jobs.map(([kind, job]) => this.#runOnce(kind, job)));
  }

  /** When `run` is next needed, in milliseconds since 1970; undefined when nothing is left. */
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

  #runOnce(kind: Kind, job: DerivedJob): Promise<void> {
    const running =
      this.#running.get(kind) ??
      this.#runWhileNeeded(kind, job).finally(() => this.#running.delete(kind));
    this.#running.set(kind, running);
    return running;
  }

  async #runWhileNeeded(kind: Kind, job: DerivedJob): Promise<void> {
    while (job.isNeeded()) {
      const outcome = await job.run().catch(() => "retry" as const);
      if (outcome === "retry") {
        this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + 1);
        return;
      }
      this.#failures.delete(kind);
    }
  }
}
