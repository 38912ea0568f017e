import { afterEach, describe, expect, it, vi } from "vitest";
import { createMcpRobot } from "../../support/channels/mcp-robot.ts";
import { connectHost } from "../dispatch/machine-hosts.ts";
import { passTime } from "../deliveries/support.ts";
import { type Caller, waitUntil, expectOkJson, createFreshHousehold } from "../support.ts";
import { createMopTask, postCallback, PHOTO, createRobotHousehold } from "./support.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const readEnvelope = async (agent: Caller, ref: string) =>
  (await agent.read(`/mess/${ref}`)).envelope;

const readStatus = async (agent: Caller, ref: string): Promise<string> =>
  (await readEnvelope(agent, ref)).status as string;

describe("a task for a robot behind a webhook", () => {
  it("a robot behind a webhook claims, asks, reports progress and answers with a photo", async () => {
    const { agent, moppy } = await createRobotHousehold();
    const ref = await createMopTask(agent, { context: ["it was basmati"] });
    const offer = await waitUntil(async () => {
      const [hook] = moppy.about(ref);
      expect(hook).toMatchObject({ event: "task.offered", type: "application/yaml" });
      return hook!;
    });
    const appendStatus = async (status: object) =>
      await expectOkJson(await moppy.callBack({ url: offer.callback!.url, message: { status } }));

    await appendStatus({ re: ref, code: "claimed", eta: "20m" });
    const { ack } = (
      await appendStatus({ re: ref, code: "needs_input", questions: ["which area?"] })
    ).MESS[0];
    await agent.appendBlocks(ref, { reply: { re: ack.ref, answers: { q1: "kitchen" } } });
    const news = await waitUntil(async () => {
      const hook = moppy.about(ref).find(({ event }) => event === "task.news");
      expect(hook?.body).toContain("kitchen");
      return hook!;
    });
    await expectOkJson(
      await moppy.callBack({
        url: news.callback!.url,
        token: news.callback!.token,
        message: { status: { code: "in_progress", progress_pct: 40 } },
      }),
    );
    await appendStatus({ re: ref, code: "partial", message: "the stove is done" });
    await expectOkJson(
      await moppy.callBack({
        url: news.callback!.url,
        message: {
          MESS: [
            { response: { re: ref, content: [{ image: { file: "floor.png" } }, "all clean"] } },
            { status: { re: ref, code: "completed" } },
          ],
        },
        files: [new File([PHOTO], "floor.png", { type: "image/png" })],
      }),
    );

    const { envelope, attachments } = await agent.read(`/mess/${ref}`);
    expect(envelope).toMatchObject({ status: "completed", executor: "moppy" });
    const actions = envelope.history.map(({ action }: { action: string }) => action);
    expect(actions.filter((action: string) => action !== "dispatched")).toEqual([
      "created",
      "claimed",
      "needs_input",
      "replied",
      "in_progress",
      "partial",
      "completed",
    ]);
    expect(attachments).toMatchObject([{ mime: "image/png", size: PHOTO.byteLength }]);
    expect(moppy.forged).toEqual([]);
  });

  it("a robot behind a webhook claims a request in its response to the offer", async () => {
    const { agent, moppy } = await createRobotHousehold();
    moppy.script.push(
      () =>
        new Response("MESS:\n- status: {code: claimed, eta: 5m}\n", {
          headers: { "Content-Type": "application/yaml" },
        }),
    );

    const ref = await createMopTask(agent);

    await waitUntil(async () =>
      expect(await readEnvelope(agent, ref)).toMatchObject({
        status: "claimed",
        executor: "moppy",
      }),
    );
  });

  it("a robot with the body format JSON gets the offer and a cancel as JSON", async () => {
    const webhook = { url: "https://moppy.example.com/hook", body: "json" };
    const { agent, moppy } = await createRobotHousehold({ webhook });
    const ref = await createMopTask(agent);
    await waitUntil(async () => expect(moppy.about(ref)).toHaveLength(1));
    const [offer] = moppy.about(ref);
    await expectOkJson(
      await moppy.callBack({
        url: offer!.json.data.callback.url,
        message: { status: { re: ref, code: "claimed" } },
      }),
    );

    await agent.appendBlocks(ref, { cancel: { reason: "the dog ate it" } });

    const cancelled = await waitUntil(async () => {
      const hook = moppy.about(ref).find(({ json }) => json.type === "task.news");
      expect(hook?.json.data).toMatchObject({ ref, status: "cancelled", mine: true });
      return hook!;
    });
    expect(cancelled.json.data.news).toContain("the dog ate it");
  });
});

describe("a task for an MCP robot", () => {
  const createHome = async (options: Parameters<typeof createMcpRobot>[0]) => {
    const household = await createFreshHousehold();
    const robot = createMcpRobot(options);
    const url = `${connectHost(`${household.id}.example.com`, robot.handle)}/mcp`;
    const executor = { id: "moppy", capabilities: ["mop-floor"], notify: { mcp: { url } } };
    await expectOkJson(await household.owner.postBlocks({ config: { executor } }));
    return { ...household, robot };
  };

  it("a call of an MCP robot claims the request, reports its progress and answers with its picture", async () => {
    const data = btoa(String.fromCharCode(...PHOTO, ...Array.from({ length: 6_000 }, () => 7)));
    const { agent, robot } = await createHome({
      work: async (_work, { progress }) => {
        await progress(1, 2, "half of it");
        return {
          content: [
            { type: "text", text: "all clean" },
            { type: "image", data, mimeType: "image/png" },
          ],
          structuredContent: { area_m2: 4 },
        };
      },
    });

    const ref = await createMopTask(agent);

    await waitUntil(async () => expect(await readStatus(agent, ref)).toBe("completed"));
    const { envelope, messages, attachments } = await agent.read(`/mess/${ref}`);
    expect(envelope.executor).toBe("moppy");
    expect(JSON.stringify(messages)).toContain('"progress_pct":50');
    expect(JSON.stringify(messages)).toContain('"area_m2":4');
    expect(attachments).toMatchObject([{ mime: "image/png" }]);
    expect(robot.calls).toHaveLength(1);
    expect(robot.calls[0]).toMatchObject({ ref, intent: "mop up the rice" });
  });

  it("an MCP robot that asks a question is called again with the answer", async () => {
    const { agent, robot } = await createHome({
      work: async ({ news }) =>
        news === undefined
          ? {
              content: [],
              structuredContent: {
                MESS: [{ status: { code: "needs_input", questions: ["which area?"] } }],
              },
            }
          : { content: [{ type: "text", text: news }] },
    });
    const ref = await createMopTask(agent);
    await waitUntil(async () => expect(await readStatus(agent, ref)).toBe("needs_input"));

    await agent.appendBlocks(ref, { answer: { value: "kitchen" } });

    await waitUntil(async () => expect(await readStatus(agent, ref)).toBe("completed"));
    expect(robot.calls[1]?.news).toContain("kitchen");
  });

  it("an MCP robot is called once a request that needs confirmation is confirmed", async () => {
    const { agent, robot } = await createHome({
      work: async () => ({ content: [{ type: "text", text: "all clean" }] }),
    });
    const ref = await createMopTask(agent, { confirm_before: true });
    await waitUntil(async () => expect(await readStatus(agent, ref)).toBe("needs_confirmation"));
    const before = robot.calls.length;

    await agent.appendBlocks(ref, { reply: { confirm: true } });

    await waitUntil(async () => expect(await readStatus(agent, ref)).toBe("completed"));
    expect([before, robot.calls.length]).toEqual([0, 1]);
  });

  it("an MCP robot that takes longer sends callbacks with the token of its call", async () => {
    const { agent, robot } = await createHome({
      work: async () => ({
        content: [],
        structuredContent: { MESS: [{ status: { code: "in_progress", eta: "2h" } }] },
      }),
    });
    const ref = await createMopTask(agent);
    await waitUntil(async () => expect(await readStatus(agent, ref)).toBe("in_progress"));
    const { url, token } = robot.calls[0]!.callback!;

    const message = JSON.stringify({
      MESS: [{ response: { content: ["done"] } }, { status: { code: "completed" } }],
    });
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    await expectOkJson(
      await postCallback(new Request(url, { method: "POST", headers, body: message })),
    );

    expect(await readStatus(agent, ref)).toBe("completed");
  });

  it("a request that an MCP robot fails is tried again", async () => {
    let tries = 0;
    const { agent } = await createHome({
      work: async () =>
        ++tries === 1
          ? { content: [{ type: "text", text: "out of water" }], isError: true }
          : { content: [{ type: "text", text: "all clean" }] },
    });

    const ref = await createMopTask(agent);

    await waitUntil(async () => {
      const { history } = await readEnvelope(agent, ref);
      const actions = history.map(({ action }: { action: string }) => action);
      expect(actions).toContain("retrying");
    });
  });

  it("an MCP robot that keeps failing is called three times with delays if it is the only candidate", async () => {
    vi.setSystemTime(new Date("2051-03-04T10:00:00Z"));
    const start = Date.now();
    const called: number[] = [];
    const { agent, id } = await createHome({
      work: async () => {
        called.push(Date.now() - start);
        return { content: [{ type: "text", text: "out of water" }], isError: true };
      },
    });

    const ref = await createMopTask(agent);
    await waitUntil(async () => expect(await readStatus(agent, ref)).toBe("retrying"));
    await passTime(id, ref, 3_600_000);

    expect(called).toEqual([0, 60_000, 360_000]);
    expect(await readStatus(agent, ref)).toBe("failed");
    const { messages } = await agent.read(`/mess/${ref}`);
    const statuses = messages.flatMap(({ MESS }: { MESS: { status?: object }[] }) =>
      MESS.flatMap(({ status }) => status ?? []),
    );
    expect(statuses).toContainEqual(
      expect.objectContaining({ code: "retrying", next_attempt: "2051-03-04T10:01:00+00:00" }),
    );
  });
});
