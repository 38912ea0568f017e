/** How agents wait for a request with mess_wait. */
import { describe, expect, it } from "vitest";
import { createFreshHousehold } from "../support.ts";
import { findRef, callTool } from "./support.ts";

describe("waiting by mess_wait", () => {
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
