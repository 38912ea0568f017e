import { afterEach, describe, expect, it, vi } from "vitest";
import {
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  readRefusal,
  type TestHousehold,
} from "../../support.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** The response to a query. */
const postQuery = async (caller: TestHousehold["agent"], query: object) => {
  const { MESS } = await expectOkJson(await caller.postBlocks({ query }));
  return MESS[0].response.content[0].structured;
};

describe("a query for status", () => {
  it("a query for status applies every filter, also to named threads", async () => {
    const { agent, ann } = await createFreshHousehold();
    const open = await agent.createThread("look at the shelf", { id: "shelf", requires: ["look"] });
    const taken = await agent.createThread("look at the door", { requires: ["look"] });
    await ann.claim(taken);
    const re = [open, taken];
    const refs = async (filter: object): Promise<string[]> => {
      const { threads } = await postQuery(agent, { type: "status", filter });
      return threads.map(({ ref }: { ref: string }) => ref);
    };

    expect(await refs({ re })).toEqual(re);
    expect(await refs({ re: "shelf" })).toEqual([open]);
    expect(await refs({ re, status: "claimed" })).toEqual([taken]);
    expect(await refs({ re, executor: "ann" })).toEqual([taken]);
    expect(await refs({ re, since: "2099-01-01T00:00:00Z" })).toEqual([]);
    expect(await refs({ re, since: "2020-01-01T00:00:00Z" })).toEqual(re);
    await waitUntil(async () => {
      expect(await refs({ re: "all", status: ["claimed", "in-progress"] })).toEqual([taken]);
    });
  });

  it("a query for status finds threads by their holder's capabilities and availability", async () => {
    const { owner, agent, ann, robo } = await createFreshHousehold();
    await expectOkJson(
      await owner.postBlocks({
        config: {
          executor: { id: "ann", capabilities: ["look"], capacity: 1 },
          capabilities: [
            { id: "look", tags: ["eyes"] },
            { id: "vacuum-floor", tags: ["floor"] },
          ],
        },
      }),
    );
    const shelf = await agent.createThread("look at the shelf", { requires: ["look"] });
    const floor = await agent.createThread("vacuum the floor", { requires: ["vacuum-floor"] });
    const offered = await agent.createThread("vacuum the stairs", { requires: ["vacuum-floor"] });
    await ann.claim(shelf);
    await robo.claim(floor);
    const refs = async (filter: object): Promise<string[]> => {
      const { threads } = await postQuery(agent, { type: "status", filter });
      return threads.map(({ ref }: { ref: string }) => ref).toSorted();
    };
    const FILTERS: [object, string[]][] = [
      [{ capability: "Look" }, [shelf]],
      [{ capability: ["look", "vacuum-floor"] }, []],
      [{ tags: ["floor"] }, [floor]],
      [{ tags: ["eyes", "floor"] }, [shelf, floor]],
      [{ available: "now" }, [floor]],
      [{ available: false }, [shelf]],
      [{ available: false, tags: "floor" }, []],
      [{ executor: "robo", tags: "eyes" }, []],
      [{ tags: "floor", status: "claimed", since: "2020-01-01T00:00:00Z" }, [floor]],
    ];

    // Lists come from the index, named threads from their objects.
    await waitUntil(async () => expect(await refs({ status: "claimed" })).toHaveLength(2));
    for (const [filter, found] of FILTERS) {
      const re = [shelf, floor, offered];
      expect(await refs({ ...filter, re }), JSON.stringify(filter)).toEqual(found);
      expect(await refs(filter), JSON.stringify(filter)).toEqual(found);
    }
  });

  it("a query for status reads a time without an offset in the household's zone", async () => {
    vi.setSystemTime(Date.parse("2031-06-02T12:00:00Z"));
    const { agent } = await createFreshHousehold({ time_zone: "Asia/Tokyo" });
    const ref = await agent.createThread("look at the shelf", { requires: ["look"] });
    const count = async (since: string, re: object): Promise<number> =>
      (await postQuery(agent, { type: "status", filter: { since, ...re } })).threads.length;

    // It is 21:00 in that zone.
    await waitUntil(async () => expect(await count("2031-06-02T12:00:00Z", {})).toBe(1));
    for (const re of [{}, { re: ref }]) {
      expect(await count("2031-06-02T21:00:00", re)).toBe(1);
      expect(await count("2031-06-02T21:00:01", re)).toBe(0);
    }
  });

  it("a query for status continues after the last page", async () => {
    const { agent } = await createFreshHousehold();
    const batch = Array.from({ length: 26 }, (_, at) => ({ request: { intent: `look ${at}` } }));
    await expectOkJson(await agent.postBlocks(...batch));
    await expectOkJson(await agent.postBlocks(...batch));
    const query = (filter: object) => postQuery(agent, { type: "status", filter });
    const first = await waitUntil(async () => {
      const page = await query({ status: "pending" });
      expect(page.next_cursor).toBeDefined();
      return page;
    });

    const second = await query({ status: "pending", cursor: first.next_cursor });

    expect([first.threads.length, second.threads.length]).toEqual([50, 2]);
    expect(
      await readRefusal(
        await agent.postBlocks({ query: { type: "status", filter: { cursor: "x" } } }),
      ),
    ).toBe("400 bad_parameter");
  });
});

describe("a query for executors", () => {
  it("a query for executors finds members that are capable and available", async () => {
    const { owner, agent } = await createFreshHousehold();
    await expectOkJson(
      await owner.postBlocks({ config: { capabilities: [{ id: "look", tags: ["eyes"] }] } }),
    );
    const query = { type: "executors", filter: { tags: "eyes", available: "now" } };
    expect(await postQuery(agent, query)).toMatchObject({
      executors: [{ id: "ann", available: true }],
    });
  });
});
