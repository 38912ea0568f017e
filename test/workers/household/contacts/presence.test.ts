import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  getCode,
  createHousehold,
  type HouseholdUnderTest,
  openAll,
  buildRequest,
  buildSummary,
} from "../support.ts";
import { COUNT_HELD_SQL } from "../../../../src/household/threads/thread-catalog.ts";

const NOON = Date.parse("2031-06-02T12:00:00Z");
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.setSystemTime(NOON);
});
afterEach(() => {
  vi.useRealTimers();
});

async function createHome(ann: object = {}): Promise<HouseholdUnderTest> {
  const home = await createHousehold("Europe/Rome");
  await home.rpc.settings.configure({
    executors: { ann: { capabilities: ["look"], ...ann }, ben: { capabilities: ["look"] } },
  });
  return home;
}

/** The first candidate of a route. */
const readFirstCandidates = async ({ rpc }: HouseholdUnderTest): Promise<string[]> => {
  const { candidates } = await rpc.threads.previewRoute({ intent: "look", requires: ["look"] });
  return candidates.filter(({ rung }) => rung === 1).map(({ id }) => id);
};

describe("a member that is away", () => {
  it("a member who is away is a candidate only if no one else is available, until they return", async () => {
    const home = await createHome();
    expect(await readFirstCandidates(home)).toEqual(["ann", "ben"]);

    expect(await home.rpc.contacts.setPresence("ann", "away", "2h")).toEqual({
      ok: true,
      value: { actor: "ann", state: "away", until: "2031-06-02T16:00:00+02:00" },
    });

    expect(await readFirstCandidates(home)).toEqual(["ben"]);
    await evictDurableObject(env.HOUSEHOLDS.getByName(home.id));
    expect(await home.rpc.contacts.listPresence()).toMatchObject([{ actor: "ann", state: "away" }]);
    vi.setSystemTime(NOON + 2 * HOUR_MS);
    expect(await readFirstCandidates(home)).toEqual(["ann", "ben"]);
    expect(await home.rpc.contacts.listPresence()).toEqual([]);
  });

  it("a member who is away may repeat that, or report that they are here", async () => {
    const home = await createHome();
    await home.rpc.contacts.setPresence("ann", "away");
    expect(await home.rpc.contacts.listPresence()).toEqual([{ actor: "ann", state: "away" }]);
    await home.rpc.contacts.setPresence("ann", "here");
    expect(await home.rpc.contacts.listPresence()).toEqual([{ actor: "ann", state: "here" }]);
    expect(await readFirstCandidates(home)).toEqual(["ann", "ben"]);
  });

  it("a presence ends at a future time, in the household's zone by default", async () => {
    const home = await createHome();
    const set = (until: string) => home.rpc.contacts.setPresence("ann", "away", until);
    expect(await set("2031-06-02T18:00")).toMatchObject({
      value: { until: "2031-06-02T18:00:00+02:00" },
    });
    for (const bad of ["2031-06-02T12:00", "soon", ""]) {
      expect(getCode(await set(bad))).toBe("bad_time");
    }
    expect(getCode(await home.rpc.contacts.setPresence("nobody", "away"))).toBe("unknown_executor");
  });
});

describe("a member with a capacity", () => {
  it("a member at their capacity is a candidate only if no one else is available", async () => {
    const home = await createHome({ capacity: 1 });
    const [one] = await openAll(home, [buildRequest()]);
    const recordHolder = (status: "claimed" | "completed", seq: number) =>
      home.rpc.threads.recordSummary(
        buildSummary(home, one!.ref, { status, seq, executor: "ann" }),
      );
    expect(await readFirstCandidates(home)).toEqual(["ann", "ben"]);
    await recordHolder("claimed", 1);
    expect(await readFirstCandidates(home)).toEqual(["ben"]);
    await recordHolder("completed", 2);
    expect(await readFirstCandidates(home)).toEqual(["ann", "ben"]);
  });

  it("a member's load is counted with an index", async () => {
    const { id } = await createHome();
    const plan = await runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) =>
      storage.sql
        .exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${COUNT_HELD_SQL}`)
        .toArray()
        .map(({ detail }) => detail)
        .join(),
    );
    expect(plan).toMatch(/^SEARCH threads USING INDEX threads_held \(executor>\?\)$/);
  });
});

describe("retention of events", () => {
  it("events of thirty days are kept, and the newest ten thousand of any age", async () => {
    const home = await createHome();
    const stub = env.HOUSEHOLDS.getByName(home.id);
    const add = (count: number, at: number) =>
      runInDurableObject(stub, (_object, { storage }) => {
        storage.sql.exec(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
           INSERT INTO events (at, ref, status, requestor) SELECT ?, 'r', 'pending', 'scout' FROM n`,
          count,
          at,
        );
      });
    const listSeenEvents = async () => {
      const { events } = await home.rpc.events.listEvents(
        { actor: "olga", role: "owner" },
        0,
        20_000,
      );
      return [events.length, events[0]?.cursor];
    };
    await add(5, NOON - 40 * 24 * HOUR_MS);
    await add(10, NOON - 20 * 24 * HOUR_MS);
    await add(9_995, NOON);
    await runDurableObjectAlarm(stub);
    expect(await listSeenEvents()).toEqual([10_005, 6]);

    vi.setSystemTime(NOON + 15 * 24 * HOUR_MS);
    await runDurableObjectAlarm(stub);
    expect(await listSeenEvents()).toEqual([10_000, 11]);
  });
});
