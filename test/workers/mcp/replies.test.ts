import { afterEach, describe, expect, it, vi } from "vitest";
import { createFreshHousehold } from "../support.ts";
import { callTool } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A request about which Ann has asked the question. */
async function askQuestion(question: { id: string; question: string; options?: string[] }) {
  const { agent, ann } = await createFreshHousehold();
  const ref = await agent.createThread("Tidy up", { requires: ["look"] });
  await ann.appendBlocks(ref, { status: { code: "needs_input", questions: [question] } });
  return { agent, ann, ref };
}

const SHELF = { id: "shelf", question: "Which shelf?", options: ["top", "bottom"] };

describe("replies by tools", () => {
  it("mess_reply answers questions by key, and returns the new status", async () => {
    const { agent, ref } = await askQuestion({
      id: "room",
      question: "Which room?",
      options: ["hall", "attic"],
    });

    const asked = await callTool(agent, "mess_status", { re: ref });
    const replied = await callTool(agent, "mess_reply", { re: ref, answers: { room: "attic" } });

    expect(asked.text).toContain("> needs_input: room: Which room? (hall | attic)");
    expect(asked.text).toMatch(/^(?!> ).*\broom\b.*\bmess_reply\b/m);
    expect(replied.text).toMatch(/\bpending\b/);
    expect(replied.text).not.toMatch(/\broom\b/);
  });

  it.each([
    ["by key", { shelf: "middle" }],
    ["alone", "middle"],
    ["in a list with an option", { shelf: ["top", "middle"] }],
    ["empty", { shelf: "" }],
    ["in no answer at all", {}],
  ])(
    "mess_reply refuses an answer that is no option, with the valid ones: %s",
    async (_label, answers) => {
      const { agent, ref } = await askQuestion(SHELF);

      const { text, isError } = await callTool(agent, "mess_reply", { re: ref, answers });

      expect(isError).toBe(true);
      expect(text).toMatch(/^bad_parameter: .*Valid: (?:top, bottom|shelf)\./);
      expect((await agent.read(`/mess/${ref}`)).envelope.status).toBe("needs_input");
    },
  );

  it("mess_reply takes an option in another case, and yes for a confirmation", async () => {
    const { agent, ann, ref } = await askQuestion(SHELF);

    await callTool(agent, "mess_reply", { re: ref, answers: "Top" });
    await ann.claim(ref);
    await ann.appendBlocks(ref, { status: { code: "needs_confirmation", action: "Climb" } });
    const confirmed = await callTool(agent, "mess_reply", { re: ref, confirm: "yes" });

    expect(confirmed.text).toMatch(/\bclaimed\b/);
    const { messages } = await agent.read(`/mess/${ref}`);
    expect(messages.flatMap(({ MESS }: { MESS: object[] }) => MESS)).toContainEqual({
      reply: expect.objectContaining({ answers: "top" }),
    });
  });

  it("mess_reply refuses an action that needs a confirmation", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Cut the tree", {
      requires: ["look"],
      confirm_before: true,
    });
    await ann.claim(ref);
    await ann.appendBlocks(ref, {
      status: { code: "needs_confirmation", action: "Fell the old oak" },
    });

    const asked = await callTool(agent, "mess_status", { re: ref });
    const replied = await callTool(agent, "mess_reply", {
      re: ref,
      confirm: false,
      reason: "not yet",
    });

    expect(asked.text).toContain("> needs_confirmation: Fell the old oak");
    expect(asked.text).toMatch(/\bmess_reply confirm=/);
    expect(replied.text).toMatch(/\bheld\b/);
  });

  it("a repeated mess_reply or mess_cancel returns the first result, and sends nothing", async () => {
    const { agent, ref } = await askQuestion({ id: "room", question: "Which room?" });
    const reply = { re: ref, answers: { room: "attic" } };
    const replied = await callTool(agent, "mess_reply", reply);
    const repliedAgain = await callTool(agent, "mess_reply", reply);
    const other = await callTool(agent, "mess_reply", { re: ref, answers: { room: "hall" } });
    const cancelled = await callTool(agent, "mess_cancel", { re: ref, reason: "rain" });
    const before = (await agent.read(`/mess/${ref}`)).messages.length;

    const cancelledAgain = await callTool(agent, "mess_cancel", { re: ref, reason: "rain" });

    expect([repliedAgain.isError, repliedAgain.text]).toEqual([false, replied.text]);
    expect(other.text).toMatch(/^no_open_question\b/);
    expect([cancelledAgain.isError, cancelledAgain.text]).toEqual([false, cancelled.text]);
    expect((await agent.read(`/mess/${ref}`)).messages).toHaveLength(before);
  });

  it("a repeated verdict on a suggestion or an action returns the first result", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Paint the wall", { requires: ["look"] });
    await ann.claim(ref);
    await ann.appendBlocks(ref, { suggestion: { type: "alternative", reason: "It rains" } });
    await ann.appendBlocks(ref, { status: { code: "needs_confirmation", action: "Paint" } });
    const verdicts = [
      { re: `${ref}/suggestion-002`, accept: false },
      { re: ref, confirm: true },
    ];

    for (const verdict of verdicts) {
      const first = await callTool(agent, "mess_reply", verdict);
      const again = await callTool(agent, "mess_reply", verdict);

      expect([again.isError, again.text]).toEqual([false, first.text]);
    }
  });

  it("mess_reply accepts a suggestion by its ref", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Paint the wall", { requires: ["look"] });
    await ann.appendBlocks(ref, { suggestion: { type: "alternative", reason: "It rains" } });

    const asked = await callTool(agent, "mess_status", { re: ref });
    const suggestion = /re=(\S+\/suggestion-\d+)/.exec(asked.text)?.[1];
    const replied = await callTool(agent, "mess_reply", { re: suggestion, accept: true });

    expect(asked.text).toContain("> suggestion (alternative): reason: It rains");
    expect(replied.isError).toBe(false);
    expect((await agent.read(`/mess/${ref}`)).envelope.history).toContainEqual(
      expect.objectContaining({ action: "accepted", by: "scout" }),
    );
  });

  it("mess_cancel cancels with the given reason", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });

    const { text } = await callTool(agent, "mess_cancel", { re: ref, reason: "found it" });

    expect(text).toContain("cancelled");
    expect((await agent.read(`/mess/${ref}`)).envelope.status).toBe("cancelled");
  });

  it("mess_cancel does not name an executor as holder of a request that the agent cancelled", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });
    await ann.postBlocks({ status: { re: ref, code: "claimed" } });

    const { text } = await callTool(agent, "mess_cancel", { re: ref });

    expect(text).toContain("cancelled");
    expect(text.split("\n").at(-1)).not.toMatch(/\bann\b/);
  });
});
