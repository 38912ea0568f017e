/** Replies that name a suggestion by its id (decision 74), as callers send them over HTTP, YAML and MCP. */
import { describe, expect, it } from "vitest";
import {
  type Answered,
  type Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  type TestHousehold,
  waitUntil,
} from "../../support.ts";
import { callTool } from "../../mcp/support.ts";

/** A thread of the agent in which ben has suggested other words. */
async function suggestAlternative(
  { agent, ben }: TestHousehold,
  id: string,
  requestor: Caller = agent,
): Promise<string> {
  const ref = await requestor.createThread(`carry the box ${id}`, { requires: ["carry"] });
  await ben.appendBlocks(ref, {
    suggestion: { id, type: "alternative", proposed: { intent: "carry it in two parts" } },
  });
  return ref;
}

const accept = (caller: Caller, re: string) => caller.postBlocks({ reply: { re, accept: true } });

const listActions = async (caller: Caller, ref: string): Promise<string[]> =>
  (await caller.read(`/mess/${ref}`)).envelope.history.map(({ action }: Answered) => action);

const expectAccepted = async (caller: Caller, re: string): Promise<Answered> =>
  await expectOkJson(await accept(caller, re));

/** The open suggestions that the refusal of an unknown id lists. */
async function listOpen(caller: Caller): Promise<string[]> {
  const { error } = await (await accept(caller, "sug:none")).json<Answered>();
  expect(error.code).toBe("not_found");
  return error.valid ?? [];
}

describe("a reply names a suggestion by its id", () => {
  it.each([
    ["sug:merge-grocery", "sug:merge-grocery"],
    ["sug:merge-grocery", "merge-grocery"],
    ["merge-grocery", "sug:merge-grocery"],
    ["merge-grocery", "merge-grocery"],
  ])("accepts the suggestion %s by the target %s", async (id, target) => {
    const home = await createFreshHousehold();
    const ref = await suggestAlternative(home, id);

    const { MESS } = await expectAccepted(home.agent, target);

    expect(MESS[0].ack.ref).toMatch(new RegExp(`^${ref}/answer-`));
    expect(await listActions(home.agent, ref)).toContain("accepted");
    const { messages } = await home.agent.read(`/mess/${ref}`);
    expect(messages.at(-2).re).toMatch(new RegExp(`^${ref}/suggestion-001-`));
  });

  it("accepts the suggestion by its id in a YAML text", async () => {
    const home = await createFreshHousehold();
    const ref = await suggestAlternative(home, "sug:box");
    const body =
      "MESS:\n  - reply:\n      re: sug:box\n      accept: false\n      reason: too slow\n";

    await expectOkJson(
      await home.agent.fetch("/mess", {
        method: "POST",
        body,
        headers: { "Content-Type": "application/yaml", Accept: "application/json" },
      }),
    );

    expect(await listActions(home.agent, ref)).toContain("rejected");
  });

  it("accepts the suggestion by its id over MCP", async () => {
    const home = await createFreshHousehold();
    const ref = await suggestAlternative(home, "sug:box");

    const accepted = await callTool(home.agent, "mess_reply", { re: "sug:box", accept: true });

    expect(accepted.isError).toBe(false);
    expect(accepted.result.structuredContent.ref).toBe(ref);
    expect(await listActions(home.agent, ref)).toContain("accepted");
  });

  it("accepts the suggestion that the wait returned, in the middle of a burst of changes", async () => {
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("carry the box", { requires: ["carry"] });
    await home.ben.appendBlocks(ref, { status: { code: "claimed" } });
    const waiting = callTool(home.agent, "mess_wait", { re: ref, wait_seconds: 20 });
    await home.ben.appendBlocks(ref, { followup: { message: "It is heavy." } });
    await home.ben.appendBlocks(ref, {
      suggestion: { id: "sug:box", type: "alternative", proposed: "in two parts" },
    });
    await waiting;

    await expectAccepted(home.agent, "sug:box");

    expect(await listActions(home.agent, ref)).toContain("accepted");
  });

  it("accepts a suggestion without an id by the name of its message", async () => {
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("carry the box", { requires: ["carry"] });
    await home.ben.appendBlocks(ref, { suggestion: { type: "alternative", proposed: "in parts" } });

    await expectAccepted(home.agent, "suggestion-001");

    expect(await listActions(home.agent, ref)).toContain("accepted");
  });

  it("gives a repeated call with the same Idempotency-Key the first ack", async () => {
    const home = await createFreshHousehold();
    await suggestAlternative(home, "sug:box");
    const body = { MESS: [{ reply: { re: "sug:box", accept: true } }] };
    const send = async () =>
      await expectOkJson(await home.agent.post("/mess", body, { "Idempotency-Key": "one" }));
    const first = await send();

    expect(await send()).toEqual(first);
  });

  it("refuses an unknown id with the ids of the open suggestions", async () => {
    const home = await createFreshHousehold();
    await suggestAlternative(home, "sug:box");
    await suggestAlternative(home, "sug:crate");

    const refused = await accept(home.agent, "sug:bx");
    const { error } = await refused.json<Answered>();
    expect(refused.status).toBe(404);
    expect(error).toMatchObject({ code: "not_found", valid: ["sug:box", "sug:crate"] });
    const called = await callTool(home.agent, "mess_reply", { re: "sug:bx", accept: true });
    expect(called.isError).toBe(true);
    expect(called.text.match(/sug:box|sug:crate/g)).toEqual(["sug:box", "sug:crate"]);
  });

  it("neither finds nor names suggestions in threads of others", async () => {
    const home = await createFreshHousehold();
    await suggestAlternative(home, "sug:box");
    const other = await home.addMember("helper", "agent");
    expect(await listOpen(home.agent)).toEqual(["sug:box"]);

    const refused = await accept(other, "sug:box");

    expect(refused.status).toBe(404);
    expect(JSON.stringify(await refused.json())).not.toContain("sug:box");
    const unknown = await accept(other, "sug:none");
    expect(unknown.status).toBe(404);
    expect(JSON.stringify(await unknown.json())).not.toContain("sug:box");
  });

  it("shows an executor's key of an owner neither suggestions nor threads of others", async () => {
    const home = await createFreshHousehold();
    const ref = await suggestAlternative(home, "sug:box");
    await suggestAlternative(home, "box");
    expect(await listOpen(home.owner)).toHaveLength(2);
    const other = await home.addMember("helper", "agent");
    for (const caller of [home.agent, other])
      await caller.createThread("Look", { id: "door", requires: ["look"] });
    await waitUntil(async () =>
      expect(await readRefusal(await home.owner.fetch("/mess/door"))).toBe("409 ambiguous_ref"),
    );
    const key = await home.addMember(home.owner.actor, "executor");

    const answers = [await key.fetch(`/mess/${ref}`), await key.fetch("/mess/door")];
    for (const re of ["sug:box", "sug:none", "door"]) answers.push(await accept(key, re));
    const texts = await Promise.all(answers.map((answer) => answer.text()));

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(texts.join()).not.toMatch(/sug:box|suggestion-001|-door/);
  });

  it("lets an owner judge a suggestion in a thread of somebody else", async () => {
    const home = await createFreshHousehold();
    const ref = await suggestAlternative(home, "sug:box");

    await expectAccepted(home.owner, "sug:box");

    expect(await listActions(home.agent, ref)).toContain("accepted");
  });

  it("refuses an id that two threads have, with the refs of both", async () => {
    const home = await createFreshHousehold();
    const refs = [await suggestAlternative(home, "sug:box"), await suggestAlternative(home, "box")];

    const { error } = await (await accept(home.agent, "box")).json<Answered>();

    expect(error.code).toBe("ambiguous_ref");
    expect(error.valid).toEqual(
      refs.map((ref) => expect.stringContaining(`${ref}/suggestion-001`)),
    );
  });

  it("refuses another verdict on a suggestion that was judged, and lists it no longer", async () => {
    const home = await createFreshHousehold();
    await suggestAlternative(home, "sug:box");
    await expectAccepted(home.agent, "sug:box");

    expect(await listOpen(home.agent)).not.toContain("sug:box");
    expect(await readRefusal(await accept(home.agent, "sug:box"))).toBe("409 no_open_question");
  });

  it("means the open suggestion where a judged one has the same id", async () => {
    const home = await createFreshHousehold();
    await suggestAlternative(home, "sug:box");
    await expectAccepted(home.agent, "sug:box");
    const ref = await suggestAlternative(home, "sug:box");

    await expectAccepted(home.agent, "sug:box");

    expect(await listActions(home.agent, ref)).toContain("accepted");
  });

  it("gives a repeated verdict over MCP the first result, and refuses the other verdict", async () => {
    const home = await createFreshHousehold();
    const ref = await suggestAlternative(home, "sug:box");
    await home.ben.appendBlocks(ref, { suggestion: { id: "sug:lid", type: "alternative" } });
    const judge = (re: string, isAccepted: boolean) =>
      callTool(home.agent, "mess_reply", { re, accept: isAccepted });
    const first = await judge("sug:box", true);
    expect(first.isError).toBe(false);
    expect((await judge("sug:lid", false)).isError).toBe(false);
    expect(await listOpen(home.agent)).toEqual([]);

    const again = await judge("sug:box", true);

    expect(again.isError).toBe(false);
    expect(again.result.structuredContent.ref).toBe(first.result.structuredContent.ref);
    const other = await judge("sug:box", false);
    expect(other.isError).toBe(true);
    expect(other.text).toMatch(/^no_open_question: scout has already accepted/);
    const actions = await listActions(home.agent, ref);
    expect(actions.filter((action) => /accepted|rejected/.test(action))).toHaveLength(2);
  });

  it("closes the suggestions of a cancelled thread", async () => {
    const home = await createFreshHousehold();
    const ref = await suggestAlternative(home, "sug:box");
    await suggestAlternative(home, "sug:crate");
    expect(await listOpen(home.agent)).toEqual(["sug:box", "sug:crate"]);

    const cancelled = await callTool(home.agent, "mess_cancel", { re: ref });

    expect(cancelled.result.structuredContent).not.toHaveProperty("suggestions");
    expect(await listOpen(home.agent)).not.toContain("sug:box");
    expect(await readRefusal(await accept(home.agent, "sug:box"))).toBe("409 thread_finished");
    const called = await callTool(home.agent, "mess_reply", { re: "sug:box", accept: true });
    expect(called.text).toMatch(/^thread_finished/);
  });

  it("does not cancel a thread by the id of a suggestion", async () => {
    const home = await createFreshHousehold();
    await suggestAlternative(home, "sug:box");
    expect(await listOpen(home.agent)).toEqual(["sug:box"]);

    const cancelled = await home.agent.postBlocks({ cancel: { re: "sug:box" } });

    expect(await readRefusal(cancelled)).toBe("404 not_found");
  });

  it("means the sender's own request where an executor gave a suggestion the same id", async () => {
    const home = await createFreshHousehold();
    await home.agent.createThread("water the basil", { id: "basil" });
    const ref = await suggestAlternative(home, "basil");
    expect(await listOpen(home.agent)).toEqual(["basil"]);

    expect(await readRefusal(await accept(home.agent, "basil"))).toBe("409 no_open_question");
    expect(await listActions(home.agent, ref)).not.toContain("accepted");
  });

  it("keeps the id through export and import", async () => {
    const from = await createFreshHousehold();
    const into = await createFreshHousehold();
    const ref = await suggestAlternative(from, "sug:box");
    const archive = await (await from.owner.fetch(`/mess/${ref}/archive.zip`)).arrayBuffer();
    await expectOkJson(
      await into.owner.fetch("/mess/import", {
        method: "POST",
        body: archive,
        headers: { "Content-Type": "application/zip" },
      }),
    );

    await expectAccepted(into.agent, "sug:box");

    expect(await listActions(into.agent, ref)).toContain("accepted");
  });
});
