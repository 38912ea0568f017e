import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { env } from "cloudflare:workers";
import { PARTITIONS, getPartition, STATUSES } from "../../../src/mess/status.ts";
import { type ListFilter, queryThreads } from "../../../src/partitions/list.ts";
import type { ThreadSummary } from "../../../src/contracts/thread.ts";
import {
  listAllPages,
  createFreshHousehold,
  indexSummaries,
  listThreadsOf,
  listRefs,
  buildSummary,
} from "./support.ts";

const ACTORS = ["kitchen-agent", "ana", "ben", "robot"];

const anySummary = fc.record({
  status: fc.constantFrom(...STATUSES),
  requestor: fc.constantFrom(...ACTORS),
  executor: fc.option(fc.constantFrom(...ACTORS)),
  participants: fc.subarray(ACTORS),
  // Few different times, so that many threads share one and the ref decides about the order.
  updated: fc.integer({ min: 1, max: 4 }),
  text: fc.subarray(["basil", "mint", "minted", "thyme"]).map((words) => words.join(" ")),
});

const conditions = {
  participant: fc.constantFrom(...ACTORS),
  state: fc.constantFrom(...PARTITIONS),
  status: fc.subarray([...STATUSES], { minLength: 1 }),
  executor: fc.constantFrom(...ACTORS),
  requestor: fc.constantFrom(...ACTORS),
  since: fc.integer({ min: 0, max: 5 }),
  q: fc.constantFrom("basil", "MINT", "mi", "thyme basil", "parsley"),
};

type Conditions = Omit<ListFilter, "cursor" | "limit">;

/** At most three conditions, since with more of them nearly every list is empty. */
const anyConditions = fc
  .subarray(Object.keys(conditions) as (keyof typeof conditions)[], { maxLength: 3 })
  .chain((keys) =>
    fc.record(
      Object.fromEntries(keys.map((key) => [key, conditions[key] as fc.Arbitrary<unknown>])),
    ),
  ) as fc.Arbitrary<Conditions>;

/** The expected content of the list, computed without SQL. */
function listModelRefs(summaries: readonly ThreadSummary[], filter: Conditions): string[] {
  const { participant, state, status, executor, requestor, since, q } = filter;
  const sought = (q ?? "").toLowerCase().split(" ").filter(Boolean);
  const last = sought.at(-1);
  return summaries
    .filter((thread) => {
      const actors = [...thread.participants, thread.requestor, thread.executor];
      const words = thread.text.split(" ");
      return (
        (participant === undefined || actors.includes(participant)) &&
        (state === undefined || getPartition(thread.status) === state) &&
        (status === undefined || status.includes(thread.status)) &&
        (executor === undefined || thread.executor === executor) &&
        (requestor === undefined || thread.requestor === requestor) &&
        (since === undefined || thread.updated >= since) &&
        sought.slice(0, -1).every((word) => words.includes(word)) &&
        (last === undefined || words.some((word) => word.startsWith(last)))
      );
    })
    .toSorted((a, b) => b.updated - a.updated || (a.ref < b.ref ? 1 : -1))
    .map(({ ref }) => ref);
}

describe("a list of threads", () => {
  it("a list of threads contains, page by page, exactly the threads that match the filter, newest first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anySummary, { minLength: 25, maxLength: 30 }),
        fc.array(anyConditions, { minLength: 20, maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        async (drawn, filters, limit) => {
          const household = createFreshHousehold();
          const summaries = drawn.map((one, at) => buildSummary(household, `t-${at}`, one));
          await Promise.all(summaries.map((summary) => indexSummaries(summary)));
          for (const filter of [{}, ...filters])
            expect(
              await listAllPages(household, { ...filter, limit }),
              JSON.stringify(filter),
            ).toEqual(listModelRefs(summaries, filter));
        },
      ),
      { numRuns: 4, endOnFailure: true },
    );
  }, 30_000);

  it.each<[string, Partial<ListFilter>, string[]]>([
    ["nothing", {}, ["t4", "t3", "t2", "t1"]],
    ["a state", { state: "executing" }, ["t3", "t2"]],
    ["a status", { status: ["needs_input"] }, ["t3"]],
    ["several statuses", { status: ["completed", "pending"] }, ["t4", "t1"]],
    ["a status outside the state", { state: "received", status: ["completed"] }, []],
    ["the holder", { executor: "ana" }, ["t4", "t2"]],
    ["the requestor", { requestor: "garden-agent" }, ["t3"]],
    ["a participant", { participant: "ben" }, ["t3", "t1"]],
    ["holder and requestor", { executor: "ana", requestor: "kitchen-agent" }, ["t4", "t2"]],
    [
      "a participant who is the requestor",
      { participant: "ana", requestor: "kitchen-agent" },
      ["t4", "t2"],
    ],
    ["a participant and another holder", { participant: "ben", executor: "ana" }, []],
    [
      "a participant and another requestor",
      { participant: "ben", requestor: "garden-agent" },
      ["t3"],
    ],
    ["a time", { since: 3_000 }, ["t4", "t3"]],
    ["a word", { q: "tomatoes" }, ["t3"]],
    ["only blanks", { q: "  " }, ["t4", "t3", "t2", "t1"]],
  ])("a list of threads filters by %s", async (_name, filter, refs) => {
    const household = createFreshHousehold();
    const claimed = { executor: "ana", participants: ["ana"] };
    await indexSummaries(
      buildSummary(household, "t1", { updated: 1_000, participants: ["ben"] }),
      buildSummary(household, "t2", {
        ...claimed,
        status: "claimed",
        updated: 2_000,
      }),
      buildSummary(household, "t3", {
        requestor: "garden-agent",
        executor: "ben",
        status: "needs_input",
        updated: 3_000,
        text: "Pick the tomatoes",
      }),
      buildSummary(household, "t4", {
        ...claimed,
        status: "completed",
        updated: 4_000,
      }),
    );

    expect(listRefs(await listThreadsOf(household, filter))).toEqual(refs);
  });

  it("a list of threads has no cursor on its last page, even a full one", async () => {
    const household = createFreshHousehold();
    await indexSummaries(buildSummary(household, "t1"), buildSummary(household, "t2"));

    const all = await listThreadsOf(household, { limit: 2 });
    const first = await listThreadsOf(household, { limit: 1 });

    expect(all.next_cursor).toBeUndefined();
    expect(listRefs(first)).toEqual(["t2"]);
    expect(first.next_cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it("a list of threads never contains threads of another household", async () => {
    const [ours, theirs] = [createFreshHousehold(), createFreshHousehold()];
    await indexSummaries(
      buildSummary(ours, "t1", { participants: ["ana"] }),
      buildSummary(theirs, "t2", { participants: ["ana"], status: "claimed", executor: "ana" }),
    );
    const filters: Partial<ListFilter>[] = [
      {},
      { participant: "ana" },
      { executor: "ana" },
      { requestor: "kitchen-agent" },
      { status: ["claimed", "pending"] },
      { state: "executing" },
      { since: 0 },
      { q: "basil" },
      { q: "ba", participant: "ana" },
    ];

    const seen = await Promise.all(
      filters.map(async (one) => listRefs(await listThreadsOf(ours, one))),
    );

    expect(seen.flat()).not.toContain("t2");
    expect(seen.filter((refs) => refs.length > 0)).toHaveLength(7);
  });

  it.each([
    ["invalid base64", "%%%"],
    ["invalid JSON", "aGVsbG8"],
    ["of another type", btoa('{"updated":1}')],
    ["an invalid ref", btoa('[1,"a b"]').replaceAll("=", "")],
    ["an invalid time", btoa('["1","t1"]').replaceAll("=", "")],
    ["a fraction", btoa('[1.5,"t1"]').replaceAll("=", "")],
    ["too long", "A".repeat(2_000)],
    ["empty", ""],
  ])("a list of threads refuses a cursor that is %s", async (_name, cursor) => {
    const outcome = await queryThreads(env.INDEX, createFreshHousehold(), { limit: 5, cursor });

    expect(outcome).toMatchObject({ ok: false, error: { code: "bad_parameter", path: "cursor" } });
  });

  it.each([0, -1, 201, 1.5, Number.NaN])(
    "a list of threads refuses a page of %d",
    async (limit) => {
      const outcome = await queryThreads(env.INDEX, createFreshHousehold(), { limit });

      expect(outcome).toMatchObject({ ok: false, error: { code: "bad_parameter", path: "limit" } });
    },
  );
});
