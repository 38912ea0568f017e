/** Work that takes longer than any call: a robot responds with a task (SEP-2663), which is polled. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMcpRobot } from "../../support/channels/mcp-robot.ts";
import { HOUR_MS, MINUTE_MS, passTime, SECOND_MS, START } from "../deliveries/support.ts";
import { connectHost } from "../dispatch/machine-hosts.ts";
import {
  type Answered,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  sendRequest,
} from "../support.ts";
import { createMopTask } from "./support.ts";

beforeEach(() => {
  vi.setSystemTime(START);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const rejectWork = () => Promise.reject(new Error("it answers with a task"));

/** A task that Moppy has claimed and works on as `job-1`. */
async function startWork(poll = 60_000) {
  const home = await createFreshHousehold();
  const robot = createMcpRobot({ era: "modern", poll, work: rejectWork });
  let down = false;
  const url = connectHost("moppy.example.com", async (request) =>
    down ? new Response(null, { status: 503 }) : await robot.handle(request),
  );
  const capabilities = ["mop-floor"];
  const moppy = { id: "moppy", capabilities, notify: { mcp: `${url}/mcp` } };
  await expectOkJson(
    await home.owner.postBlocks(
      { config: { executor: moppy } },
      { config: { executor: { id: "ben", capabilities } } },
    ),
  );
  const ref = await createMopTask(home.agent);
  const readThread = (): Promise<Answered> => home.agent.read(`/mess/${ref}`);
  const readEnvelope = async (): Promise<Answered> => (await readThread()).envelope;
  const readMessagesText = async (): Promise<string> =>
    JSON.stringify((await readThread()).messages);
  const pass = (milliseconds: number) => passTime(home.id, ref, milliseconds);
  await waitUntil(async () => expect(robot.jobs.size).toBe(1));
  await waitUntil(async () => expect((await readEnvelope()).status).toBe("claimed"));
  return {
    ...home,
    ref,
    robot,
    readThread,
    readEnvelope,
    readMessagesText,
    pass,
    goesDown: (): void => void (down = true),
    comesBack: (): void => void (down = false),
  };
}

const DONE = {
  status: "completed" as const,
  result: { content: [{ type: "text" as const, text: "all clean" }] },
};

describe("a robot that takes longer than a call", () => {
  it("a robot with a long task reports its progress, and its result becomes the answer", async () => {
    const { robot, readEnvelope, readMessagesText, pass } = await startWork();

    robot.jobs.set("job-1", { status: "working", statusMessage: "wetting the floor" });
    await pass(61 * SECOND_MS);
    expect(await readEnvelope()).toMatchObject({ status: "in_progress", executor: "moppy" });
    expect(await readMessagesText()).toContain("wetting the floor");
    robot.jobs.set("job-1", DONE);
    await pass(10 * MINUTE_MS);

    expect(await readEnvelope()).toMatchObject({ status: "completed", executor: "moppy" });
    expect(await readMessagesText()).toContain("all clean");
    expect(robot.calls).toHaveLength(1);
  });

  it("a robot with a silent long task keeps its request for hours, with few history entries", async () => {
    const { robot, readThread, readEnvelope, pass } = await startWork();

    await pass(3 * HOUR_MS);

    expect(await readEnvelope()).toMatchObject({ status: "in_progress", executor: "moppy" });
    const { messages } = await readThread();
    expect(messages.filter(({ from }: { from?: string }) => from === "moppy").length).toBeLessThan(
      3 * 12 + 3,
    );
    robot.jobs.set("job-1", DONE);
    await pass(2 * MINUTE_MS);
    expect((await readEnvelope()).status).toBe("completed");
  });

  it("a robot's task is cancelled when the request is", async () => {
    const { agent, ref, robot, readEnvelope, pass } = await startWork();

    await agent.appendBlocks(ref, { cancel: { reason: "found the dog" } });
    await pass(2 * MINUTE_MS);

    expect(robot.jobs.get("job-1")).toEqual({ status: "cancelled" });
    expect((await readEnvelope()).status).toBe("cancelled");
  });

  it("a robot that asked a question waits for the answer, and then completes", async () => {
    const { agent, ref, robot, readEnvelope, pass } = await startWork();
    const { url, token } = robot.calls[0]!.callback!;
    await expectOkJson(
      await sendRequest(new URL(url).pathname, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ status: { code: "needs_input", questions: ["which area?"] } }),
      }),
    );

    await pass(20 * MINUTE_MS);

    expect((await readEnvelope()).status).toBe("needs_input");
    await agent.appendBlocks(ref, { answer: { value: "kitchen" } });
    robot.jobs.set("job-1", DONE);
    await pass(2 * MINUTE_MS);
    expect((await readEnvelope()).status).toBe("completed");
  });

  it("a robot with a long task may be unreachable for a while without losing its result", async () => {
    const { robot, goesDown, comesBack, readEnvelope, pass } = await startWork();

    goesDown();
    await pass(3 * MINUTE_MS);
    comesBack();
    robot.jobs.set("job-1", DONE);
    await pass(10 * MINUTE_MS);

    expect(await readEnvelope()).toMatchObject({ status: "completed", executor: "moppy" });
    expect(robot.calls).toHaveLength(1);
  });

  it.each<[string, (robot: Awaited<ReturnType<typeof startWork>>["robot"]) => void, string]>([
    [
      "has failed",
      ({ jobs }) =>
        void jobs.set("job-1", { status: "failed", error: { code: 1, message: "out of water" } }),
      "out of water",
    ],
    ["does not know the task any more", ({ jobs }) => void jobs.delete("job-1"), "-32602"],
    [
      "has cancelled it",
      ({ jobs }) => void jobs.set("job-1", { status: "cancelled" }),
      "cancelled",
    ],
  ])(
    "a request is offered again if the robot with the long task %s",
    async (_what, happens, reason) => {
      const { robot, readEnvelope, readMessagesText, pass } = await startWork();

      happens(robot);
      await pass(61 * SECOND_MS);

      const { history } = await readEnvelope();
      expect(history.map(({ action }: { action: string }) => action)).toContain("retrying");
      expect(await readMessagesText()).toContain(reason);
    },
  );

  it("a robot that does not respond within its lease loses the request, and its task is cancelled", async () => {
    const { ben, ref, robot, goesDown, comesBack, readEnvelope, pass } = await startWork();

    goesDown();
    await pass(40 * MINUTE_MS);
    await ben.claim(ref);
    await ben.appendBlocks(ref, { status: { code: "in_progress", estimate: "P1D" } });
    comesBack();
    await pass(3 * HOUR_MS);

    expect(
      (await readEnvelope()).history.map(({ action }: { action: string }) => action),
    ).toContain("released");
    expect(await readEnvelope()).toMatchObject({ executor: "ben" });
    expect(robot.jobs.get("job-1")).toEqual({ status: "cancelled" });
  });
});
