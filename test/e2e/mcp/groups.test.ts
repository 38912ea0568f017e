/** AI groups with real MCP clients of both generations: leading, asking people, working, recovering and handing over. */
import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../scripts/lib/client.ts";
import { GROUPS_PATH, Participant } from "./participant.ts";
import { ann, readText, stack } from "./stage.ts";
import { openTaskSession } from "./task-session.ts";

/** An agent of the pool: waits for an assignment, works on it and reports. */
async function workOnce(agent: Participant, name: string): Promise<{ id: string; group: string }> {
  const { agent_id: id } = await agent.use("pool_register", { agent_name: name });
  const assigned = await agent.wait({ group_id: "agents", my_id: id });
  const [group = ""] = /\bg_\w+/.exec(assigned.text) ?? [];
  const joined = await agent.use("join", { group_id: group, my_name: name });
  expect(joined.my_id).toBe(id);
  await agent.use("heartbeat", { agent_id: id, group_id: group });
  const {
    messages: [task],
    text,
  } = await agent.use("read", { group_id: group, my_id: id });
  const [, wanted] = /> (.+)/.exec(text) ?? [];
  const report = { to_id: task.from, message_type: "report", reply_to: task.id };
  await agent.use("send", {
    group_id: group,
    my_id: id,
    ...report,
    content: `Done: ${wanted}`,
    files_modified: [`${name}.ts`],
  });
  return { id, group };
}

describe.each(["the 2025 SDK", "the 2.x client"] as const)("AI groups by %s", (era) => {
  const connect = (key: string | undefined) => Participant.connect(era, key ?? "");

  it(`ops claims two agents of the pool, and both report what they were given, by ${era}`, async () => {
    const { keys } = stack.ready;
    const ops = await connect(keys.agent);
    const agents = await Promise.all(
      [keys.executors["ann-phone"], keys.executors["roomba"]].map(connect),
    );
    const { group_id, my_id } = await ops.use("initiate", { topic: "Project X", my_name: "lead" });
    const work = agents.map((agent, index) => workOnce(agent, `${era} ${index}`));

    await expect
      .poll(async () => (await ops.use("pool_list", { status: "available" })).agents, {
        timeout: 20_000,
      })
      .toHaveLength(2);
    const claims = [];
    for (const task of ["Build A", "Test A"])
      claims.push(await ops.use("pool_claim", { ops_id: my_id, target_group_id: group_id, task }));
    const reports = await ops.waitForAll({ group_id, my_id }, "report", 2);
    const done = await Promise.all(work);

    expect(new Set(claims.map(({ agent_id }) => agent_id))).toEqual(
      new Set(done.map(({ id }) => id)),
    );
    expect(new Set(reports.map(({ from }) => from)).size).toBe(2);
    const { text } = await ops.use("read", { group_id, my_id });
    expect(text).toContain("> Done: Build A");
    expect(text).toContain("> Done: Test A");
    const status = await ops.use("status", { group_id });
    expect(status.tasks).toEqual([]);
    for (const { id } of done) await ops.use("pool_release", { agent_id: id, remove: true });
    expect((await ops.use("close", { group_id, my_ops_id: my_id })).status).toBe("closed");
    await expect(agents[0]!.use("send", { group_id, to_id: my_id, content: "x" })).rejects.toThrow(
      /^group_closed/,
    );
  });

  it(`an agent that lost its context finds its group, its id and its unread messages, by ${era}`, async () => {
    const { keys } = stack.ready;
    const ops = await connect(keys.agent);
    const agent = await connect(keys.executors["ann-phone"]);
    const { group_id, my_id } = await ops.use("initiate", { topic: "Y", my_name: `lead ${era}` });
    const name = `Rocky ${era}`;
    const joined = await agent.use("join", { group_id, my_name: name });
    for (const content of ["the plan", "a change of the plan"])
      await ops.use("send", { group_id, my_id, to_id: joined.my_id, content });

    const later = await connect(keys.executors["ann-phone"]);
    const found = await later.use("rejoin", { my_name: name });
    const own = { group_id: found.group_id, my_id: found.my_id };
    const { text } = await later.use("read", { ...own, other_id: my_id, limit: 5 });
    await later.use("mark_all_read", own);
    const nothing = await later.use("wait", { ...own, timeout: 0 });

    expect(found).toMatchObject({ group_id, my_id: joined.my_id, pending_count: 2 });
    expect(found.pending_summary.by_sender[my_id]).toMatchObject({ count: 2 });
    expect(found.text).not.toContain("plan");
    expect(text).toMatch(/> the plan[^]*> a change of the plan/);
    expect(nothing).toMatchObject({ messages: [], total_pending: 0 });
  });

  it(`a person answers a task on the phone, and a robot after its question was answered, by ${era}`, async () => {
    const { keys, origin } = stack.ready;
    const ops = await connect(keys.agent);
    const roomba = createClient(origin, keys.executors["roomba"] ?? "");
    const own = await ops.use("initiate", { topic: "Z", my_name: `host ${era}` });
    const me = { group_id: own.group_id, my_id: own.my_id };
    const task = { ...me, message_type: "task" };

    const asked = await ops.use("send", { ...task, to_id: "ann-phone", content: "Oven off?" });
    await ann.post(`/thread/${asked.ref}`, {
      MESS: [{ response: { content: ["It is off"] } }, { status: { code: "completed" } }],
    });
    const answered = await ops.wait(me);
    const sent = await ops.use("send", { ...task, to_id: "roomba", content: "Clean the floor" });
    await roomba.post(`/thread/${sent.ref}`, {
      MESS: [{ status: { code: "needs_input", questions: ["Which room?"] } }],
    });
    const question = await ops.wait(me);
    const reply_to = question.messages[0].id;
    await ops.use("send", { ...me, to_id: "roomba", content: "the hall", reply_to });
    await roomba.post(`/thread/${sent.ref}`, { MESS: [{ response: { content: ["Clean"] } }] });
    const done = await ops.wait(me);
    const { tasks, members } = await ops.use("status", { group_id: own.group_id });

    expect(answered.messages).toMatchObject([
      { type: "report", from: "ann-phone", person: true, reply_to: asked.id, ref: asked.ref },
    ]);
    expect(answered.text).toContain("> It is off");
    expect(question.text).toContain("> q1: Which room?");
    expect(done.messages).toMatchObject([{ type: "report", from: "roomba", reply_to: sent.id }]);
    expect(done.text).toContain("> Clean");
    expect(tasks).toEqual([]);
    expect(members).toContainEqual(expect.objectContaining({ id: "roomba", role: "robot" }));
  });

  it(`ops hands the group over after the receiver has shown that it understands, by ${era}`, async () => {
    const { keys } = stack.ready;
    const ops = await connect(keys.agent);
    const receiver = await connect(keys.owner);
    const { group_id, my_id } = await ops.use("initiate", { topic: "Z", my_name: `first ${era}` });
    const joined = await receiver.use("join", { group_id, my_name: `second ${era}` });
    const own = { group_id, my_id };
    const theirs = { group_id, my_id: joined.my_id };
    const ids = { group_id, from_ops_id: my_id, to_agent_id: joined.my_id };

    const question = { content: "What do we build?", message_type: "verification" };
    await ops.use("send", { ...own, to_id: joined.my_id, ...question });
    const { messages, cursor } = await receiver.wait({ ...theirs, cursor: "0" });
    const answer = { content: "Z, in phase 2", reply_to: messages[0].id };
    await receiver.use("send", { ...theirs, to_id: my_id, ...answer });
    const answered = await ops.wait({ ...own, cursor: "0" });
    const early = receiver.use("transfer_ops", ids);
    await expect(early).rejects.toThrow(/^not_found/);
    await ops.use("transfer_ops", {
      ...ids,
      context_summary: "Z is half done.",
      verification_passed: true,
    });
    const offer = await receiver.wait({ ...theirs, cursor });
    const accepted = await receiver.use("transfer_ops", ids);
    const { members } = await receiver.use("status", { group_id });
    const sent = await ops.use("send", { ...own, to_id: joined.my_id, content: "Good luck" });

    expect(answered.text).toContain("> Z, in phase 2");
    expect(offer.text).toContain("Z is half done.");
    expect(accepted).toMatchObject({ state: "accepted", new_ops_id: expect.stringMatching(/^o_/) });
    expect(members.filter(({ primary }: { primary?: true }) => primary)).toMatchObject([
      { id: accepted.new_ops_id, role: "ops" },
    ]);
    expect(sent.to).toBe(accepted.new_ops_id);
  });
});

describe("a wait as a task", () => {
  it("a client of the tasks extension waits by a task, which completes with the message", async () => {
    const { keys } = stack.ready;
    const ops = await Participant.connect("the 2.x client", keys.agent);
    const agent = await Participant.connect("the 2.x client", keys.executors["ann-phone"] ?? "");
    const { group_id, my_id } = await ops.use("initiate", { topic: "T", my_name: "task lead" });
    const joined = await agent.use("join", { group_id, my_name: "tasked" });
    const session = await openTaskSession(
      async () => {
        throw new Error("a wait asks nothing");
      },
      {},
      { key: keys.executors["ann-phone"] ?? "", path: GROUPS_PATH },
    );

    const own = { group_id, my_id: joined.my_id };
    const execution = await session.callTool("wait", { ...own, timeout: 300 });
    const settled = execution.settle();
    await ops.use("send", { group_id, my_id, to_id: joined.my_id, content: "Wake up" });
    const { outcome } = await settled;

    expect(readText(resultFromTaskOutcome(outcome))).toContain("> Wake up");
    await session.close();
  });
});
