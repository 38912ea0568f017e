import { afterEach, describe, expect, it, vi } from "vitest";
import { mcp } from "../../../src/channels/mcp/send.ts";
import type { Notice } from "../../../src/channels/channel.ts";
import type { MessageInput } from "../../../src/mess/wire/schema.ts";
import type { Done } from "../../support/channels/mcp-robot.ts";
import { connectHost, buildMachineNotice, REF, createSender } from "./machine-hosts.ts";
import { start, buildTextResult, readReplyBlocks } from "./mcp-robots.ts";
import { expectNaming } from "../../support/naming.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const finishMopping = async (): Promise<Done> => buildTextResult("all clean");

describe.each(["session", "json", "modern"] as const)("an MCP robot (%s)", (era) => {
  it("an MCP robot is called with the request, and its result becomes its response", async () => {
    const { send, calls, listCodes } = start(finishMopping, { era });

    const sent = await send();

    expect(calls).toEqual([
      {
        intent: "mop up the rice",
        ref: REF,
        request: buildMachineNotice().request,
        context: ["by the stove"],
        event: "task.offered",
        callback: buildMachineNotice().callback,
      },
    ]);
    expect(listCodes()).toEqual([["claimed"]]);
    expect(readReplyBlocks(sent)).toEqual([
      { response: { content: [{ text: "all clean" }] } },
      { status: { code: "completed" } },
    ]);
  });

  it("pictures and structured results of an MCP robot become entries of its response", async () => {
    const result = { area_m2: 4 };
    const { send } = start(
      async () => ({
        content: [
          { type: "text", text: JSON.stringify(result) },
          { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        ],
        structuredContent: result,
      }),
      { era },
    );

    const sent = await send();

    expect(readReplyBlocks(sent)).toMatchObject([
      {
        response: {
          content: [{ image: "data:image/png;base64,iVBORw0KGgo=" }, { structured: result }],
        },
      },
      { status: { code: "completed" } },
    ]);
  });

  it("an error of an MCP robot is a failure that can be retried", async () => {
    const { send } = start(async () => ({ ...buildTextResult("out of water"), isError: true }), {
      era,
    });

    const sent = await send();

    expect(readReplyBlocks(sent)).toEqual([
      { status: { code: "failed", recoverable: true, reason: "out of water" } },
    ]);
  });

  it("an MCP robot without the tool fails", async () => {
    const { send, url } = start(finishMopping, { era });

    const sent = await send({}, { url, tool: "make_coffee" });

    expect(readReplyBlocks(sent)).toMatchObject([{ status: { code: "failed" } }]);
  });
});

describe.each(["session", "modern"] as const)("progress of an MCP robot (%s)", (era) => {
  it("progress of an MCP robot becomes a status for each step", async () => {
    const { send, posted } = start(
      async (_work, { progress }) => {
        await progress(1, 4, "wetting the floor");
        await progress(1.05, 4, "wetting the floor");
        await progress(2, 4);
        await progress(3);
        return buildTextResult("all clean");
      },
      { era },
    );

    await send();

    expect(posted.slice(1).map(({ blocks }) => blocks[0]?.body)).toEqual([
      { code: "in_progress", progress_pct: 25, message: "wetting the floor" },
      { code: "in_progress", progress_pct: 50 },
    ]);
  });

  it("a call to an MCP robot returns as soon as the thread refuses its progress", async () => {
    const { send } = start(
      async (_work, { progress }) => {
        for (let step = 1; step <= 10; step++) await progress(step, 10);
        return buildTextResult("all clean");
      },
      { era },
    );
    let told = 0;

    const sent = await send({}, undefined, () => ++told < 3);

    expect(sent).toEqual({ ok: true, note: expect.any(String) });
    expect(told).toBe(3);
  });
});

describe("calls of MCP robots", () => {
  it("the call to an MCP robot is cancelled if the thread refuses its progress", async () => {
    let stopped = false;
    const { send } = start(async (_work, { progress, signal }) => {
      signal.addEventListener("abort", () => {
        stopped = true;
      });
      await progress(1, 10);
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      return buildTextResult("half clean");
    });
    let told = 0;

    await send({}, undefined, () => ++told < 2);

    await expect.poll(() => stopped).toBe(true);
  });

  it("an MCP robot is not called if the thread refuses its claim", async () => {
    const { send, calls, sessions } = start(finishMopping);

    const sent = await send({}, undefined, () => false);

    expect(sent).toEqual({ ok: true, note: expect.any(String) });
    expect(calls).toEqual([]);
    expect(sessions.size).toBe(0);
  });

  it("an MCP robot is not called for notices that ask for no work", async () => {
    const { send, calls } = start(finishMopping);

    for (const change of [
      { kind: "news", isHolder: true, status: "cancelled", actions: ["followup"] },
      { kind: "news", isHolder: false },
      { kind: "reminder", isHolder: true },
      { kind: "alert" },
      { kind: "offer", actions: [] },
    ] as const)
      expect(await send(change as Partial<Notice>)).toEqual({ ok: true });

    expect(calls).toEqual([]);
  });

  it("an MCP robot gets the answer to its question in another call", async () => {
    const { send, calls, listCodes } = start(async ({ news }) =>
      news === undefined
        ? {
            ...buildTextResult(""),
            structuredContent: {
              MESS: [{ status: { code: "needs_input", questions: ["which area?"] } }],
            },
          }
        : buildTextResult(`mopped: ${news}`),
    );

    const asked = await send();
    const answered = await send({
      kind: "news",
      isHolder: true,
      eventText: "the answer: kitchen",
      actions: ["completed"],
    });

    expect(readReplyBlocks(asked)).toMatchObject([
      { status: { code: "needs_input", questions: [{ question: "which area?" }] } },
    ]);
    expect(calls[1]).toMatchObject({ event: "task.news", news: "the answer: kitchen" });
    expect(readReplyBlocks(answered)).toContainEqual({
      response: { content: [{ text: "mopped: the answer: kitchen" }] },
    });
    expect(listCodes()).toEqual([["claimed"]]);
  });

  it("an MCP robot is called with its token, and its session is closed afterwards", async () => {
    const { send, url, sessions } = start(finishMopping, { token: "sesame" });

    const without = await send();
    const sent = await send({}, { url, token: "sesame" });

    expect(without).toEqual({ ok: false, reason: expectNaming(401) });
    expect(sent.ok).toBe(true);
    expect(sessions.size).toBe(0);
  });

  it("the address of an MCP robot can name another tool", async () => {
    const { send, url, calls } = start(finishMopping, { tool: "mop" });

    await send({}, { url, tool: "mop" });

    expect(calls).toHaveLength(1);
  });

  it("a picture of an MCP robot that is too large is replaced by a text with its size", async () => {
    const { send } = start(async () => ({
      content: [{ type: "image", data: "A".repeat(900_000), mimeType: "image/png" }],
    }));

    const sent = await send();

    expect(readReplyBlocks(sent)).toContainEqual({
      response: { content: [{ text: expectNaming("image", "659 KB") }] },
    });
  });
});

describe.each(["session", "json", "modern"] as const)("results that are too long (%s)", (era) => {
  it("a result of an MCP robot that is too long is a failure that can be retried", async () => {
    const { send } = start(async () => buildTextResult("a".repeat(10 * 1024 * 1024)), { era });

    const sent = await send();

    expect(readReplyBlocks(sent)).toEqual([
      { status: { code: "failed", recoverable: true, reason: expectNaming("4 MB") } },
    ]);
  });
});

describe("an address without a robot", () => {
  const connectAnswering = async (answer: (request: Request) => Response) => {
    const url = connectHost("moppy.example.com", async (request) => answer(request));
    const posted: MessageInput[] = [];
    const postReply = async (messages: readonly MessageInput[]) => posted.push(...messages) > 0;
    return {
      sent: await mcp.send(createSender({ postReply }), `${url}/mcp`, buildMachineNotice()),
      posted,
    };
  };

  it.each<[string, () => Response, object]>([
    [
      "is a page",
      () => new Response("<h1>hello</h1>", { headers: { "Content-Type": "text/html" } }),
      { ok: false, reason: expectNaming(200) },
    ],
    [
      "is gone",
      () => new Response("gone", { status: 410 }),
      { ok: false, reason: expectNaming(410), isPermanent: true },
    ],
    [
      "wants other credentials",
      () =>
        Response.json(
          { jsonrpc: "2.0", id: null, error: { code: -32_001, message: "who are you?" } },
          { status: 401 },
        ),
      { ok: false, reason: expectNaming(401) },
    ],
    [
      "is busy",
      () => new Response("later", { status: 429, headers: { "Retry-After": "9" } }),
      { ok: false, reason: expectNaming(429), retryAfterSeconds: 9 },
    ],
    [
      "is endless",
      () =>
        new Response(new Uint8Array(10 * 1024 * 1024).fill(97), {
          headers: { "Content-Type": "application/json" },
        }),
      { ok: false, reason: expectNaming(200) },
    ],
    [
      "talks nonsense",
      () =>
        new Response("data: {\n\ndata: [1]\n\n", {
          headers: { "Content-Type": "text/event-stream" },
        }),
      { ok: false, reason: expectNaming(200) },
    ],
  ])("an address that %s is no MCP robot: nothing is claimed", async (_what, answer, expected) => {
    const { sent, posted } = await connectAnswering(answer);

    expect(sent).toEqual(expected);
    expect(posted).toEqual([]);
  });

  it("an MCP robot that disconnects during the call keeps the request, since it may still be working", async () => {
    const { sent, posted } = await connectAnswering((request) =>
      request.method === "POST"
        ? new Response(
            'data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}\r\n\r\n',
            {
              headers: { "Content-Type": "text/event-stream" },
            },
          )
        : new Response(null, { status: 405 }),
    );

    expect(sent).toEqual({ ok: true, note: expect.any(String) });
    expect(posted).toHaveLength(1);
  });
});
