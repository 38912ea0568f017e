/**
 * Makes every call of the examples in the skill for AI groups against a started exchange, in their order, by ops and an
 * agent. The ids in the examples are replaced by those of the results.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { joinExchange, type SharedExchange } from "../support/exchange-process.ts";
import { PlayedSkill } from "../support/played-skill.ts";
import { Agent } from "../support/scripted-members.ts";
import { readToolSkill } from "../support/tool-skills.ts";

let stack: SharedExchange;
let ops: Agent;
let agent: Agent;
const skill = new PlayedSkill(readToolSkill("groups"));
const { ids } = skill;
const play = skill.play.bind(skill);

beforeAll(async () => {
  stack = await joinExchange();
  const { origin, keys } = stack.ready;
  const address = { origin, mcp: `${origin}/mcp/groups` };
  ops = await Agent.connect(address, keys.agent);
  agent = await Agent.connect(address, keys.owner);
});

afterAll(async () => {
  await ops?.close();
  await agent?.close();
});

it("the calls of ops and agent lead from an empty pool to a report, and a handoff", async () => {
  const made = await play("ops.yaml", "initiate", ops);
  ids.set("GROUP", made.fields["group_id"] as string).set("OPS", made.fields["my_id"] as string);
  const registered = await play("agent.yaml", "pool_register", agent);
  ids.set("AGENT", registered.fields["agent_id"] as string);
  const assigned = play("agent.yaml", "wait", agent);
  expect((await play("ops.yaml", "pool_list", ops)).text).toContain(ids.get("AGENT"));
  const claimed = await play("ops.yaml", "pool_claim", ops);
  ids.set("TASK", claimed.fields["task_id"] as string);
  expect((await assigned).text).toContain(ids.get("GROUP"));
  await play("agent.yaml", "join", agent);
  await play("ops.yaml", "send", ops);

  const read = await play("agent.yaml", "read", agent);
  expect(read.text).toContain("> Review src/wait for races.");
  expect(read.text).toContain("> Look at the timeout first.");
  await play("agent.yaml", "reserve", agent);
  await play("agent.yaml", "heartbeat", agent);
  const reported = play("ops.yaml", "wait", ops);
  expect((await play("agent.yaml", "send", agent)).fields["completes"]).toBe(ids.get("TASK"));
  await play("agent.yaml", "release", agent);
  expect((await reported).text).toContain("> One race in wait.ts");
  await play("ops.yaml", "mark_read", ops);
  expect((await play("ops.yaml", "agent_status", ops)).fields["online"]).toBe(true);

  const found = await play("recovery.yaml", "rejoin", agent);
  expect(JSON.stringify(found.fields)).toContain(ids.get("AGENT"));
  await play("recovery.yaml", "read", agent);
  await play("recovery.yaml", "mark_all_read", agent);
  await play("recovery.yaml", "wait", agent);

  await play("handoff.yaml", "send", ops);
  await play("handoff.yaml", "send", ops);
  const answer = { group_id: ids.get("GROUP"), my_id: ids.get("AGENT"), to_id: ids.get("OPS") };
  await agent.call("send", { ...answer, content: "Release 2.4; the tests come next." });
  expect((await play("handoff.yaml", "wait", ops)).text).toContain("> Release 2.4;");
  await play("handoff.yaml", "transfer_ops", ops);
  const accepted = await play("handoff.yaml", "transfer_ops", agent);
  expect(accepted.fields["state"]).toBe("accepted");

  await play("ops.yaml", "pool_release", ops);
  const closed = await play("ops.yaml", "close", ops);
  expect(closed.fields["status"]).toBe("closed");
});

it("every call of the examples for groups was made", () => {
  skill.expectAllPlayed();
});
