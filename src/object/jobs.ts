/**
 * Runs the jobs of an object at least once: the jobs of a queue one at a time and in order, queues in parallel. After a
 * crash between a run and the record of its outcome the job runs again, so every job must be idempotent. The object
 * calls `start` after a change and `run` in its alarm, and sets the alarm to `getNextDue`.
 */
import type { RetryDelay } from "./retry.ts";

export interface Job<Kind extends string = string> {
  kind: Kind;
  /** Jobs that must not overtake each other share a queue. The name is unique within its source. */
  queue: string;
}

/** Where jobs are stored, when they are due, and how one is run. Every method but `open` is synchronous. */
export interface JobSource<Kind extends string = string, Each extends Job<Kind> = Job<Kind>> {
  /** Lists the first job of each queue if it is due, and has the kind if one is given. The longest due comes first. */
  listDue(now: number, limit: number, kind?: Kind): readonly Each[];
  /** Returns the first job of the queue if it is due. */
  findDue(queue: string, now: number): Each | undefined;
  /** Returns the earliest due time in all queues but these, in milliseconds since 1970; undefined without a job. */
  getNextDue(except: QueueSet): number | undefined;
  /**
   * Called once for queues that start together, so that one call can fetch what all of them need. The result runs the
   * due jobs of these queues.
   */
  open(jobs: readonly Each[]): Promise<OpenQueues<Each>>;
  /** The delay of a queue after failures that no source recorded: rejections of `open` or of a run. */
  readonly retryDelayMs: RetryDelay;
  /** The alarm runs a due job after this time, in case the object stops before its first run ends. */
  readonly crashCheckMs: number;
  /** The alarm checks running queues after this time, in case the object stops in the meantime. */
  readonly runningCheckMs: number;
  /** Queues that run in parallel. The others start when one of these ends. */
  readonly maxParallelQueues: number;
}

export interface OpenQueues<Each extends Job> {
  /** Runs a job and records its outcome: success, the time of the next attempt, or the end of attempts. */
  run(job: Each): Promise<void>;
}

export interface QueueSet {
  has: (queue: string) => boolean;
  size: number;
}

/** Limits of one call of `start`, so that it ends; the alarm continues. */
const MAX_JOBS_PER_QUEUE = 20;
const MAX_ROUNDS_PER_START = 20;

export class Jobs<Kind extends string> {
  readonly #runners: readonly SourceRunner<Kind>[];

  /** @param onQueueEnd called when a queue has ended, so that the alarm can be set to the next job */
  constructor(sources: readonly JobSource<Kind>[], onQueueEnd?: () => Promise<void>) {
    this.#runners = sources.map((source) => new SourceRunner(source, onQueueEnd));
  }

  /** The next time at which `run` must be called, in milliseconds since 1970; undefined when no job is left. */
  getNextDue(now: number): number | undefined {
    return toTime(this.#runners.map((runner) => runner.getNextDue(now) ?? Infinity));
  }

  /**
   * Starts the due jobs of queues that do not run, or those of one kind. Resolves when these were attempted; undefined
   * where there are none.
   */
  start(kind?: Kind): Promise<unknown> | undefined {
    const started = this.#runners.flatMap((runner) => runner.start(kind) ?? []);
    return started.length === 0 ? undefined : Promise.all(started);
  }

  /** Attempts every due job, or those of one kind, and waits also for those that an earlier call started. */
  async run(kind?: Kind): Promise<void> {
    await this.start(kind);
    await this.#waitForRunning(kind);
    // A job of one source may have started a job of another.
    await this.#waitForRunning(kind);
  }

  async #waitForRunning(kind: Kind | undefined): Promise<void> {
    await Promise.all(this.#runners.flatMap((runner) => runner.listRunning(kind)));
  }
}

class SourceRunner<Kind extends string> {
  readonly #source: JobSource<Kind>;
  readonly #onQueueEnd: (() => Promise<void>) | undefined;
  readonly #running = new Map<string, { kind: Kind; work: Promise<void> }>();
  /** Consecutive failures, in memory only: after a restart of the object the next retry comes sooner. */
  readonly #failures = new Map<string, { count: number; call: number }>();
  /** Number of calls of `start`. A call does not repeat what failed after it began; a later one does. */
  #calls = 0;

  constructor(source: JobSource<Kind>, onQueueEnd: (() => Promise<void>) | undefined) {
    this.#source = source;
    this.#onQueueEnd = onQueueEnd;
  }

  getNextDue(now: number): number | undefined {
    const { crashCheckMs, runningCheckMs, retryDelayMs } = this.#source;
    const failed = [...this.#failures].filter(
      ([queue]) => !this.#running.has(queue) && this.#source.findDue(queue, now),
    );
    const others = new Set([...this.#running.keys(), ...failed.map(([queue]) => queue)]);
    const due = this.#source.getNextDue(others) ?? Infinity;
    return toTime([
      due > now ? due : now + crashCheckMs,
      ...failed.map(([, { count }]) => now + (retryDelayMs(count) ?? Infinity)),
      ...(this.#running.size > 0 ? [now + runningCheckMs] : []),
    ]);
  }

  start(kind: Kind | undefined): Promise<unknown> | undefined {
    return this.#runRounds(++this.#calls, kind, MAX_ROUNDS_PER_START);
  }

  listRunning(kind: Kind | undefined): Promise<void>[] {
    const running = [...this.#running.values()];
    return running.flatMap((queue) =>
      kind === undefined || queue.kind === kind ? queue.work : [],
    );
  }

  /** Starts queues, and others whenever one of them ends. */
  #runRounds(call: number, kind: Kind | undefined, rounds: number): Promise<unknown> | undefined {
    const started = rounds === 0 ? [] : this.#startQueues(call, kind);
    if (started.length === 0) return undefined;
    return Promise.all(
      started.map((work) => work.then(() => this.#runRounds(call, kind, rounds - 1))),
    );
  }

  #startQueues(call: number, kind: Kind | undefined): Promise<void>[] {
    const { maxParallelQueues } = this.#source;
    const room = maxParallelQueues - this.#running.size;
    if (room <= 0) return [];
    const due = this.#source
      .listDue(Date.now(), maxParallelQueues + this.#failures.size, kind)
      .filter(({ queue }) => !this.#running.has(queue))
      .filter(({ queue }) => (this.#failures.get(queue)?.call ?? 0) < call)
      .slice(0, room);
    if (due.length === 0) return [];
    const opened = this.#source.open(due);
    return due.map((job) => {
      const work = this.#runQueue(job, opened, kind);
      this.#running.set(job.queue, { kind: job.kind, work });
      return work;
    });
  }

  async #runQueue(
    { queue }: Job<Kind>,
    opened: Promise<OpenQueues<Job<Kind>>>,
    kind: Kind | undefined,
  ): Promise<void> {
    try {
      const queues = await opened;
      for (let count = 0; count < MAX_JOBS_PER_QUEUE; count++) {
        const next = this.#source.findDue(queue, Date.now());
        if (!next || (kind !== undefined && next.kind !== kind)) break;
        this.#running.get(queue)!.kind = next.kind;
        await queues.run(next);
      }
      this.#failures.delete(queue);
    } catch {
      const count = (this.#failures.get(queue)?.count ?? 0) + 1;
      this.#failures.set(queue, { count, call: this.#calls });
    }
    this.#running.delete(queue);
    // Not while other queues run and nothing waits, since an alarm to check these is a billed write.
    if (this.#running.size === 0 || this.#source.getNextDue(this.#running) !== undefined)
      await this.#onQueueEnd?.();
  }
}

const toTime = (times: readonly number[]): number | undefined => {
  const earliest = Math.min(...times);
  return earliest === Infinity ? undefined : earliest;
};
