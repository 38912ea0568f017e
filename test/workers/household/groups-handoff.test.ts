import { afterEach, expect, it, vi } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import type { TransferInput } from "../../../src/contracts/household-groups.ts";
import { GroupHousehold, unwrap } from "./groups-support.ts";
import { getCode } from "./support.ts";

const DAY_MS = 86_400_000;

afterEach(() => vi.useRealTimers());

/** A group of a primary ops and two agents, whose handoff is prepared. */
async function createHandoff() {
  const house = await GroupHousehold.create();
  const boss = await house.addMember("planner");
  const worker = await house.addMember("worker");
  const other = await house.addMember("other");
  const { group_id, my_id: from } = await house.initiate(boss);
  const join = async (principal: Principal) =>
    unwrap(await house.groups.join(principal, { group_id })).my_id;
  const to = await join(worker);
  const third = await join(other);
  const input: TransferInput = {
    group_id,
    from_ops_id: from,
    to_agent_id: to,
    context_summary: "We are building feature A.",
    verification_passed: true,
  };
  const transfer = (principal: Principal, change: Partial<TransferInput> = {}) =>
    house.groups.transfer(principal, { ...input, ...change });
  const readStatus = async () =>
    unwrap(await house.getGroup(group_id).status({ principal: boss, as: from }));
  return { house, boss, worker, other, group_id, from, to, third, input, transfer, readStatus };
}

it("the receiver accepts by repeating the call, and then leads the group under a new id", async () => {
  const { house, boss, worker, group_id, from, to, transfer, readStatus } = await createHandoff();
  const task = { to, type: "task" as const, content: "Write tests" };
  unwrap(await house.getGroup(group_id).send({ principal: boss }, task));

  const offered = unwrap(await transfer(boss));
  const before = await readStatus();
  const accepted = unwrap(await transfer(worker));
  const after = await readStatus();

  expect(offered.state).toBe("offered");
  expect(before.members.find(({ primary }) => primary)?.id).toBe(from);
  expect(accepted).toMatchObject({ state: "accepted", group_id });
  expect(accepted.new_ops_id).toMatch(/^o_/);
  const leads = after.members.filter(({ primary }) => primary);
  expect(leads).toMatchObject([{ id: accepted.new_ops_id, role: "ops" }]);
  expect(after.members.find(({ id }) => id === from)?.role).toBe("ops");
  const byAlias = await house.getGroup(group_id).heartbeat({ principal: worker, as: to });
  expect(getCode(byAlias)).toBe("ok");
  expect(unwrap(await house.groups.resolve(worker, { my_id: to })).my_id).toBe(accepted.new_ops_id);
});

it("status shows an offered handoff to both sides and owners, until it is accepted, withdrawn or ended", async () => {
  const { house, boss, worker, other, group_id, from, to, transfer } = await createHandoff();
  const owner = await house.addMember("olga", "owner");
  const read = async (principal: Principal) =>
    unwrap(await house.getGroup(group_id).status({ principal })).handoff;
  const before = await read(boss);
  const start = Date.now();

  unwrap(await transfer(boss));
  const offered = await Promise.all([boss, worker, owner, other].map(read));
  unwrap(await transfer(boss, { verification_passed: false }));
  const withdrawn = await read(boss);
  unwrap(await transfer(boss));
  const again = await read(worker);
  vi.setSystemTime(start + DAY_MS + 60_000);
  const ended = await read(worker);
  vi.useRealTimers();
  unwrap(await transfer(worker));

  expect(before).toBeUndefined();
  expect(offered[0]).toMatchObject({ from, to });
  expect(Date.parse(offered[0]!.until) - start).toBeGreaterThanOrEqual(DAY_MS);
  expect(offered.slice(1)).toEqual([offered[0], offered[0], undefined]);
  expect([withdrawn, ended]).toEqual([undefined, undefined]);
  expect(again).toMatchObject({ from, to });
  expect(await read(worker)).toBeUndefined();
});

it("the receiver gets the offer with its summary, and the former primary its acceptance", async () => {
  const { house, boss, worker, group_id, from, transfer } = await createHandoff();

  unwrap(await transfer(boss));
  const offer = await house.receive(worker, group_id);
  const { new_ops_id } = unwrap(await transfer(worker));
  const acceptance = await house.receive(boss, group_id);

  expect(offer).toMatchObject([{ type: "verification", from }]);
  expect(offer[0]!.content).toContain("We are building feature A.");
  expect(acceptance).toMatchObject([{ type: "message", from: new_ops_id }]);
});

it("the same offer and the same acceptance again change nothing", async () => {
  const { house, boss, worker, group_id, transfer } = await createHandoff();

  unwrap(await transfer(boss));
  expect(unwrap(await transfer(boss)).state).toBe("offered");
  const first = unwrap(await transfer(worker));
  expect(unwrap(await transfer(worker))).toEqual(first);
  expect(unwrap(await transfer(boss))).toEqual(first);

  expect(await house.receive(worker, group_id)).toHaveLength(1);
  expect(await house.receive(boss, group_id)).toHaveLength(1);
});

it("an offer needs a passed verification and a summary", async () => {
  const { house, boss, worker, input, transfer } = await createHandoff();
  const { context_summary: _summary, ...withoutSummary } = input;

  const unverified = await transfer(boss, { verification_passed: false });
  expect(unverified).toMatchObject({ error: { path: "verification_passed" } });
  const silent = await house.groups.transfer(boss, withoutSummary);
  expect(silent).toMatchObject({ error: { path: "context_summary" } });
  expect(getCode(await transfer(worker))).toBe("not_found");
});

it("while an offer is open, nobody else gets one, until it is withdrawn or ends", async () => {
  const { house, boss, worker, other, group_id, third, transfer } = await createHandoff();

  unwrap(await transfer(boss));
  const second = await transfer(boss, { to_agent_id: third });
  const withdrawn = unwrap(await transfer(boss, { verification_passed: false }));
  const late = await transfer(worker);
  unwrap(await transfer(boss, { to_agent_id: third }));
  vi.setSystemTime(Date.now() + DAY_MS + 1);
  const expired = await transfer(other, { to_agent_id: third });
  const next = unwrap(await transfer(boss));

  expect(getCode(second)).toBe("handoff_pending");
  expect(withdrawn.state).toBe("withdrawn");
  expect(getCode(late)).toBe("not_found");
  expect(getCode(expired)).toBe("not_found");
  expect(next.state).toBe("offered");
  expect(await house.receive(worker, group_id)).toHaveLength(3);
});

it("only the primary ops offers, and only the receiver accepts", async () => {
  const { house, boss, other, group_id, from, to, third, transfer } = await createHandoff();
  const deputy = await house.addMember("deputy");
  const joined = unwrap(await house.groups.join(deputy, { group_id, as_ops: true }));
  const stranger = await house.addMember("stranger");

  expect(getCode(await transfer(deputy, { from_ops_id: joined.my_id }))).toBe("wrong_role");
  expect(getCode(await transfer(stranger))).toBe("not_found");
  expect(getCode(await transfer(boss, { to_agent_id: from }))).toBe("unknown_member");
  expect(getCode(await transfer(boss, { to_agent_id: "a_unknown0" }))).toBe("unknown_member");
  unwrap(await transfer(boss));
  expect(getCode(await transfer(other))).toBe("unknown_member");
  expect(getCode(await transfer(other, { to_agent_id: third }))).toBe("not_found");
  expect(to).toMatch(/^a_/);
});

it("of two agents with one key, the one that calls without a summary accepts", async () => {
  const house = await GroupHousehold.create();
  const shared = await house.addMember("planner");
  const { group_id, my_id } = await house.initiate(shared);
  const { my_id: to } = unwrap(await house.groups.join(shared, { group_id, my_name: "successor" }));
  const ids = { group_id, from_ops_id: my_id, to_agent_id: to };
  const offer = { ...ids, context_summary: "All of it.", verification_passed: true };

  const first = unwrap(await house.groups.transfer(shared, offer));
  const repeated = unwrap(await house.groups.transfer(shared, offer));
  const accepted = unwrap(await house.groups.transfer(shared, ids));

  expect([first.state, repeated.state, accepted.state]).toEqual(["offered", "offered", "accepted"]);
});
