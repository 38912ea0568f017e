/** An agent's view of a request that joined another one: it gets the answer, whichever thread receives it. */
import { describe, expect, it } from "vitest";
import { type Caller, waitUntil, createFreshHousehold } from "../support.ts";
import { findRef, callRpc, TASKS, callTool } from "./support.ts";

const FRIDGE = { intent: "What is in the fridge?", requires: ["take-photo"] };

async function createTwoRequests() {
  const home = await createFreshHousehold();
  return { ...home, rover: await home.addMember("rover", "agent") };
}

const callObserve = (caller: Caller, wait_seconds = 0) =>
  callTool(caller, "mess_observe", { ...FRIDGE, wait_seconds });

const MILK = [{ response: { content: ["Milk."] } }, { status: { code: "completed" } }];

describe("a request that joined another", () => {
  it("a joined request returns the answer within the same call", async () => {
    const { agent, ann, rover } = await createTwoRequests();
    const ref = await agent.createThread(FRIDGE.intent, FRIDGE);
    const asked = callObserve(rover, 20);
    await waitUntil(async () => {
      const { envelope } = await agent.read(`/mess/${ref}`);
      expect(envelope.history.at(-1).action).toBe("merged");
    });
    await ann.appendBlocks(ref, ...MILK);

    const { text } = await asked;

    expect(text).toMatch(/> Milk\./);
    expect(text).toContain("completed");
  });

  it("a joined request names the thread to wait for, and a wait on either thread returns the answer", async () => {
    const { agent, ann, rover } = await createTwoRequests();
    const first = await agent.createThread(FRIDGE.intent, FRIDGE);
    const { text, result } = await callObserve(rover);
    expect(findRef(text)).toBe(first);
    expect(text).toContain("joined");
    const second = await waitUntil(async () => {
      const { threads } = await rover.read("/mess?status=superseded");
      return threads[0].ref as string;
    });
    expect(result.structuredContent).toMatchObject({ ref: first, joined_by: second });

    const waits = Promise.all(
      [first, second].map((re) => callTool(rover, "mess_wait", { re, wait_seconds: 20 })),
    );
    await ann.appendBlocks(first, ...MILK);

    for (const { text } of await waits) expect(text).toMatch(/> Milk\./);
  });

  it("a joined request leaves questions to the first requestor", async () => {
    const { agent, ann, rover } = await createTwoRequests();
    const ref = await agent.createThread(FRIDGE.intent, FRIDGE);
    await ann.appendBlocks(ref, { status: { code: "needs_input", questions: ["Which fridge?"] } });

    const { text } = await callObserve(rover);

    expect(text).toContain("Which fridge?");
    expect(text).not.toContain("mess_reply");
    expect(text).toContain("mess_wait");
  });

  it("a repeated call says that a joined request is still open", async () => {
    const { agent, rover } = await createTwoRequests();
    await agent.createThread(FRIDGE.intent, FRIDGE);
    const args = { ...FRIDGE, id: "fridge", wait_seconds: 0 };
    await callTool(rover, "mess_observe", args);

    const { text } = await callTool(rover, "mess_observe", args);

    expect(text).toMatch(/^Nothing new was asked\b.*\bstill open\b/);
  });

  it("a joined request is one task, which ends with the answer", async () => {
    const { agent, ann, rover } = await createTwoRequests();
    const first = await agent.createThread(FRIDGE.intent, FRIDGE);
    const options = { capabilities: { extensions: { [TASKS]: {} } } };
    const call = { name: "mess_observe", arguments: FRIDGE };
    const { taskId, status } = (await callRpc(rover, "tools/call", call, options)).result;
    expect(status).toBe("working");
    expect(taskId).not.toBe(first);
    await ann.appendBlocks(first, ...MILK);

    const { result } = await callRpc(rover, "tasks/get", { taskId }, options);

    expect(result).toMatchObject({ status: "completed", taskId });
    expect(result.result.content[0].text).toMatch(/> Milk\./);
  });
});
