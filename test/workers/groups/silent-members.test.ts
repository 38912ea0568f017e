/** Tasks of members without a claim, of which the household does not know that they are silent. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { buildId, createGroup, getContents, type TestGroup } from "./support.ts";

const START = Date.parse("2041-05-04T10:00:00Z");
const MINUTE_MS = 60_000;

afterEach(() => vi.useRealTimers());

/** Lets the group's alarm fire at the minute. */
async function goTo(group: TestGroup, minute: number): Promise<void> {
  vi.setSystemTime(START + minute * MINUTE_MS);
  await runDurableObjectAlarm(group.getObject());
}

const createGroupAtStart = async (): Promise<TestGroup> => {
  vi.setSystemTime(START);
  const group = await createGroup();
  await group.rpc.heartbeat(group.as("indy"));
  return group;
};

const readNotices = async (group: TestGroup, name: string): Promise<string[]> =>
  getContents(await group.read(name, { unread_only: true, other: "exchange" }));

it("those who assigned tasks learn once that their agent is silent, and its report still counts", async () => {
  const group = await createGroupAtStart();
  const task = await group.send("boss", "indy", { type: "task", content: "build it" });
  const other = await group.send("deputy", "indy", { type: "task", content: "test it" });

  await goTo(group, 4);
  const early = await readNotices(group, "boss");
  await goTo(group, 5);
  const toBoss = await readNotices(group, "boss");
  const toDeputy = await readNotices(group, "deputy");
  for (const minute of [10, 20, 40]) await goTo(group, minute);

  expect(early).toEqual([]);
  expect(toBoss).toEqual([expect.stringContaining(task.id)]);
  expect(toBoss[0]).not.toContain(other.id);
  expect(toDeputy).toEqual([expect.stringContaining(other.id)]);
  expect(await readNotices(group, "boss")).toEqual([]);
  expect((await group.status("boss")).tasks).toMatchObject([
    { id: task.id, status: "open", silent: true },
  ]);
  const report = await group.send("indy", "boss", { type: "report", reply_to: task.id });
  expect(report.completes).toBe(task.id);
});

it("a member that came back and is silent again is reported again, but not while it works", async () => {
  const group = await createGroupAtStart();
  await group.send("boss", "indy", { type: "task", content: "build it" });
  await goTo(group, 5);
  const first = await readNotices(group, "boss");

  vi.setSystemTime(START + 6 * MINUTE_MS);
  await group.rpc.heartbeat(group.as("indy"));
  await goTo(group, 10);
  const working = await readNotices(group, "boss");
  const { tasks } = await group.status("boss");
  await goTo(group, 11);

  expect([first.length, working.length]).toEqual([1, 0]);
  expect(tasks).toMatchObject([{ status: "open" }]);
  expect(tasks[0]).not.toHaveProperty("silent");
  expect(await readNotices(group, "boss")).toHaveLength(1);
});

it("nobody is notified about tasks that are done, came with a claim, or are in a closed group", async () => {
  const group = await createGroupAtStart();
  const done = await group.send("boss", "indy", { type: "task", content: "build it" });
  await group.send("indy", "boss", { type: "report", reply_to: done.id });
  await group.changeMember("rocky", { epoch: 1 });
  await group.send("boss", "rocky", { type: "task", content: "claimed" });
  const closed = await createGroup();
  await closed.send("boss", "indy", { type: "task", content: "build it" });
  await closed.change({ status: "closed" });

  await goTo(group, 30);
  await goTo(closed, 30);

  expect(await readNotices(group, "boss")).toEqual([]);
  expect(await readNotices(closed, "boss")).toEqual([]);
  expect((await group.status("boss")).tasks).toMatchObject([
    { agent: buildId("rocky"), silent: true },
  ]);
});
