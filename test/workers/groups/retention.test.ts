/** Deleting old messages of a group, where the household limits how long they are kept. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { searchGroupRows } from "../../../src/partitions/group-messages.ts";
import { createFreshHousehold, waitUntil } from "../support.ts";
import { buildId, createGroup, getContents, unwrap } from "./support.ts";

const DAY_MS = 86_400_000;

/** Makes all messages of the object older. */
const age = (object: DurableObjectStub, days: number): Promise<void> =>
  runInDurableObject(object, (_object, { storage: { sql } }) => {
    sql.exec("UPDATE messages SET at = at - ?", days * DAY_MS);
  });

const listIndexed = async (household: string): Promise<number[]> =>
  unwrap(await searchGroupRows(env.INDEX, household, { limit: 100 })).rows.map(({ seq }) => seq);

it("old messages are deleted with their counts and from the index; newer ones stay", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", { content: "old and unread", needs_ack: true });
  await group.send("indy", "boss", "old");
  await age(group.getObject(), 10);
  await group.send("boss", "indy", "new");
  await waitUntil(async () => expect(await listIndexed(group.household)).toHaveLength(3));

  const deleted = await group.rpc.deleteOlder(Date.now() - 5 * DAY_MS);

  expect(deleted).toEqual({ deleted: 2, more: false });
  expect((await group.listAll()).map(({ content }) => content)).toEqual(["new"]);
  expect(await listIndexed(group.household)).toEqual([3]);
  expect(await group.pending("indy")).toMatchObject({ total_pending: 1, needs_ack: 0 });
  expect(await group.pending("boss")).toMatchObject({ total_pending: 0 });
  expect((await group.status("boss")).messages).toBe(1);
  await group.rpc.deleteOlder(Date.now() - 5 * DAY_MS);
  expect((await group.status("boss")).messages).toBe(1);
  const page = await group.read("indy", { unread_only: true });
  expect([getContents(page), page.total_pending]).toEqual([["new"], 0]);
});

it("a task that is not done stays, and one that is done is deleted with its report", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", { content: "open task", type: "task" });
  const { id } = await group.send("boss", "rocky", { content: "done task", type: "task" });
  await group.send("rocky", "boss", { content: "report", type: "report", reply_to: id });
  await group.send("boss", "short", "last");
  await age(group.getObject(), 10);

  await group.rpc.deleteOlder(Date.now() - DAY_MS);

  expect((await group.listAll()).map(({ content }) => content)).toEqual(["open task", "last"]);
  expect((await group.status("boss")).tasks).toMatchObject([{ agent: buildId("indy") }]);
  const late = await group.send("indy", "boss", { content: "done at last", type: "report" });
  expect(late.completes).toBeDefined();
});

it("the newest message stays, so that positions never repeat", async () => {
  const group = await createGroup();
  const first = await group.send("boss", "indy", "one");
  const last = await group.send("boss", "indy", "two");
  const { cursor } = await group.receive("indy", 0);

  await group.rpc.deleteOlder(Date.now() + DAY_MS);
  const next = await group.send("boss", "indy", "three");

  expect([first.seq, last.seq, next.seq]).toEqual([1, 2, 3]);
  expect(getContents(await group.receive("indy", cursor))).toEqual(["three"]);
});

it("many messages are deleted in parts", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "zero");
  await runInDurableObject(group.getObject(), (_object, { storage: { sql } }) => {
    sql.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO messages (seq, id, receiver, sender, type, at, read, details, content)
      SELECT i, 'msg_' || i, receiver, sender, type, at, 1, details, 'old' FROM n, messages WHERE seq = 1`);
  });
  await age(group.getObject(), 10);

  const counts: number[] = [];
  for (let more = true; more;) {
    const part = await group.rpc.deleteOlder(Date.now());
    counts.push(part.deleted);
    ({ more } = part);
  }

  expect(counts).toEqual([500, 500, 199]);
});

it("the household deletes once a day what is older than its setting, and nothing without it", async () => {
  const { id, owner, agent, addMember } = await createFreshHousehold();
  const created = await (await agent.post("/groups", { topic: "X" })).json<{ group_id: string }>();
  const path = `/groups/${created.group_id}`;
  const indy = await addMember("indy", "agent");
  const { my_id } = await (await indy.post(`${path}/members`, {})).json<{ my_id: string }>();
  for (const content of ["one", "two"])
    await agent.post(`${path}/messages`, { to_id: my_id, content });
  await age(env.GROUPS.getByName(`${id}/${created.group_id}`), 10);
  const runAlarm = () => runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));
  const read = async () => getContents(await owner.read(`${path}/messages`));

  await runAlarm();
  const before = await read();
  const warned = await owner.post("/api/v1/config", {
    config: { settings: { group_retention_days: "a week" } },
  });
  await owner.post("/api/v1/config", { config: { settings: { group_retention_days: 7 } } });

  expect(before).toEqual(["two", "one"]);
  expect(await warned.text()).toContain("group_retention_days must be a whole number");
  await waitUntil(async () => {
    await runAlarm();
    expect(await read()).toEqual(["two"]);
  });
});
