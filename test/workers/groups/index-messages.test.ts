/** Writing the messages of a group to the index in D1. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { searchGroupRows } from "../../../src/partitions/group-messages.ts";
import { waitUntil } from "../support.ts";
import { buildId, createGroup, type TestGroup, unwrap } from "./support.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const listIndexed = async ({ household, id }: TestGroup, text = ""): Promise<number[]> =>
  unwrap(await searchGroupRows(env.INDEX, household, { group_id: id, text, limit: 100 })).rows.map(
    ({ seq }) => seq,
  );

it("every message is in the index a moment later, with the first ids of its members", async () => {
  const group = await createGroup();
  await group.changeMember("indy", { id: "o_indynew0", aliases: [buildId("indy")], role: "ops" });
  await group.send("boss", "indy", { content: "sort the shelves", type: "task" });
  await group.send("indy", "boss", "all shelves are sorted");

  await waitUntil(async () => expect(await listIndexed(group)).toEqual([2, 1]));

  const [row] = unwrap(
    await searchGroupRows(env.INDEX, group.household, { text: "sorted", limit: 5 }),
  ).rows;
  expect(row).toMatchObject({
    group_id: group.id,
    sender: buildId("indy"),
    sender_name: "indy",
    receiver: buildId("boss"),
    type: "message",
    excerpt: "all shelves are sorted",
  });
});

it("more messages than one batch are indexed in order", async () => {
  const group = await createGroup();
  const count = 120;
  for (let number = 1; number <= count; number++)
    await group.send("boss", "indy", `number ${number}`);

  await waitUntil(async () => {
    const found = await searchGroupRows(env.INDEX, group.household, { limit: 200 });
    expect(unwrap(found).rows.map(({ seq }) => seq)).toEqual(
      Array.from({ length: count }, (_, index) => count - index),
    );
  });
});

it("while D1 is down, messages are sent; they are indexed when it is back", async () => {
  const group = await createGroup();
  const batch = vi.spyOn(env.INDEX, "batch").mockRejectedValue(new Error("D1 is down"));

  const sent = await group.send("boss", "indy", "hello");
  await waitUntil(async () => expect(batch).toHaveBeenCalled());
  expect(sent.seq).toBe(1);
  expect(await listIndexed(group)).toEqual([]);

  batch.mockRestore();
  await waitUntil(async () => {
    await runDurableObjectAlarm(group.getObject());
    expect(await listIndexed(group)).toEqual([1]);
  });
});

it("an index that was lost is written again", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "hello");
  await waitUntil(async () => expect(await listIndexed(group)).toEqual([1]));
  await env.INDEX.prepare("DELETE FROM group_messages WHERE household = ?")
    .bind(group.household)
    .run();
  expect(await listIndexed(group, "hello")).toEqual([]);

  await group.rpc.reindex();

  await waitUntil(async () => expect(await listIndexed(group, "hello")).toEqual([1]));
});
