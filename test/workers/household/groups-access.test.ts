import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import { GroupHousehold, unwrap } from "./groups-support.ts";
import { getCode } from "./support.ts";

afterEach(() => vi.useRealTimers());

/** Opens the socket of a wait. `closed` resolves when it is closed. */
async function openWait(
  house: GroupHousehold,
  group: string,
  { credential }: Principal,
): Promise<{ closed: Promise<number> }> {
  const query = new URLSearchParams({ credential: credential!, after: "0" });
  const url = `https://group/wait?${query.toString()}`;
  const response = await house
    .getGroup(group)
    .fetch(new Request(url, { headers: { Upgrade: "websocket" } }));
  const socket = response.webSocket!;
  socket.accept();
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  socket.addEventListener("close", ({ code }) => resolve(code));
  return { closed };
}

it("the waits of a member end with its key, and its messages wait for its return", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const { group_id } = await house.initiate(boss);
  const { my_id } = unwrap(await house.groups.join(worker, { group_id, my_name: "Indiana" }));
  const { closed } = await openWait(house, group_id, worker);

  await house.revokeKey(worker);

  expect(await closed).toBe(4_401);
  const message = { to: my_id, type: "message" as const, content: "Are you there?" };
  unwrap(await house.getGroup(group_id).send({ principal: boss }, message));
  const renewed = await house.addMember("worker");
  unwrap(await house.groups.rejoin(renewed, { my_name: "Indiana", group_id }));
  expect(await house.receive(renewed, group_id)).toMatchObject([{ content: "Are you there?" }]);
});

it("the waits of a member end when its key expires", async () => {
  const house = await GroupHousehold.create();
  const worker = await house.addMember("worker", "agent", 3_600);
  const { group_id } = await house.initiate(worker);
  const { closed } = await openWait(house, group_id, worker);

  vi.setSystemTime(Date.now() + 3_601_000);
  await runDurableObjectAlarm(house.getObject());

  expect(await closed).toBe(4_401);
});

it("an agent whose key has ended is not claimed", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const { my_id } = await house.initiate(boss);
  const { agent_id } = await house.register(worker, "Indiana");

  await house.revokeKey(worker);

  expect((await house.readEntry(agent_id)).status).toBe("offline");
  expect(getCode(await house.claim(boss, my_id))).toBe("nobody_available");
});

it("a wipe closes all groups and empties the pools, and messages can still be read", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const owner = await house.addMember("olga", "owner");
  const { group_id, my_id } = await house.initiate(boss);
  await house.initiate(boss, "Project Y");
  await house.register(worker, "Indiana");
  await house.register(boss, "backup", { pool: "ops" });
  const claim = unwrap(
    await house.claim(boss, my_id, { task: "Build", target_group_id: group_id }),
  );

  const refused = await house.groups.wipe(boss);
  const wiped = unwrap(await house.groups.wipe(owner));

  expect(getCode(refused)).toBe("wrong_role");
  expect(wiped).toEqual({ groups: 2, agents: 2 });
  const listed = unwrap(await house.groups.list(owner));
  expect(listed.map(({ status }) => status)).toEqual(["closed", "closed"]);
  for (const pool of ["agents", "ops"] as const)
    expect(unwrap(await house.groups.listPool(owner, { pool }))).toEqual([]);
  const { messages } = unwrap(
    await house.getGroup(group_id).read({ principal: worker }, { other: my_id }),
  );
  expect(messages).toMatchObject([{ id: claim.task_id, content: "Build" }]);
  expect(getCode(await house.groups.rejoin(worker, { my_name: "Indiana" }))).toBe("not_found");
  const { entries } = await house.home.rpc.audit.listEntries(undefined, 10);
  expect(entries.filter(({ action }) => action === "groups_wiped")).toMatchObject([
    { actor: "olga", detail: { groups: 2, agents: 2 } },
  ]);
  expect(getCode(await house.groups.initiate(boss, { topic: "Project Z" }))).toBe("ok");
});

it("households do not see each other's groups and pools", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const group = await house.initiate(boss);
  await house.register(boss, "Indiana");
  const other = await GroupHousehold.create();
  const stranger = await other.addMember("olga", "owner");

  expect(getCode(await other.groups.join(stranger, { group_id: group.group_id }))).toBe(
    "not_found",
  );
  expect(unwrap(await other.groups.list(stranger))).toEqual([]);
  expect(unwrap(await other.groups.listPool(stranger, { pool: "agents" }))).toEqual([]);
  // A principal of one household is nobody in another, whatever the caller passes.
  expect(getCode(await other.groups.list(boss))).toBe("unauthenticated");
});
