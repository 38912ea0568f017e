/** The results of the tools for AI groups say what happened, and what an agent should do next. */
import { describe, expect, it } from "vitest";
import { createPair, readCode, sendToWorker, useFields, useTool } from "./support.ts";
import { ERAS } from "../tool-client.ts";

describe.each(ERAS)("MCP %s", (era) => {
  it("a report that could be about several tasks completes none, and the result names them", async () => {
    const pair = await createPair();
    const { ann, group, ops, worker } = pair;
    const tasks = [
      await sendToWorker(pair, "Sort.", { message_type: "task" }),
      await sendToWorker(pair, "Count.", { message_type: "task" }),
    ];
    const ids = { group_id: group, my_id: worker, to_id: ops };
    const sorted = { ...ids, content: "Sorted.", message_type: "report" };

    const unclear = await useFields(ann, "send", sorted, era);
    const clear = await useFields(ann, "send", { ...sorted, reply_to: tasks[0] }, era);
    const last = await useFields(ann, "send", { ...sorted, content: "Counted." }, era);

    expect(unclear.completes).toBeUndefined();
    expect(unclear.open_tasks).toEqual(tasks);
    expect(unclear.text).toContain(`reply_to: ${tasks.join(", ")}`);
    expect(clear).toMatchObject({ completes: tasks[0] });
    expect(clear.open_tasks).toBeUndefined();
    expect(last).toMatchObject({ completes: tasks[1] });
  });

  it("a member that has just joined is online", async () => {
    const { agent, group, ops, worker } = await createPair();

    const { members } = await useFields(agent, "status", { group_id: group }, era);
    const message = { group_id: group, my_id: ops, to_id: worker, content: "Hello." };
    const sent = await useFields(agent, "send", message, era);

    expect(members).toMatchObject([
      { id: ops, online: true },
      { id: worker, online: true },
    ]);
    expect(sent.receiver_online).toBe(true);
  });

  it("nobody joins under the name of the exchange", async () => {
    const { ann, group } = await createPair();

    for (const name of ["exchange", " Exchange ", "exch\u200bange"]) {
      expect(await readCode(ann, "join", { group_id: group, my_name: name }, era)).toBe(
        "bad_parameter",
      );
      expect(await readCode(ann, "pool_register", { agent_name: name }, era)).toBe("bad_parameter");
    }
  });

  it("a repeated claim names the agent that has the task, and takes no other", async () => {
    const { agent, ann, ops } = await createPair();
    await useFields(ann, "pool_register", { agent_name: "Indiana" });
    await useFields(ann, "pool_register", { agent_name: "Rocky" });
    const claim = { ops_id: ops, task: "Sort the shelves." };
    const first = await useFields(agent, "pool_claim", claim, era);

    const again = await useFields(agent, "pool_claim", claim, era);

    expect(again).toMatchObject({ agent_id: first.agent_id, repeated: true });
    expect(again.text).toContain("no further agent was claimed");
    const free = await useFields(agent, "pool_list", { status: "available" }, era);
    expect(free.agents).toMatchObject([{ name: "Rocky" }]);
  });

  it("a claim for a capability that nobody has lists those of the pool", async () => {
    const { agent, ann, ops } = await createPair();
    const empty = await useTool(agent, "pool_claim", { ops_id: ops }, era);
    const entry = { agent_name: "Indiana", capabilities: ["research"] };
    await useFields(ann, "pool_register", entry);

    const unable = await useTool(agent, "pool_claim", { ops_id: ops, capability: "paint" }, era);

    expect(empty.text).toMatch(/^nobody_available: .*pool_register/);
    expect(unable.text).toMatch(/^nobody_available: .*Valid: research/);
  });

  it("a list of many groups is short, and says how many more there are", async () => {
    const { agent, owner } = await createPair();
    for (let count = 1; count < 50; count++)
      await useFields(agent, "initiate", { topic: `Topic ${count}` }, era);
    await useFields(owner, "initiate", { topic: "The owner's" }, era);

    const listed = await useFields(owner, "status", {}, era);

    expect(listed).toMatchObject({ more: true });
    expect(listed.groups).toHaveLength(50);
    expect(listed.text).toMatch(/\n1 more\.$/);
  });

  it("an agent that rejoins is pointed to its unread messages, or to its open tasks", async () => {
    const pair = await createPair();
    const { ann, group } = pair;
    await sendToWorker(pair, "Sort.", { message_type: "task" });
    const unread = await useTool(ann, "rejoin", { my_name: "indy" }, era);
    await useFields(ann, "read", { group_id: group }, era);

    const read = await useTool(ann, "rejoin", { my_name: "indy" }, era);

    expect(unread.text).toMatch(/Next: read\b/);
    expect(read.text).toMatch(/Next: status\b/);
  });
});
