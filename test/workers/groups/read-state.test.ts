import { expect, it } from "vitest";
import {
  buildId,
  createGroup,
  getCode,
  getContents,
  type TestGroup,
  buildNoticeId,
} from "./support.ts";

const BOSS = buildId("boss");

/** A group in which indy got messages 1 to 4 from boss, with one of the deputy between them. */
async function createGroupWithUnread(): Promise<{ group: TestGroup; ids: string[] }> {
  const group = await createGroup();
  const ids: string[] = [];
  for (const [from, content] of [
    ["boss", "1"],
    ["boss", "2"],
    ["deputy", "other"],
    ["boss", "3"],
    ["boss", "4"],
  ] as const)
    ids.push((await group.send(from, "indy", content)).id);
  return { group, ids };
}

it("unread messages are read once, the oldest first, and a peek leaves them unread", async () => {
  const { group } = await createGroupWithUnread();
  const query = { other: BOSS, unread_only: true, limit: 3 };

  const peeked = await group.read("indy", { ...query, peek: true });
  const first = await group.read("indy", query);
  const second = await group.read("indy", query);
  const third = await group.read("indy", query);

  expect([peeked, first, second, third].map(getContents)).toEqual([
    ["1", "2", "3"],
    ["1", "2", "3"],
    ["4"],
    [],
  ]);
  expect([peeked, first, second].map(({ more }) => more)).toEqual([true, true, false]);
  expect([peeked, first, second].map(({ total_pending }) => total_pending)).toEqual([5, 2, 1]);
});

it("without the other member, unread messages of all channels are read in their order", async () => {
  const { group } = await createGroupWithUnread();

  const page = await group.read("indy", { unread_only: true });

  expect(getContents(page)).toEqual(["1", "2", "other", "3", "4"]);
  expect(page.total_pending).toBe(0);
});

it("the history has the newest message first, with those of both sides, and continues before a position", async () => {
  const { group } = await createGroupWithUnread();
  await group.send("indy", "boss", "answer");

  const newest = await group.read("indy", { other: BOSS, limit: 2 });
  const before = newest.messages.at(-1)!.seq;
  const older = await group.read("indy", { other: BOSS, limit: 2, before });
  const all = await group.read("indy", { limit: 50 });

  expect(getContents(newest)).toEqual(["answer", "4"]);
  expect(getContents(older)).toEqual(["3", "2"]);
  expect([newest.more, older.more]).toEqual([true, true]);
  expect(getContents(all)).toEqual(["answer", "4", "3", "other", "2", "1"]);
  expect(all.messages.map(({ read }) => read)).toEqual([undefined, true, true, false, true, false]);
  expect((await group.pending("indy")).total_pending).toBe(0);
});

it("reading the newest messages of the history leaves the older ones unread", async () => {
  const { group } = await createGroupWithUnread();

  await group.read("indy", { other: BOSS, limit: 2 });

  const left = await group.read("indy", { unread_only: true, peek: true });
  expect(getContents(left)).toEqual(["1", "2", "other"]);
  expect((await group.pending("indy")).total_pending).toBe(3);
});

it("pending counts by sender and type, with the time of the newest unread message", async () => {
  const { group } = await createGroupWithUnread();
  const task = await group.send("boss", "indy", { type: "task", content: "a task" });

  const before = await group.pending("indy");
  await group.mark("indy", { message: task.id });
  const after = await group.pending("indy");
  const [latest] = (await group.read("indy", { other: BOSS, peek: true, before: task.seq }))
    .messages;

  expect(before.by_sender[BOSS]).toEqual({
    name: "boss",
    count: 5,
    types: { message: 4, task: 1 },
    latest: task.at,
  });
  expect(before.by_sender[buildId("deputy")]).toMatchObject({ count: 1 });
  expect(before.total_pending).toBe(6);
  expect(after.by_sender[BOSS]).toEqual({
    name: "boss",
    count: 4,
    types: { message: 4 },
    latest: latest!.at,
  });
  expect(JSON.stringify(before)).not.toContain("a task");
});

it("one message, all of a sender, or all messages are marked as read", async () => {
  const { group, ids } = await createGroupWithUnread();

  const one = await group.mark("indy", { message: ids[1]! });
  const again = await group.mark("indy", { message: ids[1]! });
  const left = await group.read("indy", { unread_only: true, peek: true });
  const bySender = await group.mark("indy", { other: BOSS });
  const all = await group.mark("indy");

  expect(getContents(left)).toEqual(["1", "other", "3", "4"]);
  expect([one, again, bySender, all]).toEqual([
    { marked: 1, total_pending: 4 },
    { marked: 0, total_pending: 4 },
    { marked: 3, total_pending: 1 },
    { marked: 1, total_pending: 0 },
  ]);
});

it("a message of another member, or an unknown sender, cannot be marked", async () => {
  const { group, ids } = await createGroupWithUnread();
  const tryMark = async (name: string, which: object) =>
    getCode(await group.rpc.markRead(group.as(name), which));

  expect(await tryMark("rocky", { message: ids[0] })).toBe("not_found");
  expect(await tryMark("boss", { message: ids[0] })).toBe("not_found");
  expect(await tryMark("indy", { message: "msg_none" })).toBe("not_found");
  expect(await tryMark("indy", { message: `${ids[0]!.slice(0, -1)}2` })).toBe("not_found");
  expect(await tryMark("indy", { other: "a_nobody000" })).toBe("unknown_member");
  expect((await group.pending("indy")).total_pending).toBe(5);
});

it("a page is bounded by its characters, and a first message that is longer is returned whole", async () => {
  const group = await createGroup();
  for (const [length, letter] of [
    [16_000, "a"],
    [9_000, "b"],
    [7_000, "c"],
    [1, "d"],
  ] as const)
    await group.send("boss", "indy", letter.repeat(length));
  const read = async () =>
    (await group.read("indy", { unread_only: true })).messages.map(({ content }) => content[0]);

  expect([await read(), await read(), await read()]).toEqual([["a"], ["b", "c"], ["d"]]);
});

it("a page has at most 50 messages", async () => {
  const group = await createGroup();
  for (let n = 1; n <= 60; n++) await group.send("boss", "indy", `${n}`);

  const unread = await group.read("indy", { unread_only: true, limit: 1_000, peek: true });
  const history = await group.read("indy", { limit: 1_000, peek: true });
  const received = await group.receive("indy", 0);

  for (const page of [unread, history, received]) {
    expect(page.messages).toHaveLength(50);
    expect(page.more).toBe(true);
  }
});

it("a message that needs acknowledgment is acknowledged by a reply, or by marking it by its id", async () => {
  const group = await createGroup();
  const first = await group.send("boss", "indy", { content: "1", needs_ack: true });
  const second = await group.send("boss", "indy", { content: "2", needs_ack: true });
  const third = await group.send("boss", "indy", { content: "3", needs_ack: true });
  const countOpen = async () => (await group.pending("indy")).needs_ack;

  expect(await countOpen()).toBe(3);
  await group.read("indy", { unread_only: true });
  expect(await countOpen()).toBe(3);
  await group.send("indy", "boss", { content: "yes", reply_to: first.id });
  expect(await countOpen()).toBe(2);
  await group.mark("indy", { message: second.id });
  expect(await countOpen()).toBe(1);
  // The sender's own reply acknowledges nothing.
  await group.send("boss", "indy", { content: "well?", reply_to: third.id });
  expect(await countOpen()).toBe(1);

  const { messages } = await group.read("boss", { other: buildId("indy") });
  const acknowledged = messages
    .filter(({ needs_ack }) => needs_ack)
    .map((message) => [message.content, message.acknowledged]);
  expect(acknowledged).toEqual([
    ["3", undefined],
    ["2", true],
    ["1", true],
  ]);
});

it("a summary of 10,000 unread messages and marking all read a fixed number of rows", async () => {
  const group = await createGroup();
  await group.send("deputy", "indy", "of another");
  const notices = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({
      id: buildNoticeId(from + n),
      from: BOSS,
      to: buildId("indy"),
      type: "report" as const,
      content: `${from + n}`,
    }));
  await group.rpc.post(notices(0, 10));
  await group.pending("indy");
  const few = await group.countRows(() => group.pending("indy"));

  for (let from = 10; from < 9_999; from += 999) await group.rpc.post(notices(from, from + 999));
  const many = await group.countRows(() => group.pending("indy"));
  const sent = await group.countRows(() => group.send("boss", "indy", "one more"));
  const received = await group.countRows(() => group.receive("indy", 9_990));
  const page = await group.countRows(() => group.read("indy", { unread_only: true, limit: 10 }));
  const { total_pending } = await group.pending("indy");
  const marked = await group.countRows(() => group.mark("indy"));

  expect(total_pending).toBe(9_992);
  expect(many).toEqual(few);
  expect(many.read).toBeLessThanOrEqual(4);
  expect(sent.read).toBeLessThan(100);
  expect(received.read).toBeLessThan(200);
  expect(page.read).toBeLessThan(200);
  expect(marked.read).toBeLessThan(20);
  expect(marked.written).toBe(1);
  expect((await group.pending("indy")).total_pending).toBe(0);
});

it("reading 50 messages of the history writes a row for each and one for the counters", async () => {
  const group = await createGroup();
  for (let n = 1; n <= 51; n++) await group.send("boss", "indy", `${n}`);
  await group.pending("indy");

  const some = await group.countRows(() => group.read("indy", { limit: 50 }));
  const rest = await group.countRows(() => group.read("indy", { limit: 50, before: 2 }));

  expect([some.written, rest.written]).toEqual([51, 1]);
  expect((await group.pending("indy")).total_pending).toBe(0);
});

it("single marks from either end read no more rows with 2,000 unread messages than with few", async () => {
  const group = await createGroup();
  const ids = await group.rpc.post(
    Array.from({ length: 2_000 }, (_, n) => ({
      id: buildNoticeId(n),
      from: BOSS,
      to: buildId("indy"),
      type: "report" as const,
      content: `${n}`,
    })),
  );
  const { read } = await group.countRows(async () => {
    for (let n = 0; n < 100; n++) {
      await group.mark("indy", { message: ids[n]! });
      await group.mark("indy", { message: ids[1_999 - n]! });
    }
  });

  expect(read / 200).toBeLessThan(20);
  expect((await group.pending("indy")).total_pending).toBe(1_800);
});
