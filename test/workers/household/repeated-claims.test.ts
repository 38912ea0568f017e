/** Claims that an agent repeats since the response was lost. */
import { afterEach, expect, it, vi } from "vitest";
import type { ClaimInput } from "../../../src/contracts/household-groups.ts";
import { GroupHousehold, unwrap } from "./groups-support.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Ops with a group, and a pool of two agents. */
async function createPoolOfTwo() {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const group = await house.initiate(boss);
  const agents = [
    (await house.register(worker, "Indiana")).agent_id,
    (await house.register(worker, "Rocky")).agent_id,
  ];
  const claim = (more: Partial<ClaimInput>) =>
    house.claim(boss, group.my_id, { returns_same: true, ...more });
  return { house, boss, worker, group, agents, claim };
}

it("the same claim within a minute claims no second agent, and sends the task once", async () => {
  const { house, worker, group, agents, claim } = await createPoolOfTwo();
  const first = unwrap(await claim({ task: "Sort the shelves." }));

  const again = await Promise.all([1, 2].map(() => claim({ task: "Sort the shelves." })));

  expect(again.map(unwrap)).toEqual([
    { ...first, repeated: true },
    { ...first, repeated: true },
  ]);
  expect((await house.readEntry(agents[1]!)).status).toBe("available");
  const received = await house.receive(worker, group.group_id, agents[0]);
  expect(received).toMatchObject([{ id: first.task_id }]);
});

it("another task, a claim without a task, one that must not be merged, and a claim a minute later take the next agent", async () => {
  const others = [{ task: "Count them." }, {}, { task: "Sort.", returns_same: false }];
  for (const other of others) {
    const { agents, claim } = await createPoolOfTwo();
    unwrap(await claim({ task: "Sort." }));

    expect(unwrap(await claim(other)).agent_id).toBe(agents[1]);
  }

  const { agents, claim } = await createPoolOfTwo();
  unwrap(await claim({ task: "Sort." }));
  vi.setSystemTime(Date.now() + 60_000);
  expect(unwrap(await claim({ task: "Sort." })).agent_id).toBe(agents[1]);
});

it("a claim of an agent that was released meanwhile is a new one, also several times", async () => {
  const { house, boss, agents, claim } = await createPoolOfTwo();
  const given = { agent_id: agents[0]!, task: "Sort." };

  const epochs = [];
  for (let count = 0; count < 3; count++) {
    const { epoch } = unwrap(await claim(given));
    epochs.push(epoch);
    unwrap(await house.groups.release(boss, { agent_id: agents[0]!, epoch }));
  }

  expect(epochs).toEqual([1, 2, 3]);
});
