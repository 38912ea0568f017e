/** Requests that agents create with mess_observe and mess_do. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { waitUntil, expectOkJson, createFreshHousehold } from "../support.ts";
import { buildModernRequest, readReceived, findRef, callTool } from "./support.ts";

const PNG = `data:image/png;base64,${btoa(`\x89PNG\r\n\x1a\n${"x".repeat(6_000)}`)}`;

afterEach(() => {
  vi.useRealTimers();
});

describe("requests by tools", () => {
  it("a request without a wait returns its ref, its candidates and the next call", async () => {
    const { agent } = await createFreshHousehold();

    const { text } = await callTool(agent, "mess_observe", {
      intent: "Is the garden gate shut?",
      requires: ["look"],
      wait_seconds: 0,
    });

    expect(text).toContain(findRef(text));
    expect(text).toMatch(/\bann\b/);
    expect(text).toContain(`mess_wait re=${findRef(text)} cursor=`);
  });

  it("a request returns the answer first if it arrives in time", async () => {
    const { agent, ann } = await createFreshHousehold();
    const asked = callTool(agent, "mess_observe", {
      intent: "Is the garden gate shut?",
      requires: ["look"],
      id: "gate",
      wait_seconds: 20,
    });
    const ref = await waitUntil(async () => {
      const { threads } = await ann.read("/mess");
      return threads[0].ref as string;
    });

    await ann.appendBlocks(
      ref,
      {
        response: { content: ["Wide open.", { image: PNG }], notes: "I shut it." },
      },
      { status: { code: "completed" } },
    );

    const { text, result } = await asked;
    expect(text).toMatch(/^ann\b.*\n> Wide open\.\n> notes: I shut it\./);
    expect(text).toContain(`content://${ref}/att-001-image-file.png (image/png, 6 KB)`);
    expect(text).toContain("mess_fetch");
    expect(text).toContain("completed");
    expect(JSON.stringify(result)).not.toContain("data:image");
  });

  it("a request reports progress to a client that wants it", async () => {
    const { agent, ann } = await createFreshHousehold();
    const call = agent.fetch(
      "/mcp",
      buildModernRequest(
        "tools/call",
        {
          name: "mess_observe",
          arguments: { intent: "Look", requires: ["look"], wait_seconds: 20 },
        },
        { meta: { progressToken: "p1" } },
      ),
    );
    const ref = await waitUntil(async () => (await ann.read("/mess")).threads[0].ref as string);
    await ann.claim(ref);
    await ann.appendBlocks(ref, { response: { content: ["Seen."] } });

    const { messages } = await readReceived(await call);

    const progress = messages.filter(({ method }) => method === "notifications/progress");
    const values = progress.map(({ params }) => params?.["progress"] as number);
    expect(progress.length).toBeGreaterThanOrEqual(2);
    expect(progress.every(({ params }) => params?.["progressToken"] === "p1")).toBe(true);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(new Set(values).size).toBe(values.length);
    expect(progress.map(({ params }) => params?.["message"])).toContainEqual(
      expect.stringContaining("ann: claimed"),
    );
    expect(messages.at(-1)?.result.content[0].text).toContain("> Seen.");
  });

  it("a request that is repeated with the same id is created once, whatever the JSON-RPC id", async () => {
    const { agent } = await createFreshHousehold();
    const args = { intent: "Feed the cat", id: "cat", requires: ["carry"], wait_seconds: 0 };

    const first = await callTool(agent, "mess_do", args);
    const second = await callTool(agent, "mess_do", args);

    expect(findRef(second.text)).toBe(findRef(first.text));
  });

  it("a request that is repeated after its end says that nothing new was asked, and how to ask again", async () => {
    const { agent, ann } = await createFreshHousehold();
    const args = { intent: "Feed the cat", id: "cat", requires: ["look"], wait_seconds: 0 };
    const first = await callTool(agent, "mess_do", args);
    const ref = findRef(first.text);
    const open = await callTool(agent, "mess_do", args);
    await ann.appendBlocks(ref, { status: { code: "failed", reason: "no food" } });

    const failed = await callTool(agent, "mess_do", args);
    const raw = await callTool(agent, "mess", {
      message: "MESS: [{request: {intent: Look up, id: sky}}]",
    });
    const rawAgain = await callTool(agent, "mess", {
      message: "MESS: [{request: {intent: Look up, id: sky}}]",
    });

    expect(first.text).not.toContain("Nothing new was asked");
    expect(open.text).toMatch(/^Nothing new was asked\b.*\bopen\b/);
    expect(failed.text).toMatch(/^Nothing new was asked\b.*\bfailed\b.*\banother id\b/);
    expect(failed.text).toContain(ref);
    expect(raw.text).not.toContain("Nothing new was asked");
    expect(rawAgain.text).toMatch(/^Nothing new was asked\b/m);
  });

  it.each(["mess_do", "mess"])(
    "an id of an open request is refused for another request by %s, with both texts",
    async (tool) => {
      const { agent } = await createFreshHousehold();
      const ask = (intent: string, id: string) =>
        callTool(
          agent,
          tool,
          tool === "mess"
            ? { message: `MESS: [{request: {intent: ${intent}, id: ${id}}}]` }
            : { intent, id, wait_seconds: 0 },
        );
      const first = await ask("Feed the cat", "pet");

      const second = await ask("Feed the dog", "pet");

      expect(second.isError).toBe(true);
      expect(second.text).toMatch(/^idempotency_conflict: .*Feed the cat.*Feed the dog.*\bpet-2\b/);
      expect(second.text).toContain(findRef(first.text));
      expect((await ask("Feed the dog", "pet-2")).isError).toBe(false);
    },
  );

  it("an id may be used again once its request has ended, or after ten minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { agent } = await createFreshHousehold();
    const ask = async (intent: string) =>
      (await callTool(agent, "mess_do", { intent, id: "pet", wait_seconds: 0 })).isError;
    await ask("Feed the cat");
    await callTool(agent, "mess_cancel", { re: "pet" });

    const afterEnd = await ask("Feed the dog");
    const tooSoon = await ask("Feed the fish");
    vi.setSystemTime(Date.now() + 11 * 60_000);
    const later = await ask("Feed the fish");

    expect([afterEnd, tooSoon, later]).toEqual([false, true, false]);
  });

  it("an id of an open request makes a new one over HTTP, with a warning in the ack", async () => {
    const { agent } = await createFreshHousehold();
    const ask = async (intent: string) =>
      (await expectOkJson(await agent.postBlocks({ request: { intent, id: "pet" } }))).MESS[0].ack;
    const first = await ask("Feed the cat");

    const second = await ask("Feed the dog");

    expect(first.warnings).toBeUndefined();
    expect(second.ref).not.toBe(first.ref);
    expect(second.warnings).toEqual([expect.stringContaining(first.ref)]);
    expect((await ask("Feed the dog")).warnings).toEqual(second.warnings);
  });

  it("a request whose time has passed ends with the warning of its ack", async () => {
    const { agent } = await createFreshHousehold();
    const intent = "Water the basil";

    const { text, result } = await callTool(agent, "mess_do", {
      intent,
      needed_by: "2020-01-01T00:00:00Z",
    });

    expect(text).toMatch(/^Warning: needed_by .*\bpast\b/m);
    expect(result.structuredContent.warnings).toEqual([expect.stringContaining("needed_by")]);
  });

  it("a request without a capable executor says so at once, with the reason for each member", async () => {
    const { agent } = await createFreshHousehold();

    const { text } = await callTool(agent, "mess_do", { intent: "Fly", requires: ["fly"] });

    for (const member of ["ann", "ben", "robo"])
      expect(text).toMatch(new RegExp(`\\b${member}\\b.*\\bfly\\b`));
    expect(text).toContain("mess_cancel");
  });

  it("a request passes on every parameter", async () => {
    const { agent } = await createFreshHousehold();

    const { text } = await callTool(agent, "mess_do", {
      intent: "Buy milk",
      context: "Whole milk",
      requires: ["carry"],
      response_hint: ["text"],
      needed_by: "2030-01-01T10:00:00Z",
      priority: "urgent",
      confirm_before: true,
      wait_seconds: 0,
    });

    const { envelope, messages } = await agent.read(`/mess/${findRef(text)}`);
    expect(envelope.priority).toBe("urgent");
    expect(messages[0].channel).toBe("mcp");
    expect(messages[0].MESS.at(-1).request).toMatchObject({
      context: ["Whole milk"],
      response_hint: ["text"],
      needed_by: "2030-01-01T10:00:00Z",
      confirm_before: true,
    });
  });
});
