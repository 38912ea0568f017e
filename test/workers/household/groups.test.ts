import { expect, it, vi } from "vitest";
import { GROUP_LIMITS } from "../../../src/mess/groups/vocabulary.ts";
import { GroupHousehold, unwrap } from "./groups-support.ts";
import { getCode } from "./support.ts";

it("the creator of a group is its primary ops, named after the member", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");

  const made = unwrap(await house.groups.initiate(boss, { topic: "Project X" }));

  expect(made).toMatchObject({ my_name: "planner", role: "ops", status: "open" });
  expect(made.ops).toEqual([{ id: made.my_id, name: "planner" }]);
  expect(made.group_id).toMatch(/^g_[0-9a-z]{8,}$/);
  expect(made.my_id).toMatch(/^o_[0-9a-z]{8,}$/);
  const status = unwrap(await house.getGroup(made.group_id).status({ principal: boss }));
  expect(status).toMatchObject({ topic: "Project X", my_id: made.my_id });
  expect(status.members[0]).toMatchObject({ id: made.my_id, primary: true });
});

it("an executor and the bearer of a link cannot create a group", async () => {
  const house = await GroupHousehold.create();
  const ann = await house.addMember("ann", "executor");
  const { credential: _credential, ...bearer } = {
    ...ann,
    scope: { ref: "2026-11-22-001", permissions: ["respond" as const] },
  };

  expect(getCode(await house.groups.initiate(ann, { topic: "T" }))).toBe("wrong_role");
  expect(getCode(await house.groups.initiate(bearer, { topic: "T" }))).toBe("wrong_role");
  expect(getCode(await house.groups.list(bearer))).toBe("wrong_role");
});

it("a repeated initiate within a minute returns the first group, a later one creates another", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const first = await house.initiate(boss);

  const again = await house.initiate(boss);
  const otherTopic = await house.initiate(boss, "Project Y");
  const otherKey = await house.initiate(await house.addMember("planner"));
  vi.setSystemTime(Date.now() + 61_000);
  const later = await house.initiate(boss);
  vi.useRealTimers();

  expect(again).toMatchObject({ group_id: first.group_id, my_id: first.my_id, rejoined: true });
  const ids = [first, otherTopic, otherKey, later].map(({ group_id }) => group_id);
  expect(new Set(ids).size).toBe(4);
});

it("the same name with the same key joins once, and another key cannot take the name", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const { group_id } = await house.initiate(boss);

  const first = unwrap(await house.groups.join(worker, { group_id, my_name: "Indiana" }));
  const again = unwrap(await house.groups.join(worker, { group_id, my_name: "Indiana" }));
  const second = unwrap(await house.groups.join(worker, { group_id, my_name: "Rocky" }));
  const other = await house.addMember("worker");
  const taken = await house.groups.join(other, { group_id, my_name: "Indiana" });

  expect(first.rejoined).toBeUndefined();
  expect(again).toMatchObject({ my_id: first.my_id, rejoined: true });
  expect(second.my_id).not.toBe(first.my_id);
  expect([first.role, first.my_id.slice(0, 2)]).toEqual(["agent", "a_"]);
  expect(getCode(taken)).toBe("already_exists");
});

it("a name is taken in every spelling, and its member is found by each of them", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const other = await house.addMember("other");
  const { group_id } = await house.initiate(boss);
  const { my_id } = unwrap(await house.groups.join(worker, { group_id, my_name: "José Jones" }));

  for (const my_name of [
    "josé jones",
    "JOSÉ JONES",
    "Jose\u0301 Jones",
    "ＪＯＳÉ\u00A0 Jo\u200Bnes",
  ]) {
    const taken = await house.groups.join(other, { group_id, my_name });
    const own = unwrap(await house.groups.join(worker, { group_id, my_name }));
    const rejoined = unwrap(await house.groups.rejoin(worker, { my_name }));
    expect(getCode(taken)).toBe("already_exists");
    expect(own).toMatchObject({ my_id, my_name: "José Jones" });
    expect(rejoined).toMatchObject([{ group_id, my_id }]);
  }
  expect(getCode(await house.groups.join(other, { group_id, my_name: "Jose Jones" }))).toBe("ok");
});

it("a further ops joins as ops, but not with the role executor", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const { group_id, my_id } = await house.initiate(boss);

  const deputy = await house.addMember("deputy");
  const joined = unwrap(await house.groups.join(deputy, { group_id, as_ops: true }));
  const ann = await house.addMember("ann", "executor");
  const refused = await house.groups.join(ann, { group_id, as_ops: true });
  const wrongAssigner = await house.groups.join(ann, { group_id, assigned_by: "o_nobody00" });

  expect(joined.ops.map(({ id }) => id)).toEqual([my_id, joined.my_id]);
  expect(joined.my_id).toMatch(/^o_/);
  expect(getCode(refused)).toBe("wrong_role");
  expect(getCode(wrongAssigner)).toBe("unknown_member");
  expect(unwrap(await house.groups.join(ann, { group_id, assigned_by: my_id })).role).toBe("agent");
});

it("an agent of a group cannot make itself ops, also with another name", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const { group_id } = await house.initiate(boss);
  const { my_id } = unwrap(await house.groups.join(worker, { group_id, my_name: "Indiana" }));

  for (const my_name of ["Indiana 2", "Rocky"]) {
    const refused = await house.groups.join(worker, { group_id, my_name, as_ops: true });
    expect(getCode(refused)).toBe("wrong_role");
  }
  const again = unwrap(
    await house.groups.join(worker, { group_id, my_name: "Indiana", as_ops: true }),
  );

  expect(again).toMatchObject({ my_id, role: "agent" });
  expect(getCode(await house.groups.close(worker, { group_id }))).toBe("wrong_role");
});

it("after its key was replaced, a member gets its ids back by name, and nobody else does", async () => {
  const house = await GroupHousehold.create();
  const old = await house.addMember("worker");
  const { group_id, my_id } = await house.initiate(old, "Project X", "Rocky");
  const entry = await house.register(old, "Rocky");
  const renewed = await house.addMember("worker");
  const stranger = await house.addMember("stranger");

  const early = await house.groups.rejoin(renewed, { my_name: "Rocky" });
  await house.revokeKey(old);
  const foreign = await house.groups.rejoin(stranger, { my_name: "Rocky" });
  const memberships = unwrap(await house.groups.rejoin(renewed, { my_name: "rocky" }));

  expect([getCode(early), getCode(foreign)]).toEqual(["not_found", "not_found"]);
  expect(memberships.map((one) => [one.group_id, one.my_id])).toEqual([
    [group_id, my_id],
    ["agents", entry.agent_id],
  ]);
  const sent = await house.getGroup(group_id).heartbeat({ principal: renewed, as: my_id });
  expect(getCode(sent)).toBe("ok");
  expect(getCode(await house.groups.list(old))).toBe("unauthenticated");
});

it("lists the caller's groups, and all groups for an owner", async () => {
  const house = await GroupHousehold.create();
  const one = await house.addMember("one");
  const other = await house.addMember("other");
  const owner = await house.addMember("olga", "owner");
  const first = await house.initiate(one, "First");
  await house.initiate(other, "Second");
  await house.register(one, "one");

  const own = unwrap(await house.groups.list(one));
  const all = unwrap(await house.groups.list(owner));

  expect(own.map(({ group_id, my_ids }) => [group_id, my_ids])).toEqual([
    [first.group_id, [first.my_id]],
  ]);
  expect(new Map(all.map(({ topic, my_ids }) => [topic, my_ids]))).toEqual(
    new Map<string, string[]>([
      ["First", []],
      ["Second", []],
    ]),
  );
});

it("finds the only membership of a key, and asks for the id where there are several", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  expect(getCode(await house.groups.resolve(boss, {}))).toBe("not_found");
  const first = await house.initiate(boss, "First");
  const only = unwrap(await house.groups.resolve(boss, {}));
  const second = await house.initiate(boss, "Second");
  await house.groups.join(boss, { group_id: second.group_id, my_name: "helper" });

  const several = await house.groups.resolve(boss, {});
  const severalIds = await house.groups.resolve(boss, { group_id: second.group_id });
  const named = unwrap(await house.groups.resolve(boss, { my_id: first.my_id }));
  const unknown = await house.groups.resolve(boss, { my_id: "o_unknown00" });
  unwrap(await house.groups.close(boss, { group_id: second.group_id }));
  const left = unwrap(await house.groups.resolve(boss, {}));

  expect(only).toEqual({ group_id: first.group_id, my_id: first.my_id });
  expect(several).toMatchObject({
    error: {
      code: "several_memberships",
      valid: expect.arrayContaining([first.group_id, second.group_id]) as string[],
    },
  });
  expect(severalIds).toMatchObject({ error: { code: "several_memberships" } });
  expect(named.group_id).toBe(first.group_id);
  expect(getCode(unknown)).toBe("unknown_member");
  expect(left.group_id).toBe(first.group_id);
});

it("only ops of the group and owners close it, and then nobody joins or sends", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const stranger = await house.addMember("stranger");
  const owner = await house.addMember("olga", "owner");
  const { group_id, my_id } = await house.initiate(boss);
  const { my_id: agent } = unwrap(await house.groups.join(worker, { group_id }));

  expect(getCode(await house.groups.close(worker, { group_id }))).toBe("wrong_role");
  expect(getCode(await house.groups.close(stranger, { group_id }))).toBe("not_found");
  expect(getCode(await house.groups.close(boss, { group_id: "agents" }))).toBe("not_found");
  expect(getCode(await house.groups.close(worker, { group_id, my_ops_id: my_id }))).toBe(
    "unknown_member",
  );
  const closed = unwrap(await house.groups.close(boss, { group_id, my_ops_id: my_id }));
  const again = unwrap(await house.groups.close(owner, { group_id }));

  expect([closed.status, again.status]).toEqual(["closed", "closed"]);
  expect(getCode(await house.groups.join(stranger, { group_id }))).toBe("group_closed");
  const message = { to: agent, content: "hello", type: "message" as const };
  const sent = await house.getGroup(group_id).send({ principal: boss }, message);
  expect(getCode(sent)).toBe("group_closed");
});

it("an owner who closes a group of others leaves an entry in the audit trail", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const owner = await house.addMember("olga", "owner");
  const own = await house.initiate(boss, "First");
  const closed = await house.initiate(boss, "Second");

  unwrap(await house.groups.close(boss, { group_id: own.group_id }));
  unwrap(await house.groups.close(owner, { group_id: closed.group_id }));

  const { entries } = await house.home.rpc.audit.listEntries(undefined, 10);
  expect(entries.filter(({ action }) => action === "group_closed")).toMatchObject([
    { actor: "olga", target: closed.group_id },
  ]);
});

it("a member cannot use up the open groups of the household", async () => {
  const house = await GroupHousehold.create();
  const [greedy, other] = [await house.addMember("greedy"), await house.addMember("other")];
  for (let count = 0; count < GROUP_LIMITS.openGroupsPerMember; count++)
    await house.initiate(greedy, `Topic ${count}`);

  const refused = await house.groups.initiate(greedy, { topic: "One more" });

  expect(getCode(refused)).toBe("too_many");
  expect(getCode(await house.groups.initiate(other, { topic: "One more" }))).toBe("ok");
});

it("a household has a limited number of open groups", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const first = await house.initiate(boss);
  await house.changeStores(({ groups }) => {
    for (let count = 1; count < GROUP_LIMITS.openGroupsPerHousehold; count++)
      groups.add({ id: `g_group${count}`, topic: `Topic ${count}`, created: Date.now() });
  });

  const refused = await house.groups.initiate(boss, { topic: "One more" });
  unwrap(await house.groups.close(boss, { group_id: first.group_id }));

  expect(getCode(refused)).toBe("too_many");
  expect(getCode(await house.groups.initiate(boss, { topic: "One more" }))).toBe("ok");
});

it("a member cannot use up the memberships of a group", async () => {
  const house = await GroupHousehold.create();
  const [greedy, other] = [await house.addMember("greedy"), await house.addMember("other")];
  const { group_id } = await house.initiate(other);
  for (let count = 0; count < GROUP_LIMITS.membershipsPerMember; count++)
    unwrap(await house.groups.join(greedy, { group_id, my_name: `agent ${count}` }));

  const refused = await house.groups.join(greedy, { group_id, my_name: "one more" });

  expect(getCode(refused)).toBe("too_many");
  expect(getCode(await house.groups.join(greedy, { group_id, my_name: "agent 7" }))).toBe("ok");
  expect(getCode(await house.groups.join(other, { group_id, my_name: "one more" }))).toBe("ok");
});

it("a group has a limited number of members", async () => {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const { group_id, my_id } = await house.initiate(boss);
  await house.register(boss, "Indiana");
  await house.changeStores(({ groupMembers }) => {
    const member = { ...groupMembers.find(group_id, my_id)!, role: "agent" as const };
    for (let count = 1; count < GROUP_LIMITS.membersPerGroup; count++)
      groupMembers.put({ ...member, key: `a_member${count}`, name: `agent ${count}` });
  });

  const newcomer = await house.addMember("newcomer");
  const joined = await house.groups.join(newcomer, { group_id, my_name: "one more" });
  const known = await house.groups.join(boss, { group_id, my_name: "agent 7" });

  expect(getCode(joined)).toBe("too_many");
  expect(getCode(await house.claim(boss, my_id))).toBe("too_many");
  expect(getCode(known)).toBe("ok");
});
