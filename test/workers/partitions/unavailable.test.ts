import { afterEach, describe, expect, it, vi } from "vitest";
import { queryThreads } from "../../../src/partitions/list.ts";
import { countByStatus } from "../../../src/partitions/statistics.ts";
import { upsertThread } from "../../../src/partitions/upsert.ts";
import { buildSummary } from "./support.ts";

/** A D1 that returns the same promise for every call. */
function connectAnswering(answer: () => Promise<never>): D1Database {
  const statement = { bind: () => statement, all: answer, run: answer };
  return { prepare: () => statement, batch: answer } as unknown as D1Database;
}

const failing = connectAnswering(() =>
  Promise.reject(new Error("D1_ERROR: no such table: threads")),
);
const stalled = connectAnswering(() => new Promise<never>(() => undefined));

describe("an index that is down", () => {
  afterEach(() => vi.useRealTimers());

  it("an index that is down makes a list a refusal without details of the store", async () => {
    const outcome = await queryThreads(failing, "oak", { limit: 5 });

    expect(outcome).toMatchObject({
      ok: false,
      // Threads can still be read one by one.
      error: { code: "index_unavailable", hint: expect.stringMatching(/\bref\b/) },
    });
    expect(JSON.stringify(outcome)).not.toContain("D1");
    expect(await countByStatus(failing, "oak")).toMatchObject({
      error: { code: "index_unavailable" },
    });
  });

  it("an index that hangs delays a reader for at most five seconds", async () => {
    vi.useFakeTimers();
    const outcome = queryThreads(stalled, "oak", { limit: 5 });
    let settled = false;
    void outcome.then(() => (settled = true));

    await vi.advanceTimersByTimeAsync(4_900);
    expect(settled).toBe(false);
    await vi.advanceTimersByTimeAsync(200);

    expect(await outcome).toMatchObject({ ok: false, error: { code: "index_unavailable" } });
  });

  it("an index that is down makes an upsert fail, so that the thread tries again", async () => {
    await expect(upsertThread(failing, buildSummary("oak", "t1"))).rejects.toThrow("D1_ERROR");
  });
});
