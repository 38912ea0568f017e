import { afterEach, describe, expect, it, vi } from "vitest";
import { expectOkJson, readRefusal, waitUntil } from "../support.ts";
import { openRequestScene, repeatJob } from "./request-scene.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const TASK = { message_type: "task" };

describe("a question of a person about a task in an AI group", () => {
  it("is answered by a reply in the group", async () => {
    const { ann, agent, send, waitForMessage, readTask } = await openRequestScene();
    const sent = await send("ann", "Repot the basil", TASK);
    await ann.appendBlocks(sent.ref, {
      status: {
        code: "needs_input",
        questions: [{ id: "pot", question: "Which pot?", options: ["red", "blue"] }],
      },
    });
    const question = await waitForMessage("ann", "question");

    const answer = await send("ann", "the red one", { reply_to: question.id });

    expect(question).toMatchObject({ reply_to: sent.id, ref: sent.ref, person: true });
    expect(question.content).toContain("pot: Which pot? (red | blue)");
    expect(answer).toMatchObject({ ref: sent.ref });
    const { messages, envelope } = await agent.read(`/mess/${sent.ref}`);
    expect(JSON.stringify(messages)).toContain('"answers":"the red one"');
    expect(envelope.status).not.toBe("needs_input");
    await waitUntil(async () =>
      expect((await readTask(sent.id)).request_status).toBe(envelope.status),
    );
  });

  it("with several parts is answered by JSON, and a wrong answer comes back as a question", async () => {
    const scene = await openRequestScene();
    const { ann, agent, send, waitForMessage, readChannel } = scene;
    const sent = await send("ann", "Repot the basil", TASK);
    const questions = [
      { id: "pot", question: "Which pot?" },
      { id: "soil", question: "Which soil?" },
    ];
    await ann.appendBlocks(sent.ref, { status: { code: "needs_input", questions } });
    const question = await waitForMessage("ann", "question");

    const wrong = await send("ann", '{"color": "red"}', { reply_to: question.id });
    const again = await waitForMessage("ann", "question", wrong.seq);
    await repeatJob(scene, wrong.seq);
    expect(await readChannel("ann")).toHaveLength(4);
    await send("ann", '{"pot": "red", "soil": "sand"}', { reply_to: again.id });

    expect(again).toMatchObject({ reply_to: wrong.id, ref: sent.ref });
    expect(again.content).toContain("Valid: pot, soil");
    const { envelope } = await agent.read(`/mess/${sent.ref}`);
    expect(envelope.status).not.toBe("needs_input");
  });

  it("about an action is confirmed or refused by the first word of the reply", async () => {
    const { ann, agent, send, waitForMessage } = await openRequestScene();
    const sent = await send("ann", "Repot the basil", TASK);
    await ann.appendBlocks(sent.ref, {
      status: { code: "needs_confirmation", action: "throw the old pot away" },
    });
    const question = await waitForMessage("ann", "question");

    const unclear = await send("ann", "perhaps", { reply_to: question.id });
    const again = await waitForMessage("ann", "question", unclear.seq);
    await send("ann", "No, keep it for the mint", { reply_to: again.id });

    const { messages, envelope } = await agent.read(`/mess/${sent.ref}`);
    expect(question.content).toContain("throw the old pot away");
    expect(envelope.status).toBe("held");
    expect(JSON.stringify(messages)).toContain("keep it for the mint");
  });
});

describe("a question about a task that another member has sent", () => {
  it("is neither shown to a third member nor answered by it", async () => {
    const { ann, owner, group, send, waitForMessage, addMember } = await openRequestScene();
    const third = await addMember("third", "agent");
    await expectOkJson(await third.post(`/groups/${group}/members`, { my_name: "third" }));
    const sent = await send("ann", "Repot the basil", TASK);
    await ann.appendBlocks(sent.ref, {
      status: { code: "needs_input", questions: ["Which pot?"] },
    });
    const question = await waitForMessage("ann", "question");

    const body = { to_id: "ann", content: "blue", reply_to: question.id };
    const answer = await third.post(`/groups/${group}/messages`, body);
    const page = await third.read(`/groups/${group}/messages?limit=50`);

    expect(await readRefusal(answer)).toBe("422 unknown_reference");
    expect(page.messages).toEqual([]);
    expect((await owner.read(`/mess/${sent.ref}`)).envelope.status).toBe("needs_input");
  });

  it("is answered by the new primary ops after a handoff", async () => {
    const { ann, owner, ops, me, group, send, waitForMessage } = await openRequestScene();
    const heir = await expectOkJson(
      await owner.post(`/groups/${group}/members`, { my_name: "heir" }),
    );
    const sent = await send("ann", "Repot the basil", TASK);
    await ann.appendBlocks(sent.ref, {
      status: { code: "needs_input", questions: ["Which pot?"] },
    });
    const question = await waitForMessage("ann", "question");
    const handoff = { from_ops_id: me, to_agent_id: heir.my_id, verification_passed: true };
    await expectOkJson(
      await ops.post(`/groups/${group}/handoff`, { ...handoff, context_summary: "all is well" }),
    );
    await expectOkJson(await owner.post(`/groups/${group}/handoff`, handoff));

    const body = { to_id: "ann", content: "the red one", reply_to: question.id };
    await expectOkJson(await owner.post(`/groups/${group}/messages`, body));
    await ann.appendBlocks(
      sent.ref,
      { response: { content: ["Done"] } },
      { status: { code: "completed" } },
    );

    await waitUntil(async () => {
      const { messages } = await owner.read(`/groups/${group}/messages?with=ann&limit=50`);
      expect(messages).toContainEqual(
        expect.objectContaining({ type: "report", from: "ann", completes: sent.id }),
      );
    });
  });
});
