import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { ListFilter } from "../../../src/partitions/list.ts";
import { listThreadsOf, buildSummary, indexSummaries, watchDatabase } from "./support.ts";

const FILTERS: [string, Partial<ListFilter>][] = [
  ["no filter", {}],
  ["a state", { state: "executing" }],
  ["statuses", { status: ["claimed", "completed"] }],
  ["the holder", { executor: "ana" }],
  ["the requestor", { requestor: "kitchen-agent" }],
  ["a participant", { participant: "ben" }],
  ["a participant and a state", { participant: "ben", state: "received" }],
  ["a time", { since: 5 }],
  ["a participant and a time", { participant: "ben", since: 5 }],
  ["the holder and a status", { executor: "ana", status: ["claimed"] }],
];

/** Inserts this many threads in one statement, with three statuses; the triggers fill the other tables. */
async function grow(household: string, count: number): Promise<void> {
  await env.INDEX.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO threads (household, ref, seq, status, partition, requestor, executor, participants, intent,
       priority, zone, created, updated, words)
     SELECT ?1, 'g-' || i, 1, CASE i % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'claimed' ELSE 'completed' END, 'x',
       'kitchen-agent', CASE i % 3 WHEN 0 THEN NULL ELSE 'ana' END, '["ana","ben","kitchen-agent"]', 'Water',
       'normal', 'UTC', i, i, 'water basil' FROM n`,
  )
    .bind(household, count)
    .run();
}

describe("the cost of a list", () => {
  beforeAll(async () => {
    await grow("small", 300);
    await grow("large", 6_000);
  });

  it.each(FILTERS)(
    "a list with %s searches an index in order and sorts nothing",
    async (_name, filter) => {
      const { db, asked } = watchDatabase();
      const { next_cursor } = await listThreadsOf("small", { ...filter, limit: 5 }, db);
      await listThreadsOf("small", { ...filter, limit: 5, cursor: next_cursor! }, db);

      for (const { sql, values } of asked) {
        const { results } = await env.INDEX.prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .bind(...values)
          .all<{ detail: string }>();
        const plan = results.map(({ detail }) => detail);
        expect(plan[0]).toMatch(/^SEARCH (?:t|p) USING (?:INDEX threads_by_status|PRIMARY KEY) \(/);
        expect(plan[0]).toContain("household=? AND");
        expect(plan.join("\n")).not.toMatch(/TEMP B-TREE|SCAN/);
      }
      expect(asked.length).toBeGreaterThan(1);
    },
  );

  it.each(FILTERS)(
    "a list with %s reads as many rows for twenty times the threads",
    async (_name, filter) => {
      const countRows = async (household: string): Promise<number> => {
        const { db, asked } = watchDatabase();
        const { threads } = await listThreadsOf(household, { ...filter, limit: 20 }, db);
        expect(threads).toHaveLength(20);
        return asked.reduce((sum, { meta }) => sum + meta!.rows_read, 0);
      };

      expect(await countRows("large")).toBe(await countRows("small"));
    },
  );

  it("a search for a word in every thread is limited to the newest thousand", async () => {
    const { db, asked } = watchDatabase();

    const { threads } = await listThreadsOf("large", { q: "water", limit: 20 }, db);

    expect(threads[0]?.ref).toBe("g-6000");
    expect(asked[0]!.meta!.rows_read).toBeLessThan(5_000);
  });

  it("a search reads its matches from the newest, without sorting all of them", async () => {
    await indexSummaries(buildSummary("small", "t1"));
    const { db, asked } = watchDatabase();
    await listThreadsOf("small", { q: "basil", participant: "ben", status: ["pending"] }, db);

    const { results } = await env.INDEX.prepare(`EXPLAIN QUERY PLAN ${asked[0]!.sql}`)
      .bind(...asked[0]!.values)
      .all<{ detail: string; id: number; parent: number }>();

    const inner = results.filter(({ parent }) => parent !== 0).map(({ detail }) => detail);
    expect(inner[0]).toMatch(/^SCAN search VIRTUAL TABLE INDEX/);
    expect(inner[1]).toMatch(/^SEARCH t USING INTEGER PRIMARY KEY/);
    expect(inner.join("\n")).not.toContain("TEMP B-TREE");
  });
});
