/** What an agent at MCP sees of a request that joined another's: the answer, wherever it is given. */
import { describe, expect, it } from "vitest";
import { type Caller, waitUntil, freshHousehold } from "../support.ts";
import { refIn, rpc, TASKS, tool } from "./support.ts";

const FRIDGE = { intent: "What is in the fridge?", requires: ["take-photo"] };

async function two() {
  const home = await freshHousehold();
  return { ...home, rover: await home.member("rover", "agent") };
}

const look = (caller: Caller, wait_seconds = 0) =>
  tool(caller, "mess_observe", { ...FRIDGE, wait_seconds });

const MILK = [{ response: { content: ["Milk."] } }, { status: { code: "completed" } }];

describe("a request that joined another", () => {
  it("a joined request is answered within the call that asked", async () => {
    const { agent, ann, rover } = await two();
    const ref = await agent.ask(FRIDGE.intent, FRIDGE);
    const asked = look(rover, 20);
    await waitUntil(async () => {
      const { envelope } = await agent.read(`/mess/${ref}`);
      expect(envelope.history.at(-1).action).toBe("merged");
    });
    await ann.tell(ref, ...MILK);

    const { text } = await asked;

    expect(text).toMatch(/> Milk\./);
    expect(text).toContain("completed");
  });

  it("a joined request names the thread to wait for, and a wait for either thread is answered", async () => {
    const { agent, ann, rover } = await two();
    const first = await agent.ask(FRIDGE.intent, FRIDGE);
    const { text } = await look(rover);
    expect(refIn(text)).toBe(first);
    const { threads } = await rover.read("/mess?status=superseded");
    const { ref: second } = threads[0];

    const waits = Promise.all(
      [first, second].map((re) => tool(rover, "mess_wait", { re, wait_seconds: 20 })),
    );
    await ann.tell(first, ...MILK);

    for (const { text: told } of await waits) expect(told).toMatch(/> Milk\./);
  });

  it("a joined request leaves questions to the first requestor", async () => {
    const { agent, ann, rover } = await two();
    const ref = await agent.ask(FRIDGE.intent, FRIDGE);
    await ann.tell(ref, { status: { code: "needs_input", questions: ["Which fridge?"] } });

    const { text } = await look(rover);

    expect(text).toContain("Which fridge?");
    expect(text).not.toContain("mess_reply");
    expect(text).toContain("mess_wait");
  });

  it("a joined request is one task, which ends with the answer", async () => {
    const { agent, ann, rover } = await two();
    const first = await agent.ask(FRIDGE.intent, FRIDGE);
    const options = { capabilities: { extensions: { [TASKS]: {} } } };
    const call = { name: "mess_observe", arguments: FRIDGE };
    const { taskId, status } = (await rpc(rover, "tools/call", call, options)).result;
    expect(status).toBe("working");
    expect(taskId).not.toBe(first);
    await ann.tell(first, ...MILK);

    const { result } = await rpc(rover, "tasks/get", { taskId }, options);

    expect(result).toMatchObject({ status: "completed", taskId });
    expect(result.result.content[0].text).toMatch(/> Milk\./);
  });
});
