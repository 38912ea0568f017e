import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Query } from "../../../src/mess/wire/schema.ts";
import {
  createHousehold,
  type HouseholdUnderTest,
  openAll,
  buildRequest,
  buildSummary,
} from "./support.ts";

/** Noon in the household's zone. */
const NOON = Date.parse("2031-06-02T12:00:00Z");
const OLGA = { actor: "olga", role: "owner" } as const;
const SCOUT = { actor: "scout", role: "agent" } as const;
const STRANGER = { actor: "nosy", role: "agent" } as const;

beforeEach(() => {
  vi.setSystemTime(NOON);
});
afterEach(() => {
  vi.useRealTimers();
});

let home: HouseholdUnderTest;
let shelf: string;

/** Ann holds the shelf thread, which was also offered to Ben; Bot is off duty. */
beforeEach(async () => {
  home = await createHousehold();
  await home.rpc.settings.configure({
    executors: {
      ann: { capabilities: ["look", "drive"], capacity: 1 },
      ben: { capabilities: ["look"], access: ["home/garden"] },
      bot: { kind: "machine", capabilities: ["mow"], hours: "20:00-22:00" },
    },
    capabilities: [
      { id: "look", tags: ["visual"] },
      { id: "mow", tags: ["garden"] },
      { id: "paint", tags: ["visual"] },
    ],
  });
  const [one] = await openAll(home, [buildRequest({ id: "shelf" })]);
  shelf = one!.ref;
  const participants = ["ann", "ben", "scout"];
  await home.rpc.threads.recordSummary(
    buildSummary(home, shelf, { status: "claimed", executor: "ann", participants }),
  );
});

type Filter = NonNullable<Query["filter"]>;

const findMatches = async (
  type: "executors" | "capabilities",
  filter: Filter,
  viewer: typeof OLGA | typeof SCOUT | typeof STRANGER = OLGA,
) => {
  const answer = (await home.rpc.threads.answerQuery({ type, filter }, viewer)) as Record<
    string,
    { id: string }[]
  >;
  return answer[type]!.map(({ id }) => id);
};

describe("executors", () => {
  it.each<[Filter, string[]]>([
    [{}, ["ann", "ben", "bot"]],
    [{ executor: "ben" }, ["ben"]],
    [{ capability: ["Look"] }, ["ann", "ben"]],
    [{ capability: ["look", "drive"] }, ["ann"]],
    [{ capability: ["home-garden-access"] }, ["ben"]],
    [{ tags: ["visual"] }, ["ann", "ben"]],
    [{ tags: ["garden", "visual"] }, ["ann", "ben", "bot"]],
    [{ available: true }, ["ben"]],
    [{ available: false }, ["ann", "bot"]],
    [{ status: ["claimed"] }, ["ann"]],
    [{ status: ["completed"] }, []],
    [{ since: "2031-06-02T12:00:00Z" }, ["ann"]],
    [{ since: "2031-06-02T12:00:01Z" }, []],
    [{ re: ["all"], executor: "ann" }, ["ann"]],
    [{ re: ["2031-06-02-999"] }, []],
    [{ capability: ["look"], status: ["claimed"], available: true }, []],
  ])("a query for executors with %j finds %j", async (filter, ids) => {
    expect(await findMatches("executors", filter)).toEqual(ids);
  });

  it("a query for executors of a thread finds its candidates, by its ref or the sender's own id", async () => {
    expect(await findMatches("executors", { re: [shelf] })).toEqual(["ann", "ben"]);
    expect(await findMatches("executors", { re: ["shelf"] }, SCOUT)).toEqual(["ann", "ben"]);
  });

  it("a query for executors counts only threads that the caller may see", async () => {
    expect(await findMatches("executors", { status: ["claimed"] }, SCOUT)).toEqual(["ann"]);
    expect(await findMatches("executors", { status: ["claimed"] }, STRANGER)).toEqual([]);
    expect(await findMatches("executors", { re: [shelf] }, STRANGER)).toEqual([]);
  });

  it("a query for executors returns who is available now", async () => {
    await home.rpc.contacts.setPresence("ben", "away");
    const answer = await home.rpc.threads.answerQuery({ type: "executors" }, OLGA);
    expect(answer).toMatchObject({
      executors: [{ available: false }, { available: false }, { available: false }],
    });
    vi.setSystemTime(NOON + 9 * 3_600_000);
    expect(await findMatches("executors", { available: true })).toEqual(["bot"]);
  });
});

describe("capabilities", () => {
  it.each<[Filter, string[]]>([
    [{}, ["drive", "home-garden-access", "look", "mow", "paint"]],
    [{ tags: ["visual"] }, ["look", "paint"]],
    [{ capability: ["look", "mow"] }, ["look", "mow"]],
    [{ executor: "ann" }, ["drive", "look"]],
    [{ available: true }, ["home-garden-access", "look"]],
    [{ tags: ["visual"], status: ["claimed"] }, ["look"]],
  ])("a query for capabilities with %j finds %j", async (filter, ids) => {
    expect(await findMatches("capabilities", filter)).toEqual(ids);
  });
});
