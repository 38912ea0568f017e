import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  deleteGroupRows,
  type GroupMessageFilter,
  type IndexedGroupMessage,
  indexGroupMessages,
  searchGroupRows,
} from "../../../src/partitions/group-messages.ts";
import { createFreshHousehold, watchDatabase } from "./support.ts";

const buildMessage = (
  household: string,
  seq: number,
  changed: Partial<IndexedGroupMessage> = {},
): IndexedGroupMessage => ({
  household,
  group_id: "g_garden00",
  seq,
  id: `msg_${seq}`,
  from: "o_lead0000",
  from_name: "lead",
  to: "a_one00000",
  type: "message",
  at: 1_000_000 + seq,
  content: `Water the basil ${seq}`,
  ...changed,
});

async function find(
  household: string,
  filter: Partial<GroupMessageFilter> = {},
  db: D1Database = env.INDEX,
) {
  const found = await searchGroupRows(db, household, { limit: 50, ...filter });
  if (!found.ok) throw new Error(found.error.code);
  return {
    seqs: found.value.rows.map(({ seq }) => seq),
    next: found.value.next_cursor,
    rows: found.value.rows,
  };
}

describe("the index of the messages of AI groups", () => {
  it.each<[string, Partial<GroupMessageFilter>, number[]]>([
    ["nothing", {}, [4, 3, 2, 1]],
    ["words in any order", { text: "basil water" }, [2, 1]],
    ["the beginning of the last word", { text: "prun" }, [3]],
    ["a word that is missing", { text: "parsley" }, []],
    ["no word at all", { text: "!?" }, []],
    ["the type", { type: "report" }, [3]],
    ["a word that is the name of a type", { text: "report" }, []],
    ["the group", { group_id: "g_kitchen0" }, [4]],
    ["a member that sent or received it", { member: "a_two00000" }, [3, 2]],
    ["the time", { from: 1_000_002, to: 1_000_004 }, [3, 2]],
    ["a word and a member", { text: "basil", member: "a_two00000" }, [2]],
    ["channels of one member", { visibleTo: ["a_two00000"] }, [3, 2]],
    ["channels of two members", { visibleTo: ["a_two00000", "a_one00000"] }, [3, 2, 1]],
    ["channels of nobody", { visibleTo: [] }, []],
    ["a word in the channels of one member", { visibleTo: ["a_one00000"], text: "basil" }, [1]],
  ])(
    "a search by %s finds the matching messages, newest first",
    async (_name, filter, expected) => {
      const household = createFreshHousehold();
      await indexGroupMessages(env.INDEX, [
        buildMessage(household, 1),
        buildMessage(household, 2, { to: "a_two00000" }),
        buildMessage(household, 3, {
          from: "a_two00000",
          to: "o_lead0000",
          type: "report",
          content: "Pruned the mint",
        }),
        buildMessage(household, 4, {
          group_id: "g_kitchen0",
          from: "o_cook0000",
          to: "a_dish0000",
          content: "Boil the rice",
        }),
      ]);
      await indexGroupMessages(env.INDEX, [buildMessage(createFreshHousehold(), 1)]);

      const found = await find(household, filter);

      expect(found.seqs).toEqual(expected);
    },
  );

  it("messages that are indexed again, late or in the same millisecond are found once, in order of time", async () => {
    const household = createFreshHousehold();
    const at = 5_000_000;
    const messages = [1, 2, 3].map((seq) => buildMessage(household, seq, { at }));
    await indexGroupMessages(env.INDEX, messages.slice(1));
    await indexGroupMessages(env.INDEX, messages);
    await indexGroupMessages(env.INDEX, [buildMessage(household, 9, { at: at - 1 })]);

    const { rows } = await find(household);

    expect(rows.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 9]);
    expect(rows.at(-1)?.seq).toBe(9);
    expect(rows.map((row) => row.at)).toEqual([at, at, at, at - 1]);
  });

  it("pages have every message once", async () => {
    const household = createFreshHousehold();
    const messages = Array.from({ length: 7 }, (_, index) => buildMessage(household, index + 1));
    await indexGroupMessages(env.INDEX, messages);

    const seqs: number[] = [];
    for (let cursor: string | undefined = undefined, page = 0; page < 4; page++) {
      const found = await find(household, {
        limit: 3,
        text: "basil",
        ...(cursor === undefined ? {} : { cursor }),
      });
      seqs.push(...found.seqs);
      cursor = found.next;
      if (cursor === undefined) break;
    }

    expect(seqs).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it("a search refuses a cursor that is none", async () => {
    const refused = await searchGroupRows(env.INDEX, createFreshHousehold(), {
      limit: 1,
      cursor: "1; DROP TABLE group_messages",
    });

    expect(refused).toMatchObject({ ok: false, error: { code: "bad_parameter", path: "cursor" } });
  });

  it.each(['"', "basil OR mint", "NOT basil", "words:basil", "*", "(basil", "\0", "\u{d800}"])(
    "a search treats %j as words, and stays in its household and channels",
    async (text) => {
      const [ours, theirs] = [createFreshHousehold(), createFreshHousehold()];
      await indexGroupMessages(env.INDEX, [
        buildMessage(ours, 1, { to: "a_two00000", content: "mint or not words basil" }),
        buildMessage(theirs, 2, { content: "mint or not words basil" }),
      ]);

      const found = await find(ours, { text, visibleTo: ["a_one00000"] });

      expect(found.seqs).toEqual([]);
    },
  );

  it("a page costs the same in a household with a hundred times as many messages", async () => {
    const household = createFreshHousehold();
    const index = (from: number, to: number) =>
      indexGroupMessages(
        env.INDEX,
        Array.from({ length: to - from }, (_, i) => buildMessage(household, from + i)),
      );
    const readRows = async () => {
      const { db, asked } = watchDatabase();
      await find(household, { limit: 5, text: "basil" }, db);
      return asked.reduce((sum, { meta }) => sum + meta!.rows_read, 0);
    };
    await index(1, 11);
    const few = await readRows();
    await index(11, 1_001);

    expect(await readRows()).toBeLessThanOrEqual(few + 5);
  });

  it("messages are deleted by their positions, and no longer found", async () => {
    const household = createFreshHousehold();
    await indexGroupMessages(
      env.INDEX,
      [1, 2, 3].map((seq) => buildMessage(household, seq)),
    );

    await deleteGroupRows(env.INDEX, household, "g_garden00", [1, 2]);

    expect((await find(household, { text: "basil" })).seqs).toEqual([3]);
  });

  it("while D1 fails, a search is refused with index_unavailable", async () => {
    const db = {
      prepare: () => ({ bind: () => ({ all: () => Promise.reject(new Error("down")) }) }),
    } as unknown as D1Database;

    const refused = await searchGroupRows(db, "oak", { limit: 1 });

    expect(refused).toMatchObject({ ok: false, error: { code: "index_unavailable" } });
  });
});
