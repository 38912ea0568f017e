/** Tests the timeouts of a call to an MCP robot. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mcp } from "../../../src/channels/mcp/send.ts";
import type { Done } from "../../support/channels/mcp-robot.ts";
import { connectHost, buildMachineNotice, createSender } from "./machine-hosts.ts";
import { start, buildTextResult, readReplyBlocks } from "./mcp-robots.ts";

describe("a robot that is slow", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const SILENCE_MS = 45_000;
  const waitForever = () => new Promise<Done>(() => undefined);

  it("a call to a slow MCP robot continues while it reports progress", async () => {
    const { send } = start(async (_work, { progress }) => {
      for (let step = 1; step <= 12; step++) {
        await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
        await progress(step, 12);
      }
      return buildTextResult("all clean");
    });

    const sent = await send();

    expect(readReplyBlocks(sent)).toContainEqual({
      response: { content: [{ text: "all clean" }] },
    });
  });

  it("a call to a slow MCP robot continues while comments keep its stream open", async () => {
    const buildEvent = (id: unknown, result: object): string =>
      `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`;
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x" } };
    let pings = 0;
    const streamWorking = (id: unknown) =>
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
          const isDone = ++pings > 10;
          const text = isDone ? buildEvent(id, buildTextResult("all clean")) : ": ping\n\n";
          controller.enqueue(new TextEncoder().encode(text));
          if (isDone) controller.close();
        },
      });
    const url = connectHost("moppy.example.com", async (request) => {
      const { id, method } = await request.json<{ id?: unknown; method: string }>();
      const body =
        method === "tools/call"
          ? streamWorking(id)
          : id === undefined
            ? null
            : buildEvent(id, hello);
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    });

    const sent = await mcp.send(
      createSender({ postReply: async () => true }),
      `${url}/mcp`,
      buildMachineNotice(),
    );

    expect(readReplyBlocks(sent)).toContainEqual({
      response: { content: [{ text: "all clean" }] },
    });
  });

  it("a call to a silent MCP robot ends with a note and is not repeated, since the robot may still be working", async () => {
    const { send, listCodes, calls } = start(async (_work, { progress }) => {
      await progress(1, 10);
      await vi.advanceTimersByTimeAsync(SILENCE_MS);
      // The robot notices the closed stream when it sends the next chunk.
      void progress(2, 10).catch(() => undefined);
      return await waitForever();
    });

    const sent = await send();

    expect(sent).toEqual({ ok: true, note: expect.any(String) });
    expect(listCodes()[0]).toEqual(["claimed"]);
    expect(calls).toHaveLength(1);
  });

  it("a call to an MCP robot ends after the maximum time, even if it reports progress", async () => {
    const { send } = start(async (_work, { progress }) => {
      for (let step = 1; step <= 14; step++) {
        await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
        await progress(step, 100);
      }
      return await waitForever();
    });

    expect(await send()).toEqual({ ok: true, note: expect.any(String) });
  });
});
