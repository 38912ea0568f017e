import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ThreadSummary } from "../../../src/contracts/thread.ts";
import { upsertThread } from "../../../src/partitions/upsert.ts";
import {
  createFreshHousehold,
  indexSummaries,
  listThreadsOf,
  listRefs,
  buildSummary,
} from "./support.ts";

describe("a row of the index", () => {
  it("a row of the index contains the envelope without its history", async () => {
    const household = createFreshHousehold();
    await indexSummaries(
      buildSummary(household, "2026-03-01-001-basil", {
        client_id: "basil",
        status: "claimed",
        executor: "ana",
        priority: "elevated",
        zone: "Europe/Lisbon",
        updated: 2_000,
        expires: 9_000,
      }),
    );

    const { threads } = await listThreadsOf(household);

    expect(threads).toEqual([
      {
        ref: "2026-03-01-001-basil",
        client_id: "basil",
        requestor: "kitchen-agent",
        executor: "ana",
        status: "claimed",
        partition: "executing",
        created: 1_000,
        updated: 2_000,
        expires: 9_000,
        zone: "Europe/Lisbon",
        intent: "Water the basil",
        priority: "elevated",
      },
    ]);
  });

  it("a row of the index is not overwritten by a late summary of the same or an earlier sequence", async () => {
    const household = createFreshHousehold();
    const at = (seq: number, status: ThreadSummary["status"]) =>
      buildSummary(household, "t1", { seq, status, updated: seq });
    await indexSummaries(at(3, "in_progress"), at(2, "claimed"), at(3, "failed"));

    const { threads } = await listThreadsOf(household);

    expect(threads.map(({ status, updated }) => [status, updated])).toEqual([["in_progress", 3]]);
  });

  it("a row of the index moves between the lists as the thread does", async () => {
    const household = createFreshHousehold();
    const offered = { participants: ["kitchen-agent", "ana", "ben"] };
    await indexSummaries(buildSummary(household, "t1", offered));
    await indexSummaries(
      buildSummary(household, "t1", {
        seq: 2,
        status: "claimed",
        executor: "ana",
        updated: 2_000,
        participants: ["kitchen-agent", "ana"],
      }),
    );

    expect(listRefs(await listThreadsOf(household, { state: "received" }))).toEqual([]);
    expect(listRefs(await listThreadsOf(household, { state: "executing" }))).toEqual(["t1"]);
    expect(
      listRefs(await listThreadsOf(household, { participant: "ana", status: ["claimed"] })),
    ).toEqual(["t1"]);
    expect(
      listRefs(await listThreadsOf(household, { participant: "ana", status: ["pending"] })),
    ).toEqual([]);
    expect(listRefs(await listThreadsOf(household, { participant: "ben" }))).toEqual([]);
  });

  it("a row of the index counts requestor and holder as participants, named or not", async () => {
    const household = createFreshHousehold();
    await indexSummaries(
      buildSummary(household, "t1", { status: "claimed", executor: "ana", participants: [] }),
    );

    expect(listRefs(await listThreadsOf(household, { participant: "ana" }))).toEqual(["t1"]);
    expect(listRefs(await listThreadsOf(household, { participant: "kitchen-agent" }))).toEqual([
      "t1",
    ]);
  });

  it("a row of the index contains nothing of older states, whatever the order of the summaries", async () => {
    const actors = ["kitchen-agent", "ana", "ben", "robot"];
    const change = fc.record({
      status: fc.constantFrom("pending", "claimed", "completed" as const),
      participants: fc.subarray(actors),
      text: fc.constantFrom("basil", "mint leaves", ""),
      updated: fc.integer({ min: 1, max: 5 }),
    }) as fc.Arbitrary<Pick<ThreadSummary, "status" | "participants" | "text" | "updated">>;
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 6 }).chain((changes) =>
          fc.record({
            changes: fc.constant(changes),
            order: fc.shuffledSubarray(
              changes.map((_, at) => at),
              { minLength: changes.length },
            ),
          }),
        ),
        async ({ changes, order }) => {
          const household = createFreshHousehold();
          for (const at of order)
            await upsertThread(
              env.INDEX,
              buildSummary(household, "t1", { ...changes[at]!, seq: at + 1 }),
            );
          const newest = changes.at(-1)!;
          for (const actor of actors)
            expect(listRefs(await listThreadsOf(household, { participant: actor }))).toEqual(
              newest.participants.includes(actor) || actor === "kitchen-agent" ? ["t1"] : [],
            );
          for (const word of ["basil", "mint"])
            expect(listRefs(await listThreadsOf(household, { q: word }))).toEqual(
              newest.text.includes(word) ? ["t1"] : [],
            );
          const { results } = await env.INDEX.prepare(
            "SELECT DISTINCT status, updated FROM participants WHERE household = ?",
          )
            .bind(household)
            .all();
          expect(results).toEqual([{ status: newest.status, updated: newest.updated }]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("an upsert writes few rows: its own, one for each index and participant, and none for unchanged words", async () => {
    const household = createFreshHousehold();
    const write = async (summary: ThreadSummary): Promise<number> => {
      const written: number[] = [];
      const counting = {
        prepare: (sql: string) => ({
          bind: (...values: unknown[]) => ({
            run: async () => {
              const { meta } = await env.INDEX.prepare(sql)
                .bind(...values)
                .run();
              written.push(meta.rows_written);
            },
          }),
        }),
      };
      await upsertThread(counting as unknown as D1Database, summary);
      return written[0]!;
    };
    const first = buildSummary(household, "t1", { participants: ["kitchen-agent", "ana"] });
    await write(first);

    const moved = await write({ ...first, seq: 2, status: "claimed", updated: 2_000 });
    const late = await write({ ...first, seq: 1 });

    expect(moved).toBe(1 + 1 + 2);
    expect(late).toBe(0);
  });
});
