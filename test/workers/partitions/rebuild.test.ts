import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  dropHousehold,
  type HouseholdRecords,
  rebuildIndex,
} from "../../../src/partitions/rebuild.ts";
import { countByStatus } from "../../../src/partitions/statistics.ts";
import { upsertThread } from "../../../src/partitions/upsert.ts";
import type { ThreadSummary } from "../../../src/contracts/thread.ts";
import {
  listAllPages,
  createFreshHousehold,
  indexSummaries,
  listThreadsOf,
  listRefs,
  buildSummary,
} from "./support.ts";

/** The objects of a household: its catalog in the order of creation, and each thread with its summary. */
function createRecords(...summaries: ThreadSummary[]) {
  const threads = new Map(summaries.map((summary) => [summary.ref, summary]));
  return {
    threads,
    listRefs: (after: string | null, limit: number): Promise<string[]> => {
      const all = [...threads.keys()];
      const start = after === null ? 0 : all.indexOf(after) + 1;
      return Promise.resolve(all.slice(start, start + limit));
    },
    getSummary: (ref: string): Promise<ThreadSummary | null> =>
      Promise.resolve(threads.get(ref) ?? null),
    findUnknownRefs: (refs: string[]): Promise<string[]> =>
      Promise.resolve(refs.filter((ref) => !threads.has(ref))),
  };
}

const rebuild = (household: string, from: HouseholdRecords) =>
  rebuildIndex(env.INDEX, household, from, null, 1_000);

/** Every row of the household in every table of the index. */
async function dump(household: string): Promise<unknown[]> {
  const [threads, actors] = await env.INDEX.batch([
    env.INDEX.prepare("SELECT * FROM threads WHERE household = ? ORDER BY ref").bind(household),
    env.INDEX.prepare("SELECT * FROM participants WHERE household = ? ORDER BY actor, ref").bind(
      household,
    ),
  ]);
  const ids = new Map(
    (threads!.results as { id: number; ref: string }[]).map((t) => [t.id, t.ref]),
  );
  return [
    ...(threads!.results as { id: number }[]).map((row) => ({ ...row, id: 0 })),
    ...(actors!.results as { thread: number }[]).map(({ thread, ...row }) => ({
      ...row,
      thread: ids.get(thread),
    })),
  ];
}

const buildSummaries = (household: string, count: number): ThreadSummary[] =>
  Array.from({ length: count }, (_, at) =>
    buildSummary(household, `t-${at}`, {
      seq: 5,
      updated: at,
      status: at % 2 ? "completed" : "pending",
      participants: [`actor-${at % 3}`],
      text: `basil ${at}`,
    }),
  );

describe("a rebuild of the index", () => {
  it("a rebuild of an empty index restores the rows that the threads had written", async () => {
    const household = createFreshHousehold();
    const threads = buildSummaries(household, 60);
    await indexSummaries(...threads);
    const before = await dump(household);
    await dropHousehold(env.INDEX, household);
    expect(await dump(household)).toEqual([]);

    const { written } = await rebuild(household, createRecords(...threads));

    expect(written).toBe(60);
    expect(await dump(household)).toEqual(before);
    expect(listRefs(await listThreadsOf(household, { q: "basil 17" }))).toEqual(["t-17"]);
  });

  it("a rebuild removes rows without a thread, and repairs rows that are behind, ahead or wrong", async () => {
    const household = createFreshHousehold();
    const threads = buildSummaries(household, 30);
    const truth = createFreshHousehold();
    await indexSummaries(...threads.map((thread) => ({ ...thread, household: truth })));
    await indexSummaries(
      { ...threads[0]!, seq: 4, status: "pending", text: "behind" },
      { ...threads[1]!, seq: 5, status: "failed", intent: "Wrong", text: "wrong words" },
      { ...threads[2]!, seq: 9, status: "failed", participants: ["ghost"], text: "ahead" },
      buildSummary(household, "gone-1", { text: "basil gone" }),
      buildSummary(household, "t-7-gone"),
    );

    await rebuild(household, createRecords(...threads));

    const replaceHousehold = (rows: unknown[]) =>
      rows.map((row) => ({ ...(row as Record<string, unknown>), household: "" }));
    expect(replaceHousehold(await dump(household))).toEqual(replaceHousehold(await dump(truth)));
    for (const word of ["behind", "wrong", "ahead", "gone"])
      expect(listRefs(await listThreadsOf(household, { q: word }))).toEqual([]);
  });

  it("a rebuild runs in parts, and removes rows without a thread with the last part", async () => {
    const household = createFreshHousehold();
    const threads = buildSummaries(household, 70);
    await indexSummaries(buildSummary(household, "gone", { text: "basil gone" }));
    const parts: number[] = [];

    let next: string | undefined;
    do {
      const part = await rebuildIndex(
        env.INDEX,
        household,
        createRecords(...threads),
        next ?? null,
        35,
      );
      parts.push(part.written);
      next = part.next;
      const left = listRefs(await listThreadsOf(household, { q: "gone" }));
      expect(left).toEqual(next === undefined ? [] : ["gone"]);
    } while (next !== undefined);

    expect(parts).toEqual([35, 35]);
    expect(await countByStatus(env.INDEX, household)).toMatchObject({
      value: { pending: 35, completed: 35 },
    });
  });

  it("a rebuild removes the row of a ref whose thread was never created", async () => {
    const household = createFreshHousehold();
    const made = createRecords(...buildSummaries(household, 3));
    await indexSummaries(buildSummary(household, "t-1"));
    const summary = (ref: string) => (ref === "t-1" ? Promise.resolve(null) : made.getSummary(ref));

    const { written } = await rebuild(household, { ...made, getSummary: summary });

    expect(written).toBe(2);
    expect(await listAllPages(household, { limit: 50 })).toEqual(["t-2", "t-0"]);
  });

  it("a rebuild keeps threads that are changed or created while it runs", async () => {
    const household = createFreshHousehold();
    const made = createRecords(...buildSummaries(household, 40));
    await indexSummaries(...made.threads.values());
    const summary = async (ref: string) => {
      const before = await made.getSummary(ref);
      if (ref === "t-3")
        await upsertThread(env.INDEX, { ...before!, seq: 6, status: "failed", updated: 900 });
      if (ref === "t-39") {
        const fresh = buildSummary(household, "new", { updated: 901 });
        made.threads.set(fresh.ref, fresh);
        await upsertThread(env.INDEX, fresh);
      }
      return before;
    };

    await rebuild(household, { ...made, getSummary: summary });

    const { threads } = await listThreadsOf(household, { limit: 2 });
    expect(threads.map(({ ref, status }) => [ref, status])).toEqual([
      ["new", "pending"],
      ["t-3", "failed"],
    ]);
  });

  it("a rebuild leaves other households unchanged", async () => {
    const [ours, theirs] = [createFreshHousehold(), createFreshHousehold()];
    await indexSummaries(...buildSummaries(theirs, 3));
    const before = await dump(theirs);

    await rebuild(ours, createRecords(...buildSummaries(ours, 3)));
    await dropHousehold(env.INDEX, ours);

    expect(await dump(theirs)).toEqual(before);
    expect(listRefs(await listThreadsOf(theirs, { q: "basil" }))).toHaveLength(3);
  });

  it("a rebuild deletes a household with more rows than one statement deletes", async () => {
    const household = createFreshHousehold();
    await env.INDEX.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2001)
       INSERT INTO threads (household, ref, seq, status, partition, requestor, participants, intent, priority, zone,
         created, updated, words)
       SELECT ?, 'g-' || i, 1, 'pending', 'received', 'a', '["a"]', 'x', 'normal', 'UTC', 1, 1, 'basil' FROM n`,
    )
      .bind(household)
      .run();

    await dropHousehold(env.INDEX, household);

    expect(await dump(household)).toEqual([]);
  });
});

describe("statistics of a household", () => {
  it("statistics count the household's threads by status", async () => {
    const household = createFreshHousehold();
    await indexSummaries(
      ...buildSummaries(household, 5),
      buildSummary(household, "f", { status: "failed" }),
      buildSummary(createFreshHousehold(), "other"),
    );

    expect(await countByStatus(env.INDEX, household)).toEqual({
      ok: true,
      value: { pending: 3, completed: 2, failed: 1 },
    });
  });
});
