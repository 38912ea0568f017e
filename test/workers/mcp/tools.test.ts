import { afterEach, describe, expect, it, vi } from "vitest";
import { waitUntil, expectOkJson, createFreshHousehold } from "../support.ts";
import { buildModernRequest, readReceived, findRef, callRpc, callTool } from "./support.ts";

const PNG = `data:image/png;base64,${btoa(`\x89PNG\r\n\x1a\n${"x".repeat(6_000)}`)}`;

afterEach(() => {
  vi.useRealTimers();
});

describe("the list of tools", () => {
  it("every tool has a title, all four hints and a closed schema", async () => {
    const { agent } = await createFreshHousehold();

    const { result } = await callRpc(agent, "tools/list");

    expect(result.tools.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      "mess",
      "mess_cancel",
      "mess_capabilities",
      "mess_do",
      "mess_fetch",
      "mess_observe",
      "mess_reply",
      "mess_status",
      "mess_wait",
    ]);
    for (const { title, annotations, inputSchema } of result.tools) {
      expect(title).toMatch(/^[A-Z]/);
      expect(Object.keys(annotations).toSorted()).toEqual([
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
        "readOnlyHint",
        "title",
      ]);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });

  it("tools have no exchange parameter for a caller with one household", async () => {
    const { agent } = await createFreshHousehold();

    const { result } = await callRpc(agent, "tools/list");

    expect(JSON.stringify(result)).not.toContain('"exchange"');
  });
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

describe("waiting and status", () => {
  it("mess_wait waits for messages after the cursor, and returns only those", async () => {
    const { agent, ann } = await createFreshHousehold();
    const asked = await callTool(agent, "mess_observe", {
      intent: "Look",
      requires: ["look"],
      wait_seconds: 0,
    });
    const ref = findRef(asked.text);
    const cursor = Number(/cursor=(\d+)/.exec(asked.text)?.[1]);
    const waiting = callTool(agent, "mess_wait", { re: ref, cursor, wait_seconds: 20 });

    await ann.appendBlocks(ref, { followup: { message: "On my way" } });

    expect((await waiting).text).toContain("> On my way");
  });

  it("mess_wait returns for a suggestion while it is open, and not after it was judged", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });
    for (const suggestion of [{ type: "alternative" }, { id: "sug:a", type: "alternative" }])
      await ann.appendBlocks(ref, { suggestion });
    const waitBriefly = async () =>
      (await callTool(agent, "mess_wait", { re: [ref], wait_seconds: 0 })).text;

    await callTool(agent, "mess_reply", { re: `${ref}/suggestion-001`, accept: false });
    const open = await waitBriefly();
    await callTool(agent, "mess_reply", { re: ref, accept: true });
    const judged = await waitBriefly();
    const waiting = callTool(agent, "mess_wait", { re: ref, wait_seconds: 20 });
    await ann.appendBlocks(ref, { followup: { message: "On my way" } });

    expect(open).toContain("Open suggestions:");
    expect(judged).toContain(`No answer yet: ${ref}`);
    expect((await waiting).text).toContain("> On my way");
  });

  it("mess_wait returns after its timeout, with the cursor to continue from", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });

    const { text, isError } = await callTool(agent, "mess_wait", { re: ref, wait_seconds: 0 });

    expect(isError).toBe(false);
    expect(text).toMatch(/\bpending\b.*\bann\b[\s\S]*cursor=\d+/);
  });

  it("mess_status lists open requests briefly, with the cursor of the next page", async () => {
    const { agent } = await createFreshHousehold();
    for (let count = 0; count < 12; count++) await agent.createThread(`Request number ${count}`);

    const first = await waitUntil(async () => {
      const listed = await callTool(agent, "mess_status");
      expect(listed.text).toContain("number 11");
      expect(listed.text).toContain("cursor=");
      return listed;
    });
    const cursor = /cursor=(\S+)/.exec(first.text)?.[1];
    const second = await callTool(agent, "mess_status", { status: "open", cursor });

    expect(first.text.match(/Request number/g)).toHaveLength(10);
    expect(second.text.match(/Request number/g)).toHaveLength(2);
    expect(second.text).not.toContain("cursor=");
  });

  it("mess_status finds finished requests by their text", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Count the lemons", { requires: ["look"] });
    await ann.appendBlocks(
      ref,
      { response: { content: ["seven"] } },
      { status: { code: "completed" } },
    );

    await waitUntil(async () => {
      const { text } = await callTool(agent, "mess_status", { search: "lemons" });
      expect(text).toMatch(new RegExp(`^${ref}\\b.*\\bcompleted\\b.*\\bann\\b`, "m"));
    });
    const open = await callTool(agent, "mess_status", { status: "open" });
    expect([open.isError, findRef(open.text)]).toEqual([false, "no ref"]);
  });
});

describe("a request whose dependency failed", () => {
  it("a request whose dependency failed returns to the agent at once, with the possible next calls", async () => {
    const { agent } = await createFreshHousehold();
    const first = await agent.createThread("Buy milk", { id: "milk" });
    const ref = await agent.createThread("Make pancakes", {
      constraints: { depends_on: ["milk"] },
    });
    const waiting = callTool(agent, "mess_wait", { re: ref, wait_seconds: 30 });
    await agent.postBlocks({ cancel: { re: first } });

    const { text } = await waiting;

    expect(text).toContain("held");
    expect(text).toContain(`mess_cancel re=${ref}`);
    expect(text).not.toContain("mess_wait");
  });
});

describe("capabilities by tools", () => {
  /** The other facts in the member's line: its kind, and its availability. */
  function readState(text: string, id: string, can: string): string {
    const line = text.split("\n").find((one) => new RegExp(`\\b${id}\\b`).test(one)) ?? "";
    expect(line).toContain(can);
    return line.replace(id, "").replace(can, "");
  }

  it("mess_capabilities lists the capabilities of each member, and whether it is within its hours", async () => {
    const { agent, owner } = await createFreshHousehold();
    await owner.postBlocks({
      config: { executor: { id: "zoe", capabilities: ["cook"], schedule: "00:00-00:01" } },
    });

    const { text } = await callTool(agent, "mess_capabilities");

    expect(text).toMatch(/^.*\brobo\b.*\bmachine\b.*\bvacuum-floor\b/m);
    expect(readState(text, "ann", "take-photo, look")).toBe(readState(text, "ben", "carry"));
    expect(readState(text, "zoe", "cook")).not.toBe(readState(text, "ben", "carry"));
  });

  it("mess_capabilities shows who is away", async () => {
    const { owner, agent } = await createFreshHousehold();
    const away = { method: "PUT", body: '{"actor": "ann", "state": "away"}' };
    await expectOkJson(await owner.fetch("/api/v1/presence", away));

    const { text } = await callTool(agent, "mess_capabilities");

    expect(readState(text, "ann", "take-photo, look")).not.toBe(readState(text, "ben", "carry"));
  });

  it("mess_capabilities previews a route without an offer", async () => {
    const { agent } = await createFreshHousehold();

    const { text } = await callTool(agent, "mess_capabilities", { requires: ["Vacuum_Floor"] });

    expect(text).toMatch(/^.*\brobo\b.*\bmachine\b.*\bvacuum-floor\b/m);
    expect(text).toMatch(/\bann\b.*\bvacuum-floor\b/);
    expect(findRef((await callTool(agent, "mess_status")).text)).toBe("no ref");
  });
});
