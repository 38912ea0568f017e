/** The runner of jobs over a source in memory, whose jobs end when the test lets them. */
import { describe, expect, it } from "vitest";
import { type Job, Jobs, type JobSource, type QueueSet } from "../../../src/object/jobs.ts";
import { exponential } from "../../../src/object/retry.ts";

class MemorySource implements JobSource {
  readonly retryDelayMs = exponential(100, 1_000);
  readonly crashCheckMs = 5_000;
  readonly runningCheckMs = 60_000;
  readonly maxParallelQueues = 2;
  readonly waiting: Job[];
  /** The queues of each call of `open`. */
  readonly opened: string[][] = [];
  /** Queues in the order in which their jobs began. */
  readonly begun: string[] = [];
  readonly #endings = new Map<string, PromiseWithResolvers<void>>();

  constructor(...queues: string[]) {
    this.waiting = queues.map((queue) => ({ kind: "mail", queue }));
  }

  listDue(_now: number, limit: number): Job[] {
    const isFirst = ({ queue }: Job, index: number) =>
      this.waiting.findIndex((one) => one.queue === queue) === index;
    return this.waiting.filter(isFirst).slice(0, limit);
  }

  findDue(queue: string): Job | undefined {
    return this.waiting.find((one) => one.queue === queue);
  }

  getNextDue(except: QueueSet): number | undefined {
    return this.waiting.some(({ queue }) => !except.has(queue)) ? 0 : undefined;
  }

  open(jobs: readonly Job[]): Promise<this> {
    this.opened.push(jobs.map(({ queue }) => queue));
    return Promise.resolve(this);
  }

  async run(job: Job): Promise<void> {
    this.begun.push(job.queue);
    const ending = Promise.withResolvers<void>();
    this.#endings.set(job.queue, ending);
    await ending.promise;
    this.waiting.splice(this.waiting.indexOf(job), 1);
  }

  /** Ends the running job of the queue, and waits until the next ones have begun. */
  async end(queue: string): Promise<void> {
    this.#endings.get(queue)!.resolve();
    await takeTurns();
  }
}

/** Lets all promises that are not waited for by the test continue. */
const takeTurns = () => new Promise((resolve) => setImmediate(resolve));

describe("the runner of jobs", () => {
  it("queues that start together are opened by one call, and a further one starts when one of them ends", async () => {
    const source = new MemorySource("ann", "ben", "cy");
    const jobs = new Jobs([source]);

    const running = jobs.run();
    await takeTurns();
    expect(source.begun).toEqual(["ann", "ben"]);
    await source.end("ben");
    expect(source.begun).toEqual(["ann", "ben", "cy"]);
    await source.end("cy");
    await source.end("ann");
    await running;

    expect(source.opened).toEqual([["ann", "ben"], ["cy"]]);
    expect(jobs.start()).toBeUndefined();
  });

  it("a later job of a queue waits for the earlier one while other queues continue", async () => {
    const source = new MemorySource("ann", "ann", "ben");
    const jobs = new Jobs([source]);

    const running = jobs.run();
    await takeTurns();
    await source.end("ben");
    expect(jobs.start()).toBeUndefined();
    expect(source.begun).toEqual(["ann", "ben"]);
    await source.end("ann");
    expect(source.begun).toEqual(["ann", "ben", "ann"]);
    await source.end("ann");

    await running;
  });

  it("the owner is called when a queue ends, unless only running queues have jobs left", async () => {
    const source = new MemorySource("ann", "ben");
    let calls = 0;
    const jobs = new Jobs([source], async () => {
      calls++;
    });
    expect(jobs.getNextDue(1_000)).toBe(6_000);

    const running = jobs.run();
    await takeTurns();
    expect(jobs.getNextDue(1_000)).toBe(61_000);
    await source.end("ben");
    expect(calls).toBe(0);
    await source.end("ann");
    await running;

    expect(calls).toBe(1);
    expect(jobs.getNextDue(1_000)).toBeUndefined();
  });
});
