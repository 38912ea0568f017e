import { describe, expect, it } from "vitest";
import { eventually, expectOk, freshHousehold, type TestHousehold } from "../support.ts";

/** What a query is answered with. */
const asked = async (caller: TestHousehold["agent"], query: object) => {
  const { MESS } = await expectOk(await caller.say({ query }));
  return MESS[0].response.content[0].structured;
};

describe("a query about status", () => {
  it("takes every filter for threads that are named, too", async () => {
    const { agent, ann } = await freshHousehold();
    const open = await agent.ask("look at the shelf", { id: "shelf", requires: ["look"] });
    const taken = await agent.ask("look at the door", { requires: ["look"] });
    await ann.claim(taken);
    const re = [open, taken];
    const refs = async (filter: object): Promise<string[]> => {
      const { threads } = await asked(agent, { type: "status", filter });
      return threads.map(({ ref }: { ref: string }) => ref);
    };

    expect(await refs({ re })).toEqual(re);
    expect(await refs({ re: "shelf" })).toEqual([open]);
    expect(await refs({ re, status: "claimed" })).toEqual([taken]);
    expect(await refs({ re, executor: "ann" })).toEqual([taken]);
    expect(await refs({ re, since: "2099-01-01T00:00:00Z" })).toEqual([]);
    expect(await refs({ re, since: "2020-01-01T00:00:00Z" })).toEqual(re);
    await eventually(async () => {
      expect(await refs({ re: "all", status: ["claimed", "in-progress"] })).toEqual([taken]);
    });
  });
});

describe("a query about executors", () => {
  it("finds who can do something now", async () => {
    const { owner, agent } = await freshHousehold();
    await expectOk(await owner.say({ config: { capabilities: [{ id: "look", tags: ["eyes"] }] } }));
    const query = { type: "executors", filter: { tags: "eyes", available: "now" } };
    expect(await asked(agent, query)).toMatchObject({
      executors: [{ id: "ann", available: true }],
    });
  });
});
