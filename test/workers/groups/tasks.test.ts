import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import type { AssignmentEnd, GroupNotice } from "../../../src/contracts/groups.ts";
import type { GroupObject } from "../../../src/groups/group-object.ts";
import {
  buildId,
  buildMember,
  buildNoticeId,
  createGroup,
  getCode,
  getContents,
  type TestGroup,
} from "./support.ts";

const sendTask = (group: TestGroup, from: string, to: string, content: string) =>
  group.send(from, to, { type: "task", content });

const sendReport = (group: TestGroup, from: string, to: string, reply_to?: string) =>
  group.send(from, to, {
    type: "report",
    content: `report ${crypto.randomUUID()}`,
    ...(reply_to === undefined ? {} : { reply_to }),
  });

/** A task that came with a claim of the agent. */
const buildTask = (n: number, to: string, epoch: number, content: string): GroupNotice => ({
  id: buildNoticeId(n),
  from: buildId("boss"),
  to: buildId(to),
  type: "task",
  content,
  epoch,
});

const buildEnd = (agent: string, epoch: number, change: Partial<AssignmentEnd> = {}) => ({
  key: `end ${agent} ${epoch}`,
  agent: buildId(agent),
  epoch,
  reason: "silent" as const,
  ...change,
});

const getTaskStatuses = async (group: TestGroup) =>
  Object.fromEntries(
    (await group.listAll())
      .filter(({ type }) => type === "task")
      .map(({ content, to, task_status }) => [`${content} of ${to}`, task_status]),
  );

it("a report about a task completes it, once", async () => {
  const group = await createGroup();
  const task = await sendTask(group, "boss", "indy", "build it");
  expect((await group.status("boss")).tasks).toEqual([
    {
      id: task.id,
      agent: buildId("indy"),
      assigned_by: buildId("boss"),
      status: "open",
      silent: true,
      at: task.at,
      summary: "build it",
    },
  ]);

  const report = await sendReport(group, "indy", "boss", task.id);
  const second = await sendReport(group, "indy", "boss", task.id);

  expect(report).toMatchObject({ to: buildId("boss"), completes: task.id });
  expect([second.completes, second.late]).toEqual([undefined, undefined]);
  expect((await group.status("boss")).tasks).toEqual([]);
  expect(await getTaskStatuses(group)).toEqual({ [`build it of ${buildId("indy")}`]: "done" });
});

it("a report without reply_to completes the only open task of its receiver, and none of several", async () => {
  const group = await createGroup();
  const first = await sendTask(group, "boss", "indy", "1");
  await sendTask(group, "deputy", "indy", "of another");
  const only = await sendReport(group, "indy", "boss");
  await sendTask(group, "boss", "indy", "2");
  await sendTask(group, "boss", "indy", "3");

  const ambiguous = await sendReport(group, "indy", "boss");

  expect(only.completes).toBe(first.id);
  expect(ambiguous.completes).toBeUndefined();
  expect((await group.status("boss")).tasks).toHaveLength(2);
});

it("only a report by the holder completes a task", async () => {
  const group = await createGroup();
  const task = await sendTask(group, "boss", "indy", "build it");

  await group.send("indy", "boss", { content: "a question", type: "question", reply_to: task.id });
  const byOther = await group.trySend("rocky", "boss", { type: "report", reply_to: task.id });
  const toOther = await group.trySend("indy", "deputy", { type: "report", reply_to: task.id });
  const byOps = await sendReport(group, "boss", "indy", task.id);

  expect([byOther, toOther].map(getCode)).toEqual(["unknown_reference", "unknown_reference"]);
  expect(byOps.completes).toBeUndefined();
  expect((await group.status("boss")).tasks).toHaveLength(1);
});

it("status shows a member its own tasks only, and an owner all", async () => {
  const group = await createGroup();
  await sendTask(group, "boss", "indy", "secret of indy");
  await sendTask(group, "deputy", "rocky", "secret of rocky");
  const list = async (name: string) =>
    (await group.status(name)).tasks.map(({ summary }) => summary);

  const owner = await group.rpc.status(group.asOwner());

  expect(await list("boss")).toEqual(["secret of indy"]);
  expect(await list("rocky")).toEqual(["secret of rocky"]);
  expect(await list("short")).toEqual([]);
  expect(owner.ok && owner.value.tasks).toHaveLength(2);
});

it("the end of a claim gives its open tasks back and tells those who assigned them", async () => {
  const group = await createGroup();
  await group.changeMember("indy", { epoch: 1 });
  const [claimed] = await group.rpc.post([buildTask(1, "indy", 1, "came with the claim")]);
  const sent = await sendTask(group, "deputy", "indy", "sent later");
  const done = await sendTask(group, "deputy", "indy", "done before");
  await sendReport(group, "indy", "deputy", done.id);
  await sendTask(group, "boss", "rocky", "of another agent");

  await group.rpc.endAssignment(buildEnd("indy", 1));
  await group.rpc.endAssignment(buildEnd("indy", 1));

  const news = { unread_only: true, other: "exchange" };
  const [toBoss, ...more] = (await group.read("boss", news)).messages;
  const [toDeputy, ...evenMore] = (await group.read("deputy", news)).messages;
  expect([...more, ...evenMore]).toEqual([]);
  expect(toBoss).toMatchObject({ from: "exchange", type: "message", importance: "high" });
  expect(toBoss!.content).toContain(claimed);
  expect(toBoss!.content).not.toContain(sent.id);
  expect(toDeputy!.content).toContain(sent.id);
  expect(toDeputy!.content).not.toContain(done.id);
  const statuses = (await group.status("boss")).tasks.map(({ id, status }) => [id, status]);
  expect(statuses).toContainEqual([claimed, "returned"]);
});

it("the end of an earlier claim leaves the tasks of a later one open", async () => {
  const group = await createGroup();
  await group.changeMember("indy", { epoch: 2 });
  await group.rpc.post([buildTask(1, "indy", 1, "first claim")]);
  await group.rpc.post([buildTask(2, "indy", 2, "second claim")]);
  await sendTask(group, "boss", "indy", "sent in the second claim");

  await group.rpc.endAssignment(buildEnd("indy", 1));

  const id = buildId("indy");
  expect(await getTaskStatuses(group)).toEqual({
    [`first claim of ${id}`]: "returned",
    [`second claim of ${id}`]: "open",
    [`sent in the second claim of ${id}`]: "open",
  });
});

it("the repeated end of a claim leaves a task open that was sent after it", async () => {
  const group = await createGroup();
  await group.changeMember("indy", { epoch: 1 });
  await group.rpc.post([buildTask(1, "indy", 1, "came with the claim")]);
  await group.rpc.endAssignment(buildEnd("indy", 1));
  const { epoch: _ended, ...indy } = buildMember("indy", { epoch: 1 });
  const members = group.record.members.map((member) => (member.name === "indy" ? indy : member));
  await group.change({ members });
  await sendTask(group, "deputy", "indy", "sent without a claim");

  await group.rpc.endAssignment(buildEnd("indy", 1));

  const id = buildId("indy");
  expect(await getTaskStatuses(group)).toEqual({
    [`came with the claim of ${id}`]: "returned",
    [`sent without a claim of ${id}`]: "open",
  });
  expect((await group.read("deputy", { unread_only: true })).messages).toEqual([]);
});

it("a task that was given back is assigned again by its id, and a late report completes neither", async () => {
  const group = await createGroup();
  const [old] = await group.rpc.post([buildTask(1, "indy", 1, "the whole text")]);
  await group.rpc.endAssignment(buildEnd("indy", 1));

  const [renewed] = await group.rpc.post([buildTask(2, "rocky", 1, old!)]);
  const late = await sendReport(group, "indy", "boss", old);
  const lateUnnamed = await sendReport(group, "indy", "boss");

  expect([late, lateUnnamed].map((report) => report.late)).toEqual([true, true]);
  expect([late, lateUnnamed].map((report) => report.completes)).toEqual([undefined, undefined]);
  const all = await group.listAll();
  expect(all.find(({ id }) => id === old)).toMatchObject({
    task_status: "returned",
    reassigned_as: renewed,
  });
  expect(all.find(({ id }) => id === renewed)).toMatchObject({
    content: "the whole text",
    to: buildId("rocky"),
    task_status: "open",
  });
  expect(all.find(({ id }) => id === late.id)).toMatchObject({ late: true });
  expect((await group.status("boss")).tasks.map(({ id }) => id)).toEqual([renewed]);
  const report = await sendReport(group, "rocky", "boss", renewed);
  expect(report.completes).toBe(renewed);
  expect((await group.status("boss")).tasks).toEqual([]);
});

it("the id of a task that others assigned does not reveal its text", async () => {
  const group = await createGroup();
  const secret = await sendTask(group, "deputy", "indy", "a secret of the deputy");
  await group.rpc.endAssignment(buildEnd("indy", 1));

  await group.rpc.post([buildTask(1, "rocky", 1, secret.id)]);

  expect(getContents(await group.read("rocky"))).toEqual([secret.id]);
});

it("a notice is posted once, and shows the id of a sender that is no member", async () => {
  const group = await createGroup();
  const notice: GroupNotice = {
    id: buildNoticeId(7),
    from: "o_elsewhere0",
    to: buildId("indy"),
    type: "message",
    content: "you are assigned",
    importance: "high",
  };

  const ids = [await group.rpc.post([notice]), await group.rpc.post([notice])];

  expect(ids).toEqual([[notice.id], [notice.id]]);
  const { messages } = await group.read("indy", { other: "o_elsewhere0", unread_only: true });
  expect(messages).toMatchObject([
    { id: notice.id, from: "o_elsewhere0", from_name: "o_elsewhere0", importance: "high" },
  ]);
  const reply = await group.trySend("indy", "boss", { reply_to: notice.id });
  expect(getCode(reply)).toBe("unknown_reference");
  expect(await group.mark("indy", { message: notice.id })).toMatchObject({ marked: 0 });
});

it("a notice to an unknown member fails, so that its job is tried again, and stores nothing", async () => {
  const group = await createGroup();
  const known: GroupNotice = { ...buildTask(1, "indy", 1, "x") };

  const unknown = { ...known, id: buildNoticeId(2), to: "a_nobody0000" };
  await runInDurableObject(group.getObject(), async (object) => {
    await expect((object as GroupObject).post([known, unknown])).rejects.toThrow("no member");
  });

  expect(await group.listAll()).toEqual([]);
});

it("a new primary ops gets the open tasks of the former one, and the reports about them", async () => {
  const group = await createGroup();
  const open = await sendTask(group, "boss", "indy", "build it");
  const done = await sendTask(group, "boss", "rocky", "done before");
  await sendReport(group, "rocky", "boss", done.id);
  const own = await sendTask(group, "deputy", "short", "of the deputy");

  await group.change({ primary: buildId("deputy") });

  const [news, ...more] = (await group.read("deputy", { unread_only: true, other: "exchange" }))
    .messages;
  expect(more).toEqual([]);
  expect(news!.content).toContain(open.id);
  expect(news!.content).not.toContain(done.id);
  expect((await group.status("boss")).tasks).toEqual([]);
  expect((await group.status("deputy")).tasks.map(({ id }) => id)).toEqual([open.id, own.id]);
  const afterwards = await sendReport(group, "rocky", "boss", done.id);
  const report = await sendReport(group, "indy", "boss", open.id);
  const repeated = await group.send("indy", "boss", {
    type: "report",
    content: (await group.listAll()).at(-1)!.content,
    reply_to: open.id,
  });
  const other = await group.send("indy", "boss", "a word to the former primary");
  expect(afterwards.to).toBe(buildId("deputy"));
  expect(report).toMatchObject({ to: buildId("deputy"), completes: open.id });
  expect(repeated).toMatchObject({ id: report.id, repeated: true, to: buildId("deputy") });
  expect(other.to).toBe(buildId("boss"));
  expect((await group.pending("deputy")).by_sender[buildId("indy")]?.count).toBe(1);
});

it("a report without reply_to follows its task through two handoffs", async () => {
  const group = await createGroup();
  const task = await sendTask(group, "boss", "indy", "build it");
  await group.change({ primary: buildId("deputy") });
  await group.changeMember("rocky", { id: "o_rocky0001", role: "ops" });
  await group.change({ primary: buildId("rocky") });

  const toFirst = await sendReport(group, "indy", "boss");
  const toSecond = await sendReport(group, "indy", "deputy", task.id);
  const toLast = await sendReport(group, "indy", "rocky", task.id);

  expect([toFirst, toSecond, toLast].map(({ to }) => to)).toEqual(
    Array.from({ length: 3 }, () => "o_rocky0001"),
  );
  expect(toFirst.completes).toBe(task.id);
});

it("a task that a former primary ops assigns after the handoff is reported to it", async () => {
  const group = await createGroup();
  const before = await sendTask(group, "boss", "indy", "before");
  await group.change({ primary: buildId("deputy") });
  const after = await sendTask(group, "boss", "indy", "after");

  const late = await sendReport(group, "indy", "boss", after.id);
  const early = await sendReport(group, "indy", "boss", before.id);

  expect([late.to, early.to]).toEqual([buildId("boss"), buildId("deputy")]);
});

it("a primary ops that is handed the group back gets its tasks back", async () => {
  const group = await createGroup();
  const task = await sendTask(group, "boss", "indy", "build it");
  await group.change({ primary: buildId("deputy") });
  await group.change({ primary: buildId("boss") });

  const report = await sendReport(group, "indy", "deputy", task.id);

  expect(report).toMatchObject({ to: buildId("boss"), completes: task.id });
});

it("a handoff without open tasks posts nothing", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "hello");

  await group.change({ primary: buildId("deputy") });

  expect(await group.listAll()).toHaveLength(1);
  expect((await group.status("deputy")).members).toContainEqual(
    expect.objectContaining({ name: "deputy", primary: true }),
  );
});

it("a task writes one row more than a message, and so does the report that completes it", async () => {
  const group = await createGroup();
  await sendTask(group, "boss", "indy", "first");
  await sendReport(group, "indy", "boss");
  let id = "";

  const task = await group.countRows(async () => {
    ({ id } = await sendTask(group, "boss", "indy", "second"));
  });
  const report = await group.countRows(() => sendReport(group, "indy", "boss", id));

  expect([task.written, report.written]).toEqual([4, 4]);
});
