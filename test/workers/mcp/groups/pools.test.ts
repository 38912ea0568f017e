/** The pools by their tools, the address for all tools, several households, and what the tools refuse. */
import { describe, expect, it } from "vitest";
import { Client, openSignedIn } from "../../oauth/support.ts";
import { Caller, createFreshHousehold, type TestHousehold } from "../../support.ts";
import { createPair, readCode, sendToWorker, useFields, useTool } from "./support.ts";
import { ERAS } from "../tool-client.ts";
import { callRpc, callTool, openSession, TASKS } from "../support.ts";

const ALL = { path: "/mcp/all" };

describe.each(ERAS)("an agent of the pool, by a client of %s", (era) => {
  it(`an agent registers, waits, is claimed with a task, joins and reports, by a client of ${era}`, async () => {
    const { agent, ann } = await createFreshHousehold();
    const made = await useFields(agent, "initiate", { topic: "X", my_name: "lead" }, era);
    const entry = { agent_name: "Indiana", capabilities: ["code-review"], terminal_info: "tty1" };
    const registered = await useTool(ann, "pool_register", entry, era);
    const my_id = registered.fields.agent_id as string;
    const waiting = useTool(ann, "wait", { group_id: "agents", my_id, timeout: 40 }, era);

    const listed = await useFields(agent, "pool_list", { status: "available" }, era);
    const claim = { ops_id: made.my_id, capability: "code-review", task: "Review it" };
    const claimed = await useFields(agent, "pool_claim", claim, era);
    const assignment = await waiting;
    const join = { group_id: made.group_id, my_name: "Indiana", assigned_by: made.my_id };
    const joined = await useFields(ann, "join", join, era);
    const beat = await useFields(ann, "heartbeat", { agent_id: my_id }, era);
    const task = await useTool(ann, "read", { group_id: made.group_id }, era);
    const report = { group_id: made.group_id, my_id: joined.my_id, to_id: made.my_id };
    const done = { ...report, content: "Looks good", message_type: "report" };
    const sent = await useFields(ann, "send", done, era);
    const status = await useFields(agent, "agent_status", { agent_id: my_id }, era);
    const released = await useFields(agent, "pool_release", { agent_id: my_id }, era);

    expect(registered.text).toContain(`group_id=agents my_id=${my_id}`);
    expect(listed.agents).toMatchObject([{ agent_id: my_id, capabilities: ["code-review"] }]);
    expect(claimed).toMatchObject({ agent_id: my_id, group_id: made.group_id });
    expect(assignment.text).toContain(made.group_id);
    expect(joined.my_id).toBe(my_id);
    expect(Date.parse(beat.at)).not.toBeNaN();
    expect(task.text).toContain("> Review it");
    expect(sent.completes).toBe(claimed.task_id);
    expect(status).toMatchObject({ online: true, groups: [made.group_id] });
    expect(released).toMatchObject({ agent_id: my_id, status: "available" });
  });
});

describe("the pools", () => {
  it("ops are claimed from their own pool, and an agent leaves the pool with remove", async () => {
    const { agent, owner, ann, ops } = await createPair();
    const backup = await useFields(owner, "pool_register_ops", { ops_name: "backup" });
    const { agent_id } = await useFields(ann, "pool_register", { agent_name: "Indiana" });

    const claimed = await useFields(agent, "pool_claim", { ops_id: ops, pool: "ops" });
    await useFields(ann, "pool_release", { agent_id, remove: true });

    expect(claimed.agent_id).toBe(backup.agent_id);
    expect((await useFields(agent, "pool_list", { pool: "ops" })).agents).toHaveLength(1);
    expect((await useFields(agent, "pool_list")).agents).toEqual([]);
  });

  it("a claim with nobody there, and a claim by an agent, are refused", async () => {
    const { agent, ann, ops, worker } = await createPair();

    expect(await readCode(agent, "pool_claim", { ops_id: ops })).toBe("nobody_available");
    expect(await readCode(ann, "pool_claim", { ops_id: worker })).toBe("wrong_role");
  });
});

describe("the address for all tools", () => {
  it("tools of requests and of groups work beside each other", async () => {
    const { agent, ann } = await createFreshHousehold();

    const made = await callTool(agent, "group_initiate", { topic: "X", my_name: "lead" }, ALL);
    const { group_id } = made.result.structuredContent;
    const joined = await callTool(ann, "group_join", { group_id, my_name: "indy" }, ALL);
    const asked = await callTool(agent, "mess_do", { intent: "Look", wait_seconds: 0 }, ALL);
    const { result } = await callRpc(agent, "resources/list", {}, ALL);

    expect(made.text).toContain("group_pool_claim");
    expect(joined.text).toContain("group_wait");
    expect(asked.isError).toBe(false);
    expect(result.resources.length).toBeGreaterThan(3);
  });

  it("the hints of refusals name the tools with their prefix", async () => {
    const { agent } = await createFreshHousehold();
    const args = { group_id: "g_00000000", to_id: "a_00000000", content: "x" };

    const refused = await callTool(agent, "group_send", args, ALL);

    expect(refused.text).toMatch(/^not_found\b/);
    expect(refused.text).toContain("group_status");
    expect(refused.text).not.toContain("mess_status");
  });

  it("the address of groups offers no resources and prompts", async () => {
    const { agent } = await createFreshHousehold();
    const path = "/mcp/groups";

    const [resources, prompts, discovered] = await Promise.all([
      callRpc(agent, "resources/list", {}, { path }),
      callRpc(agent, "prompts/list", {}, { path }),
      callRpc(agent, "server/discover", {}, { path }),
    ]);

    expect([resources.error?.code, prompts.error?.code]).toEqual([-32_601, -32_601]);
    expect(Object.keys(discovered.result.capabilities)).not.toContain("resources");
    expect(discovered.result.instructions).toContain("pool_register");
  });

  it("a client of the 2025 revisions opens a session at the address of groups", async () => {
    const { agent } = await createFreshHousehold();

    expect(await openSession(agent, {}, "/mcp/groups")).toEqual({
      "Mcp-Session-Id": expect.stringMatching(/^[0-9a-f-]{36}\./),
    });
  });
});

/** A client to which Ann gave access to the groups of both households. */
async function connectBoth(one: TestHousehold, two: TestHousehold): Promise<Caller> {
  const browser = await openSignedIn([one, "ann", "owner"], [two, "ann", "owner"]);
  const client = await Client.register({}, "/mcp/groups");
  const tokens = await client.tokens(browser, { [one.id]: "agent", [two.id]: "agent" });
  return new Caller("both", tokens.access_token);
}

describe("a caller with several households", () => {
  it("the ids of a call find its household, and a call without ids is refused", async () => {
    const [one, two] = [await createFreshHousehold(), await createFreshHousehold()];
    const caller = await connectBoth(one, two);
    const made = await useTool(caller, "initiate", {
      topic: "X",
      my_name: "lead",
      exchange: two.id,
    });
    const { group_id, my_id } = made.fields;
    const elsewhere = { topic: "Y", my_name: "lead", exchange: one.id };
    const first = await useFields(caller, "initiate", elsewhere);
    const unnamed = await useTool(caller, "pending");
    const other = await useTool(caller, "join", { group_id, my_name: "second" });

    const args = { group_id, my_id, to_id: other.fields.my_id, content: "hello" };
    const sent = await useTool(caller, "send", args);
    const read = await useTool(caller, "read", { my_id: other.fields.my_id });
    const listed = await useTool(caller, "status", {});
    const unknown = await useTool(caller, "send", { ...args, my_id: "a_00000000" });

    expect(sent.fields.id).toMatch(/^msg_/);
    expect(read.text).toContain("> hello");
    expect(unnamed.text).toMatch(/^several_memberships\b/);
    const places = listed.fields.groups.map((group: Record<string, string>) => [
      group["group_id"],
      group["exchange"],
    ]);
    expect(new Map(places)).toEqual(
      new Map([
        [first.group_id, one.id],
        [group_id, two.id],
      ]),
    );
    expect(unknown.text).toMatch(/^unknown_member\b/);
  });

  it("the task of a wait names its household", async () => {
    const [one, two] = [await createFreshHousehold(), await createFreshHousehold()];
    const caller = await connectBoth(one, two);
    const topic = { topic: "X", my_name: "lead", exchange: two.id };
    const { group_id, my_id } = await useFields(caller, "initiate", topic);
    const options = { path: "/mcp/groups", capabilities: { extensions: { [TASKS]: {} } } };
    const call = { name: "wait", arguments: { group_id, my_id, timeout: 60 } };
    const { taskId } = (await callRpc(caller, "tools/call", call, options)).result;

    const found = await callRpc(caller, "tasks/get", { taskId }, options);
    const elsewhere = taskId.replace(two.id, one.id);
    const missing = await callRpc(caller, "tasks/get", { taskId: elsewhere }, options);

    expect(taskId).toContain(`${two.id}/wait.`);
    expect(found.result.status).toBe("working");
    expect(missing.error?.code).toBe(-32_602);
  });
});

describe("bad input", () => {
  it.each([
    ["send", { to_id: "a_1" }, "content"],
    ["send", { to_id: "a_1", content: "x".repeat(16_001) }, "content"],
    ["send", { to_id: "a_1", content: "x", message_type: "order" }, "message_type"],
    ["send", { to_id: "a_1", content: "x", tool_usage: [1] }, "tool_usage"],
    ["read", { limit: 1_000 }, "limit"],
    ["read", { between: ["a_1"] }, "between"],
    ["wait", { timeout: 601 }, "timeout"],
    ["wait", { cursor: -1 }, "cursor"],
    ["initiate", { topic: " " }, "topic"],
    ["join", { group: "g_1" }, "group_id"],
    ["mark_read", {}, "msg_id"],
    ["pool_list", { status: "busy" }, "status"],
    ["pool_register", { agent_name: "x", capabilities: "one" }, "capabilities"],
  ])("the call %s %j is refused with the parameter", async (name, args, parameter) => {
    const { agent } = await createPair();

    const { text, isError } = await useTool(agent, name, args);

    expect(isError).toBe(true);
    expect(text).toMatch(/^bad_parameter\b/);
    expect(text).toContain(parameter);
  });

  it.each([
    ["status", { group_id: "g_00000000" }],
    ["read", { group_id: "nonsense" }],
    ["join", { group_id: "g_00000000", my_name: "x" }],
    ["close", { group_id: "g_00000000" }],
    ["wait", { group_id: "agents", timeout: 0 }],
    ["rejoin", { my_name: "nobody" }],
  ])("the call %s %j with unknown ids is not found, with a hint", async (name, args) => {
    const { agent } = await createFreshHousehold();

    const { text } = await useTool(agent, name, args);

    expect(text).toMatch(/^not_found: .*\. [A-Z]/);
  });

  it("the id of another credential is refused, and nothing is sent", async () => {
    const pair = await createPair();
    const { ann, ops, worker, group } = pair;
    const args = { group_id: group, my_id: ops, to_id: worker, content: "as the boss" };

    expect(await readCode(ann, "send", args)).toBe("unknown_member");
    expect((await useFields(ann, "pending")).total_pending).toBe(0);
  });

  it("an agent's call of a tool for ops is refused", async () => {
    const { ann, ops, worker, group } = await createPair();
    const handoff = { from_ops_id: worker, to_agent_id: ops, verification_passed: true };

    expect(await readCode(ann, "close", { group_id: group, my_ops_id: worker })).toBe("wrong_role");
    expect(await readCode(ann, "transfer_ops", handoff)).toBe("wrong_role");
  });

  it("the same message sent twice in a row is stored once", async () => {
    const pair = await createPair();
    const first = await sendToWorker(pair, "again?");

    const args = { to_id: pair.worker, content: "again?" };
    const second = await useTool(pair.agent, "send", args);

    expect(second.fields).toMatchObject({ id: first, repeated: true });
    expect((await useFields(pair.ann, "pending")).total_pending).toBe(1);
  });
});
