import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GroupRpc } from "../../../src/contracts/groups.ts";
import { GroupObject } from "../../../src/groups/group-object.ts";
import { OFFLINE_AFTER_MS } from "../../../src/mess/groups/vocabulary.ts";
import { GroupHousehold, unwrap } from "./groups-support.ts";
import { getCode } from "./support.ts";
import { waitUntil } from "../support.ts";

const MINUTE_MS = 60_000;
let now = 0;

beforeEach(() => {
  now = Date.now();
  vi.setSystemTime(now);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Moves the clock, and runs the household's alarm. */
async function runLater(house: GroupHousehold, ms: number): Promise<void> {
  now += ms;
  vi.setSystemTime(now);
  await runDurableObjectAlarm(house.getObject());
}

async function createPool() {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const group = await house.initiate(boss);
  const { agent_id } = await house.register(worker, "Indiana");
  return { house, boss, worker, group, agent_id };
}

it("a claim whose messages could not be posted is completed after a restart, once", async () => {
  const { house, boss, worker, group, agent_id } = await createPool();
  const prototype = GroupObject.prototype;
  for (const method of ["sync", "post"] as const)
    vi.spyOn(prototype, method).mockRejectedValue(new Error("down"));

  const claim = unwrap(await house.claim(boss, group.my_id, { task: "Build feature A" }));
  vi.restoreAllMocks();
  expect(await house.receive(worker, "agents")).toEqual([]);
  await evictDurableObject(house.getObject());
  await runLater(house, MINUTE_MS);

  await waitUntil(async () => {
    expect(await house.receive(worker, "agents")).toHaveLength(1);
    expect(await house.receive(worker, group.group_id, agent_id)).toMatchObject([
      { id: claim.task_id },
    ]);
  });
  await runLater(house, MINUTE_MS);
  expect(await house.receive(worker, "agents")).toHaveLength(1);
});

it("a message whose confirmation was lost is posted once", async () => {
  const { house, boss, worker, group, agent_id } = await createPool();
  const post: GroupRpc["post"] = Reflect.get(GroupObject.prototype, "post");
  const lossy = vi.spyOn(GroupObject.prototype, "post").mockImplementation(async function (
    this: GroupObject,
    notices,
  ) {
    await post.call(this, notices);
    throw new Error("connection lost");
  });

  unwrap(await house.claim(boss, group.my_id, { task: "Build feature A" }));
  expect(lossy).toHaveBeenCalled();
  vi.restoreAllMocks();
  await runLater(house, MINUTE_MS);
  await runLater(house, MINUTE_MS);

  expect(await house.receive(worker, group.group_id, agent_id)).toHaveLength(1);
  expect(await house.receive(worker, "agents")).toHaveLength(1);
});

it("a group can be created while its object is down, and works once that answers", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  vi.spyOn(GroupObject.prototype, "sync").mockRejectedValue(new Error("down"));

  const group = await house.initiate(boss);
  const early = await house.getGroup(group.group_id).pending({ principal: boss });
  vi.restoreAllMocks();
  await runLater(house, MINUTE_MS);

  expect(getCode(early)).toBe("not_found");
  await waitUntil(async () =>
    expect(getCode(await house.getGroup(group.group_id).pending({ principal: boss }))).toBe("ok"),
  );
});

it("a silent agent loses its claim, its task is given to another, and it comes back later", async () => {
  const { house, boss, worker, group, agent_id } = await createPool();
  const claim = unwrap(await house.claim(boss, group.my_id, { task: "Build feature A" }));
  const readTasks = async () =>
    unwrap(await house.getGroup(group.group_id).status({ principal: boss })).tasks;

  await runLater(house, OFFLINE_AFTER_MS - 1_000);
  expect((await house.readEntry(agent_id)).status).toBe("claimed");
  await runLater(house, 2_000);

  await waitUntil(async () =>
    expect(await readTasks()).toMatchObject([{ id: claim.task_id, status: "returned" }]),
  );
  const silent = await house.readEntry(agent_id);
  expect(silent).toMatchObject({ status: "offline" });
  expect(silent.group_id).toBeUndefined();
  expect(getCode(await house.claim(boss, group.my_id))).toBe("nobody_available");
  const substitute = await house.register(worker, "Rocky");
  const next = unwrap(await house.claim(boss, group.my_id, { task: claim.task_id! }));
  expect(next.agent_id).toBe(substitute.agent_id);
  unwrap(await house.getGroup("agents").heartbeat({ principal: worker, as: agent_id }));
  expect((await house.readEntry(agent_id)).status).toBe("available");
});

it("two claims at once give a task that was given back to one agent", async () => {
  const { house, boss, worker, group, agent_id } = await createPool();
  const { task_id } = unwrap(await house.claim(boss, group.my_id, { task: "Build feature A" }));
  unwrap(await house.groups.release(boss, { agent_id }));
  await house.register(worker, "Rocky");

  const claims = await Promise.all(
    [1, 2].map(() => house.claim(boss, group.my_id, { task: task_id! })),
  );

  expect(claims.map(getCode).toSorted()).toEqual(["not_found", "ok"]);
  const { tasks } = unwrap(await house.getGroup(group.group_id).status({ principal: boss }));
  expect(tasks).toMatchObject([{ summary: "Build feature A", status: "open" }]);
});

it("an agent with signs of life in its group keeps its claim", async () => {
  const { house, boss, worker, group, agent_id } = await createPool();
  unwrap(await house.claim(boss, group.my_id, { task: "Build feature A" }));

  for (let minutes = 0; minutes < 12; minutes += 3) {
    unwrap(await house.getGroup(group.group_id).heartbeat({ principal: worker, as: agent_id }));
    await runLater(house, 3 * MINUTE_MS);
  }

  expect(await house.readEntry(agent_id)).toMatchObject({
    status: "claimed",
    group_id: group.group_id,
  });
});

it("a claim stays while the object that knows the signs of life does not answer", async () => {
  const { house, boss, group, agent_id } = await createPool();
  unwrap(await house.claim(boss, group.my_id));
  vi.spyOn(GroupObject.prototype, "listSeen").mockRejectedValue(new Error("down"));

  await runLater(house, OFFLINE_AFTER_MS + 1_000);
  vi.restoreAllMocks();

  expect((await house.readEntry(agent_id)).group_id).toBe(group.group_id);
  await runLater(house, MINUTE_MS + 1_000);
  expect((await house.readEntry(agent_id)).group_id).toBeUndefined();
});

it("the alarm checks agents only while there are claimed ones", async () => {
  const { house, boss, group, agent_id } = await createPool();
  const readChecks = () =>
    runInDurableObject(house.getObject(), (_object, { storage }) =>
      storage.sql
        .exec("SELECT key FROM pool_entries WHERE check_due IS NOT NULL")
        .toArray()
        .map(({ key }) => key),
    );

  expect(await readChecks()).toEqual([]);
  unwrap(await house.claim(boss, group.my_id));
  expect(await readChecks()).toEqual([agent_id]);
  unwrap(await house.groups.release(boss, { agent_id }));
  expect(await readChecks()).toEqual([]);
});
