/** The place of requests that wait for a robot at its capacity. */
import { describe, expect, it } from "vitest";
import { callTool } from "../../mcp/support.ts";
import {
  type Answered,
  type Caller,
  createFreshHousehold,
  expectOkJson,
  waitUntil,
} from "../../support.ts";

/** A robot that does one thing at a time, and is busy. */
async function createBusyRobot() {
  const home = await createFreshHousehold();
  const executor = { id: "robo", kind: "machine", capabilities: ["mop"], capacity: 1 };
  await expectOkJson(await home.owner.postBlocks({ config: { executor } }));
  const busy = await home.agent.createThread("mop the hall", { requires: ["mop"] });
  await home.robo.claim(busy);
  await waitUntil(async () =>
    expect((await requestMopping(home.agent)).queue_position).toBeGreaterThan(0),
  );
  return { ...home, busy };
}

const requestMopping = async (agent: Caller): Promise<Answered> =>
  (
    await expectOkJson(
      await agent.postBlocks({ request: { intent: crypto.randomUUID(), requires: ["mop"] } }),
    )
  ).MESS[0].ack;

const readPosition = async (caller: Caller, ref: string): Promise<number | undefined> =>
  (await caller.read(`/mess/${ref}/route`)).queue_position;

describe("the queue of an executor at its capacity", () => {
  it("shows the place of a request in its ack, its route and over MCP, until it is the first", async () => {
    const { agent, robo, busy } = await createBusyRobot();
    const { ref } = await requestMopping(agent);
    const before = await waitUntil(async () => {
      const position = await readPosition(agent, ref);
      expect(position).toBeGreaterThan(1);
      return position!;
    });
    const next = await waitUntil(async () => {
      const ack = await requestMopping(agent);
      expect(ack.queue_position).toBeGreaterThan(before);
      return ack;
    });

    const asked = await callTool(agent, "mess_do", {
      intent: "mop the cellar",
      requires: ["mop"],
      wait_seconds: 0,
    });
    const status = await callTool(agent, "mess_status", { re: ref });

    const { queue_position } = asked.result.structuredContent;
    expect(queue_position).toBeGreaterThan(before);
    expect(asked.text).toContain(`number ${queue_position} in their queue`);
    expect(status.result.structuredContent.queue_position).toBe(before);
    expect(status.text).toContain(`number ${before} in their queue`);
    await robo.appendBlocks(busy, { status: { code: "completed" } });
    await waitUntil(async () => expect(await readPosition(agent, next.ref)).toBeUndefined());
    expect((await callTool(agent, "mess_status", { re: ref })).text).not.toContain("queue");
  });

  it("has no place for a request that somebody else can take", async () => {
    const { owner, agent } = await createBusyRobot();
    const executor = { id: "ann", capabilities: ["mop"] };
    await expectOkJson(await owner.postBlocks({ config: { executor } }));

    expect((await requestMopping(agent)).queue_position).toBeUndefined();
  });
});
