/** Statements that fail inside a transaction, at every place in it. */
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import type { NewGroupMessage } from "../../../src/contracts/groups.ts";
import type { GroupObject } from "../../../src/groups/group-object.ts";
import { buildId, buildNoticeId, createGroup, TestGroup, unwrap } from "./support.ts";

/** Runs the call with the n-th statement of its transaction failing. @returns whether it failed */
async function runWithFailure(
  group: TestGroup,
  n: number,
  work: (object: GroupObject) => Promise<unknown>,
): Promise<boolean> {
  return await runInDurableObject(group.getObject(), async (object, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    const transactionSync = storage.transactionSync.bind(storage);
    let left = n;
    let isInside = false;
    storage.sql.exec = ((query: string, ...values: SqlStorageValue[]) => {
      if (isInside && --left === 0) throw new Error("the disk is full");
      return exec(query, ...values);
    }) as typeof exec;
    storage.transactionSync = (closure) =>
      transactionSync(() => {
        isInside = true;
        try {
          return closure();
        } finally {
          isInside = false;
        }
      });
    try {
      await work(object as GroupObject);
      return false;
    } catch {
      return true;
    } finally {
      storage.sql.exec = exec;
      storage.transactionSync = transactionSync;
    }
  });
}

/** Fails at every statement in turn, until the call succeeds. @returns how often it failed */
async function failEverywhere(
  group: TestGroup,
  work: (object: GroupObject) => Promise<unknown>,
  checkUnchanged: () => Promise<void>,
): Promise<number> {
  for (let n = 1; ; n++) {
    if (!(await runWithFailure(group, n, work))) return n - 1;
    await checkUnchanged();
  }
}

const show = async (group: TestGroup) => ({
  messages: await group.listAll(),
  boss: await group.pending("boss"),
  indy: await group.pending("indy"),
  tasks: (await group.status("boss")).tasks,
});

it("a send that fails at any statement stores nothing, and its repetition stores it once", async () => {
  const group = await createGroup();
  const first = await group.send("boss", "indy", { type: "task", content: "do it" });
  const report = {
    to: buildId("boss"),
    type: "report",
    content: "done",
    reply_to: first.id,
    key: "k",
  } as const satisfies NewGroupMessage;
  const before = await show(group);

  const failures = await failEverywhere(
    group,
    (object) => object.send(group.as("indy"), report),
    async () => expect(await show(group)).toEqual(before),
  );
  const repeated = unwrap(await group.rpc.send(group.as("indy"), report));

  expect(failures).toBeGreaterThan(5);
  expect(repeated).toMatchObject({ seq: 2, repeated: true, completes: first.id });
  expect(await group.listAll()).toHaveLength(2);
  expect((await group.pending("boss")).total_pending).toBe(1);
});

it("a record that fails at any statement leaves what was before, and is stored by its repetition", async () => {
  const group = new TestGroup();
  const failures = await failEverywhere(
    group,
    (object) => object.sync(group.record),
    async () => expect(await group.rpc.status(group.as("boss"))).toMatchObject({ ok: false }),
  );
  expect(failures).toBeGreaterThan(1);

  await group.rpc.sync(group.record);
  await group.send("boss", "indy", "hello");

  expect((await group.status("boss")).members).toHaveLength(5);
});

it("notices that fail at any statement are posted once by their repetition", async () => {
  const group = await createGroup();
  const notices = [1, 2].map((n) => ({
    id: buildNoticeId(n),
    from: buildId("boss"),
    to: buildId("indy"),
    type: "task" as const,
    content: `${n}`,
  }));

  const failures = await failEverywhere(
    group,
    (object) => object.post(notices),
    async () => expect(await group.listAll()).toEqual([]),
  );
  expect(failures).toBeGreaterThan(5);
  await group.rpc.post(notices);

  expect((await group.listAll()).map(({ content }) => content)).toEqual(["1", "2"]);
  expect((await group.status("boss")).tasks).toHaveLength(2);
  expect((await group.pending("indy")).total_pending).toBe(2);
});

it("a handoff that fails at any statement leaves the former primary ops with its tasks", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", { type: "task", content: "do it" });
  const before = await show(group);
  const record = { ...group.record, revision: 2, primary: buildId("deputy") };
  const getPrimary = async () =>
    (await group.status("boss")).members.find(({ primary }) => primary)?.name;

  const failures = await failEverywhere(
    group,
    (object) => object.sync(record),
    async () => {
      expect(await getPrimary()).toBe("boss");
      expect(await show(group)).toEqual(before);
    },
  );

  expect(failures).toBeGreaterThan(5);
  expect(await getPrimary()).toBe("deputy");
  expect((await group.pending("deputy")).total_pending).toBe(1);
});
