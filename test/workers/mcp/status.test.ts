/** The lists of mess_status: first what waits for the caller. */
import { describe, expect, it } from "vitest";
import { type TestHousehold, waitUntil, createFreshHousehold } from "../support.ts";
import { callTool, findRef } from "./support.ts";

/** Requests in several states, by their state. */
async function createRequests(home: TestHousehold) {
  const { agent, ann } = home;
  const create = (intent: string) => agent.createThread(intent, { requires: ["look"] });
  const refs = {
    failed: await create("Count the bees"),
    suggestion: await create("Paint the wall"),
    question: await create("Water the plants"),
    action: await create("Cut the tree"),
    pending: await create("Look around"),
  };
  await ann.appendBlocks(refs.failed, { status: { code: "failed", reason: "too many" } });
  await ann.appendBlocks(refs.suggestion, { suggestion: { type: "defer", proposed: "tomorrow" } });
  await ann.appendBlocks(refs.question, {
    status: {
      code: "needs_input",
      questions: [{ id: "room", question: "Which room?", options: ["hall", "attic"] }],
    },
  });
  await ann.claim(refs.action);
  await ann.appendBlocks(refs.action, {
    status: { code: "needs_confirmation", action: "Fell the old oak" },
  });
  return refs;
}

describe("the list of mess_status", () => {
  it("starts with questions, actions and suggestions for the caller, then open, then finished", async () => {
    const home = await createFreshHousehold();
    const refs = await createRequests(home);

    const { text } = await waitUntil(async () => {
      const listed = await callTool(home.agent, "mess_status");
      for (const ref of Object.values(refs)) expect(listed.text).toContain(ref);
      expect(listed.text).toContain("needs_confirmation");
      expect(listed.text).toContain("failed");
      return listed;
    });

    const at = (part: string) => text.indexOf(part);
    for (const ref of [refs.question, refs.action, refs.suggestion])
      expect(at(ref)).toBeLessThan(at(refs.pending));
    expect(at(refs.pending)).toBeLessThan(at(refs.failed));
    expect(text).toMatch(/^> .*\broom\b.*Which room\? \(hall \| attic\)$/m);
    expect(text).toMatch(/^> Fell the old oak$/m);
    expect(text).toContain(`mess_reply re=${refs.question} answers={room: …}`);
    expect(text).toContain(`mess_reply re=${refs.action} confirm=`);
    expect(text).toMatch(new RegExp(`\\(defer\\).*re=${refs.suggestion}/suggestion-001`));
  });

  it("can be filtered by what waits, by open, by finished and by a status", async () => {
    const home = await createFreshHousehold();
    const refs = await createRequests(home);
    const list = async (status: string) => {
      const { text } = await callTool(home.agent, "mess_status", { status });
      return Object.entries(refs).flatMap(([name, ref]) => (text.includes(ref) ? name : []));
    };

    await waitUntil(async () => {
      expect(await list("for_you")).toEqual(["suggestion", "question", "action"]);
      expect(await list("open")).toEqual(["suggestion", "question", "action", "pending"]);
      expect(await list("finished")).toEqual(["failed"]);
      expect(await list("needs_confirmation")).toEqual(["action"]);
    });
    const { text, isError } = await callTool(home.agent, "mess_status", { status: "sleeping" });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/Valid: for_you, open, finished/),
    ]);
  });

  it("says that nothing waits, without a request of others", async () => {
    const { agent, owner, ann } = await createFreshHousehold();
    const ref = await owner.createThread("Look", { requires: ["look"] });
    await ann.appendBlocks(ref, { status: { code: "needs_input", questions: ["Where?"] } });

    const { text } = await callTool(agent, "mess_status");

    expect(text).toBe("Nothing waits for you.");
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

describe("the status of one request", () => {
  it("names the kind of a suggestion", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Paint the wall", { requires: ["look"] });
    await ann.appendBlocks(ref, { suggestion: { type: "delegate", proposed: "ben" } });

    const { text } = await callTool(agent, "mess_status", { re: ref });

    expect(text).toMatch(/^> suggestion \(delegate\)/m);
    expect(text).toMatch(/suggestion-001 \(delegate\)/);
  });

  it("names all parts after a split, also for a caller that waits", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Prepare the party", { requires: ["look"] });
    const requests = ["buy drinks", "set the table"].map((intent) => ({ intent }));
    await ann.appendBlocks(ref, { suggestion: { type: "split", proposed: { requests } } });
    await callTool(agent, "mess_reply", { re: ref, accept: true });

    const parts = await waitUntil(async () => {
      const { envelope } = await agent.read(`/mess/${ref}`);
      const { batch } = (await agent.read(`/mess/${envelope.superseded_by}`)).envelope;
      expect(batch).toHaveLength(2);
      return batch as string[];
    });
    for (const tool of ["mess_status", "mess_wait"]) {
      const { text } = await callTool(agent, tool, { re: ref });
      expect(text).toContain(`split into ${parts.join(", ")}`);
    }
  });

  it("is no longer held after a yes that follows a no", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Cut the tree", { requires: ["look"] });
    await ann.claim(ref);
    const propose = () =>
      ann.appendBlocks(ref, { status: { code: "needs_confirmation", action: "Fell the oak" } });
    await propose();
    await callTool(agent, "mess_reply", { re: ref, confirm: false });
    await propose();

    const { text } = await callTool(agent, "mess_reply", { re: ref, confirm: true });

    expect((await agent.read(`/mess/${ref}`)).envelope.status).toBe("in_progress");
    expect(text).not.toMatch(/\bheld\b/);
  });
});
