/** The job queue over the real SQLite of an object. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JOBS_TABLE, JobTable } from "../../../src/object/job-table.ts";
import { Jobs } from "../../../src/object/jobs.ts";
import { exponential } from "../../../src/object/retry.ts";
import { type JobHandler, type JobOutcome, StoredJobs } from "../../../src/object/stored-jobs.ts";

beforeEach(() => vi.setSystemTime(1_000));
afterEach(() => vi.useRealTimers());

interface Payloads {
  mail: { text: string };
  call: { text: string };
}

interface QueueUnderTest {
  table: JobTable<Payloads>;
  jobs: Jobs<keyof Payloads>;
  /** The texts of all runs, in order. */
  runs: string[];
  errors: string[];
  givenUp: string[];
  /** Runs the due jobs. */
  run: () => Promise<void>;
  sql: SqlStorage;
}

/** Creates a queue in a separate object, whose jobs end as `outcomeOf` returns. */
async function withQueue(
  outcomeOf: (text: string, queue: QueueUnderTest) => JobOutcome | Promise<JobOutcome>,
  test: (queue: QueueUnderTest, reopen: () => QueueUnderTest) => Promise<void>,
): Promise<void> {
  const stub = env.HOUSEHOLDS.getByName(`jobs-${crypto.randomUUID()}`);
  await runInDurableObject(stub, async (_, { storage }) => {
    storage.sql.exec(JOBS_TABLE);
    const open = (): QueueUnderTest => {
      const runs: string[] = [];
      const errors: string[] = [];
      const givenUp: string[] = [];
      const handler: JobHandler<{ text: string }> = {
        run: async ({ text }) => {
          runs.push(text);
          return await outcomeOf(text, queue);
        },
        retryDelayMs: exponential(100, 1_000, 3),
      };
      const table = new JobTable<Payloads>(storage.sql);
      const source = new StoredJobs(table, {
        storage,
        handlers: { mail: handler, call: handler },
        onError: ({ kind }) => errors.push(kind),
        onGiveUp: ({ kind }) => givenUp.push(kind),
      });
      const jobs = new Jobs([source]);
      const run = () => jobs.run();
      const queue = { table, jobs, runs, errors, givenUp, run, sql: storage.sql };
      return queue;
    };
    await test(open(), open);
  });
}

const countRows = ({ sql }: QueueUnderTest): number =>
  sql.exec<{ count: number }>("SELECT count(*) AS count FROM jobs").one().count;

describe("durable jobs", () => {
  it("jobs run once, in order within a queue whatever their kind, and are removed when done", async () => {
    await withQueue(
      () => "done",
      async ({ table, runs, run }, reopen) => {
        table.add("mail", "ann", { text: "ann 1" }, 0);
        table.add("call", "ann", { text: "ann 2" }, 0);
        table.add("mail", "ann", { text: "ann 3" }, 0);
        table.add("mail", "ben", { text: "ben 1" }, 0);

        await run();
        await run();

        expect(runs.filter((text) => text.startsWith("ann"))).toEqual(["ann 1", "ann 2", "ann 3"]);
        expect(runs).toHaveLength(4);
        expect(countRows(reopen())).toBe(0);
        expect(reopen().jobs.getNextDue(1_000)).toBeUndefined();
      },
    );
  });

  it("jobs wait for their due time", async () => {
    await withQueue(
      () => "done",
      async ({ table, jobs, runs, run }) => {
        table.add("mail", "ann", { text: "1" }, 5_000);

        await run();
        expect(runs).toEqual([]);
        expect(jobs.getNextDue(Date.now())).toBe(5_000);

        vi.setSystemTime(5_000);
        await run();
        expect(runs).toEqual(["1"]);
      },
    );
  });

  it("jobs are retried with backoff while later jobs of the queue wait and other queues continue", async () => {
    let isDown = true;
    await withQueue(
      (text) => (text === "1" && isDown ? "retry" : "done"),
      async ({ table, jobs, runs, run }) => {
        table.add("mail", "ann", { text: "1" }, 0);
        table.add("call", "ann", { text: "2" }, 0);
        table.add("mail", "ben", { text: "3" }, 0);

        await run();
        expect(jobs.getNextDue(Date.now())).toBe(1_100);
        vi.setSystemTime(1_100);
        await run();
        expect(jobs.getNextDue(Date.now())).toBe(1_300);
        expect(runs).toEqual(["1", "3", "1"]);

        isDown = false;
        vi.setSystemTime(1_300);
        await run();
        expect(runs.slice(3)).toEqual(["1", "2"]);
      },
    );
  });

  it("jobs that fail too often are given up with all later ones of their queue, and their rows are deleted later", async () => {
    await withQueue(
      () => "retry",
      async (queue) => {
        const { table, jobs, runs, givenUp, run } = queue;
        table.add("mail", "ann", { text: "1" }, 0);
        table.add("call", "ann", { text: "2" }, 0);

        for (const now of [1_000, 1_100, 1_300, 9_000]) {
          vi.setSystemTime(now);
          await run();
        }

        expect(runs).toEqual(["1", "1", "1"]);
        expect(givenUp).toEqual(["mail"]);
        expect(jobs.getNextDue(Date.now())).toBeUndefined();
        table.dropGivenUpBefore(1_300);
        expect(countRows(queue)).toBe(2);
        table.dropGivenUpBefore(1_301);
        expect(countRows(queue)).toBe(0);
      },
    );
  });

  it("jobs survive a handler that throws, and the error is reported", async () => {
    await withQueue(
      () => Promise.reject(new Error("unreachable")),
      async ({ table, errors, run }, reopen) => {
        table.add("mail", "ann", { text: "1" }, 0);

        await run();

        expect(errors).toEqual(["mail"]);
        expect(reopen().jobs.getNextDue(Date.now())).toBe(1_100);
      },
    );
  });

  it.each(["done", "retry", "give_up"] as const)(
    "jobs run again at once if their payload was replaced during a run that ends as %s",
    async (outcome) => {
      await withQueue(
        (text, { table }) => {
          if (text !== "old") return "done";
          table.put("mail", "ann", { text: "new" }, 0);
          return outcome;
        },
        async (queue) => {
          queue.table.put("mail", "ann", { text: "older" }, 0);
          queue.table.put("mail", "ann", { text: "old" }, 0);

          await queue.run();

          expect(queue.runs).toEqual(["old", "new"]);
          expect(countRows(queue)).toBe(0);
        },
      );
    },
  );

  it("jobs run one at a time in a queue, even if two runs are started concurrently", async () => {
    let concurrent = 0;
    await withQueue(
      async (): Promise<JobOutcome> => {
        expect(++concurrent).toBe(1);
        await Promise.resolve();
        concurrent--;
        return "done";
      },
      async ({ table, jobs, runs, run, errors }) => {
        table.add("mail", "ann", { text: "1" }, 0);
        table.add("mail", "ann", { text: "2" }, 0);

        const both = Promise.all([run(), run()]);
        expect(jobs.getNextDue(Date.now())).toBeGreaterThan(Date.now());
        await both;

        expect(runs).toEqual(["1", "2"]);
        expect(errors).toEqual([]);
      },
    );
  });

  it("jobs of one kind run alone if only that kind is requested", async () => {
    await withQueue(
      () => "done",
      async ({ table, jobs, runs, run }) => {
        table.add("mail", "ann", { text: "1" }, 0);
        table.add("call", "ann", { text: "2" }, 0);
        table.add("call", "ben", { text: "3" }, 0);

        await jobs.run("call");
        expect(runs).toEqual(["3"]);

        await run();
        expect(runs).toEqual(["3", "1", "2"]);
      },
    );
  });

  it("jobs of an unknown kind are kept", async () => {
    await withQueue(
      () => "done",
      async (queue) => {
        const { table, jobs, run, givenUp } = queue;
        (table as unknown as JobTable<{ later: object }>).add("later", "ann", {}, 0);

        await run();

        expect(givenUp).toEqual([]);
        expect(countRows(queue)).toBe(1);
        expect(jobs.getNextDue(Date.now())).toBeGreaterThan(Date.now());
      },
    );
  });
});
