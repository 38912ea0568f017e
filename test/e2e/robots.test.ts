/** Robots on local ports, called by a started exchange over real connections. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../scripts/lib/client.ts";
import type { Done, McpRobotOptions } from "../support/channels/mcp-robot.ts";
import { PNG } from "../support/media/png.ts";
import { startMcpRobot } from "../support/local-servers/mcp-robot-server.ts";
import { startRobot } from "../support/local-servers/robot-server.ts";
import { type SharedExchange, joinExchange } from "../support/exchange-process.ts";

// oxlint-disable-next-line typescript/no-explicit-any
type Answered = any;

let stack: SharedExchange;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  stack = await joinExchange();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
const createCaller =
  (key: () => string) =>
  (path: string, body?: object): Promise<Answered> => {
    const member = createClient(stack.ready.origin, key());
    return body === undefined ? member.get(path) : member.post(path, body);
  };

const byOwner = createCaller(() => stack.ready.keys.owner);
const byAgent = createCaller(() => stack.ready.keys.agent);

const configure = (id: string, capability: string, notify: object) =>
  byOwner("/mess", {
    config: { executor: { id, kind: "machine", capabilities: [capability], notify } },
  });

async function createThread(intent: string, capability: string): Promise<string> {
  const { MESS } = await byAgent("/mess", { request: { intent, requires: [capability] } });
  return MESS[0].ack.ref as string;
}

/** The thread once it has this status. */
async function until(ref: string, status: string): Promise<Answered> {
  let thread = await byAgent(`/mess/${ref}`);
  await expect
    .poll(
      async () => {
        thread = await byAgent(`/mess/${ref}`);
        return thread.envelope.status as string;
      },
      { timeout: 20_000, interval: 50 },
    )
    .toBe(status);
  return thread;
}

describe("a robot behind a webhook", () => {
  it("a robot behind a webhook claims a request, asks a question, and serves its photo at its own address", async () => {
    // The derived secret can be read before the webhook is configured, as soon as the executor exists.
    await configure("mopper", "mop-floor", { webhook: "http://127.0.0.1:9/hook" });
    const { secret } = await byOwner("/api/v1/executors/mopper/webhook-secret");
    const mopper = await startRobot({ secret });
    stops.push(mopper.stop);
    mopper.files.set("/floor.png", { type: "image/png", bytes: PNG });
    mopper.script.push(
      () =>
        new Response("MESS:\n- status: {code: needs_input, questions: [which area?]}\n", {
          headers: { "Content-Type": "application/yaml" },
        }),
    );
    await configure("mopper", "mop-floor", { webhook: mopper.hook });

    const ref = await createThread("mop up the rice", "mop-floor");
    await until(ref, "needs_input");
    await byAgent(`/mess?ref=${ref}`, { answer: { value: "kitchen" } });
    await expect.poll(() => mopper.about(ref).map(({ event }) => event)).toContain("task.news");
    const done = await mopper.callBack({
      message: {
        MESS: [
          { response: { re: ref, content: [{ image: { uri: `${mopper.origin}/floor.png` } }] } },
          { status: { re: ref, code: "completed" } },
        ],
      },
    });

    expect(done.status).toBe(200);
    const { attachments } = await until(ref, "completed");
    expect(attachments).toMatchObject([
      { mime: "image/png", original: "floor.png", size: PNG.byteLength },
    ]);
    expect(mopper.forged).toEqual([]);
  });

  it("a robot whose server crashes is called again with the same id", async () => {
    await configure("sweeper", "sweep-floor", { webhook: "http://127.0.0.1:9/hook" });
    const { secret } = await byOwner("/api/v1/executors/sweeper/webhook-secret");
    const sweeper = await startRobot({ secret });
    stops.push(sweeper.stop);
    sweeper.script.push("crash", "ok");
    await configure("sweeper", "sweep-floor", { webhook: sweeper.hook });

    const ref = await createThread("sweep the stairs", "sweep-floor");

    await expect.poll(() => sweeper.about(ref).length, { timeout: 30_000 }).toBe(2);
    const [first, second] = sweeper.about(ref);
    expect(second?.id).toBe(first?.id);
  });
});

describe.each(["session", "json", "modern"] as const)("an MCP robot (%s)", (era) => {
  it("an MCP robot works until its call returns, and reports its progress", async () => {
    const work: McpRobotOptions["work"] = async ({ intent }, { progress }): Promise<Done> => {
      await progress(1, 4, "heating");
      await new Promise((resolve) => setTimeout(resolve, 300));
      await progress(3, 4, "printing");
      return {
        content: [
          { type: "text", text: `printed: ${intent}` },
          { type: "image", data: Buffer.from(PNG).toString("base64"), mimeType: "image/png" },
        ],
        structuredContent: { grams: 12 },
      };
    };
    const robot = await startMcpRobot({ era, work, token: "sesame" });
    stops.push(robot.stop);
    const capability = `print-${era}`;
    await configure(`printer-${era}`, capability, { mcp: { url: robot.url, token: "sesame" } });

    const ref = await createThread("print a hook", capability);

    const { envelope, messages } = await until(ref, "completed");
    expect(envelope.executor).toBe(`printer-${era}`);
    const text = JSON.stringify(messages);
    expect(text).toContain("printed: print a hook");
    expect(text).toContain('"grams":12');
    // Plain JSON responses cannot report progress.
    expect(text.includes('"progress_pct":75')).toBe(era !== "json");
    expect(robot.calls).toHaveLength(1);
    expect(robot.sessions.size).toBe(0);
  });
});
