/** The index of the messages of sources. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  dropSourceRows,
  type IndexedSourceMessage,
  searchSourceRows,
  type SourceMessageFilter,
  writeSourceRows,
} from "../../../src/partitions/source-messages.ts";
import { getCode, unwrap } from "../outcomes.ts";
import { createFreshHousehold } from "./support.ts";

const build = (seq: number, change: Partial<IndexedSourceMessage> = {}): IndexedSourceMessage => ({
  seq,
  id: `m_${seq}`,
  sender: "ann@elsewhere.test",
  sender_name: null,
  subject: null,
  status: "new",
  tier: null,
  at: 1_000_000 + seq,
  excerpt: "an excerpt",
  body: `Water the basil ${seq}`,
  ...change,
});

const write = (household: string, source: string, ...messages: IndexedSourceMessage[]) =>
  writeSourceRows(env.INDEX, { household, source }, messages, []);

const find = async (household: string, filter: Partial<SourceMessageFilter> = {}) =>
  unwrap(
    await searchSourceRows(env.INDEX, household, {
      sources: ["mail", "ma-il", "alerts"],
      limit: 50,
      ...filter,
    }),
  );
const findIds = async (household: string, filter: Partial<SourceMessageFilter> = {}) =>
  (await find(household, filter)).rows.map(({ message }) => message);

describe("a search of the messages of sources", () => {
  it.each<[string, Partial<SourceMessageFilter>, string[]]>([
    ["nothing", {}, ["m_4", "m_3", "m_2", "m_1"]],
    ["words in any order", { text: "basil water" }, ["m_3", "m_1"]],
    ["the beginning of the last word", { text: "prun" }, ["m_2"]],
    ["a word of the subject", { text: "invoice" }, ["m_2"]],
    ["a part of the sender's name", { text: "Berta" }, ["m_2"]],
    ["no word at all", { text: "!?" }, []],
    ["the sender in other case", { sender: "Bob@Elsewhere.test" }, ["m_2"]],
    ["a part of the sender's address", { sender: "elsewhere.test" }, []],
    ["the tier", { tier: "NOTIFY" }, ["m_2"]],
    ["a word that is the name of a tier", { text: "notify" }, []],
    ["the status", { status: "archived" }, ["m_4"]],
    ["one source", { sources: ["ma-il"] }, ["m_3"]],
    ["a source with a similar name", { sources: ["mai-l"] }, []],
    ["no source", { sources: [] }, []],
    ["the time", { from: 1_000_002, to: 1_000_004 }, ["m_3", "m_2"]],
    ["a word in one source", { text: "basil", sources: ["mail"] }, ["m_1"]],
  ])("by %s finds the matching messages, newest first", async (_name, filter, expected) => {
    const household = createFreshHousehold();
    await write(
      household,
      "mail",
      build(1),
      build(2, {
        sender: "bob@elsewhere.test",
        sender_name: "Bob Berta",
        subject: "Your invoice",
        body: "Pruned the mint",
        tier: "NOTIFY",
      }),
    );
    await write(household, "ma-il", build(3));
    await write(household, "alerts", build(4, { status: "archived", body: "Boil" }));
    await write(createFreshHousehold(), "mail", build(5));

    expect(await findIds(household, filter)).toEqual(expected);
  });

  it("pages are complete and in order, also for messages of one millisecond", async () => {
    const household = createFreshHousehold();
    const messages = Array.from({ length: 25 }, (_, index) => build(index + 1, { at: 7_000 }));
    await write(household, "mail", ...messages);

    const found: string[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const page = await find(household, { limit: 10, ...(cursor ? { cursor } : {}) });
      found.push(...page.rows.map(({ message }) => message));
      cursor = page.next_cursor;
    }

    expect(found).toEqual(messages.map(({ id }) => id).toReversed());
    const bad = { sources: ["mail"], limit: 1, cursor: "1 OR 1" };
    expect(getCode(await searchSourceRows(env.INDEX, household, bad))).toBe("bad_parameter");
  });
});

describe("changes of the index of sources", () => {
  it("a written message replaces what the index had of it", async () => {
    const household = createFreshHousehold();
    await write(household, "mail", build(1));

    await write(household, "mail", build(1, { tier: "DEFER", body: "Pruned the mint" }));

    expect(await findIds(household, { tier: "DEFER", text: "mint" })).toEqual(["m_1"]);
    expect(await findIds(household, { text: "basil" })).toEqual([]);
    expect((await find(household)).rows[0]).toMatchObject({ tier: "DEFER", at: 1_000_001 });
  });

  it("deleting rows leaves those of other sources, households and earlier positions", async () => {
    const [household, other] = [createFreshHousehold(), createFreshHousehold()];
    await write(household, "mail", build(1), build(2), build(3));
    await write(household, "alerts", build(4));
    await write(other, "mail", build(5));

    await writeSourceRows(env.INDEX, { household, source: "mail" }, [], [3]);
    expect(await findIds(household)).toEqual(["m_4", "m_2", "m_1"]);
    await dropSourceRows(env.INDEX, { household, source: "mail" }, 1);
    expect(await findIds(household)).toEqual(["m_4", "m_1"]);
    await dropSourceRows(env.INDEX, { household, source: "mail" });

    expect(await findIds(household, { text: "basil" })).toEqual(["m_4"]);
    expect(await findIds(other)).toEqual(["m_5"]);
  });
});
