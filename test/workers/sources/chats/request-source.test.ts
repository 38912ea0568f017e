/** Tests a source of the kind mess: requests that reach a person as messages, and answers to them. */
import { describe, expect, it } from "vitest";
import {
  createFreshHousehold,
  expectOkJson,
  waitUntil,
  type TestHousehold,
} from "../../support.ts";
import { addSource, listInSource, sendFromSource } from "./support.ts";

async function createSourceHousehold(): Promise<TestHousehold> {
  const home = await createFreshHousehold();
  await addSource(home, { kind: "mess", title: "Requests" });
  return home;
}

const waitForMessages = (home: TestHousehold, count: number) =>
  waitUntil(async () => {
    const messages = await listInSource(home);
    expect(messages).toHaveLength(count);
    return messages;
  });

const answerTo = (ref: string, owner: string, key = "d-1") => ({
  key,
  to: [ref],
  body: "The keys are in the hall.",
  approved_by: owner,
  answers: { external_id: ref, references: [], channel: ref, headers: [] },
});

describe("a source of the kind mess", () => {
  it("a request that is offered to a person arrives once as a message, whatever happens in it later", async () => {
    const home = await createSourceHousehold();
    const ref = await home.agent.createThread("look for the keys", {
      requires: ["look"],
      priority: "urgent",
      context: [{ text: "They were in the hall." }],
    });
    await waitForMessages(home, 1);

    await home.ann.claim(ref);
    await home.agent.appendBlocks(ref, { followup: { message: "maybe in the kitchen" } });
    const second = await home.agent.createThread("look at the meter", { requires: ["look"] });

    const [first, next] = await waitForMessages(home, 2);
    expect(first).toMatchObject({
      kind: "mess",
      sender: "scout",
      subject: "look for the keys",
      body: "They were in the hall.",
      channel: ref,
      urgency: 3,
    });
    expect(next).toMatchObject({ subject: "look at the meter", channel: second });
  });

  it("a request that is offered to machines only is not shown", async () => {
    const home = await createSourceHousehold();
    await home.agent.createThread("vacuum the hall", { requires: ["vacuum-floor"] });
    await home.agent.createThread("look for the keys", { requires: ["look"] });

    const messages = await waitForMessages(home, 1);

    expect(messages.map(({ subject }) => subject)).toEqual(["look for the keys"]);
  });

  it("a reply is posted once as the answer of the owner who approved it, if the request is offered to that owner", async () => {
    const home = await createSourceHousehold();
    const owner = home.owner.actor;
    const executor = { id: owner, capabilities: ["sign"] };
    await expectOkJson(await home.owner.postBlocks({ config: { executor } }));
    const ref = await home.agent.createThread("sign the form", { requires: ["sign"] });
    await waitForMessages(home, 1);

    const sent = await sendFromSource(home, answerTo(ref, owner));
    const repeated = await sendFromSource(home, answerTo(ref, owner));

    expect(sent).toEqual({ ok: true, external_id: expect.stringContaining(ref) });
    expect(repeated).toEqual(sent);
    const { messages } = await home.agent.read(`/mess/${ref}`);
    const answers = messages.filter(({ channel }: { channel?: string }) => channel === "source");
    expect(answers).toMatchObject([
      { from: owner, MESS: [{ response: { content: [{ text: "The keys are in the hall." }] } }] },
    ]);
  });

  it("an owner to whom the request is not offered cannot answer it, and nobody answers another request by it", async () => {
    const home = await createSourceHousehold();
    const ref = await home.agent.createThread("look for the keys", { requires: ["look"] });
    const other = await home.agent.createThread("look at the meter", { requires: ["look"] });
    await waitForMessages(home, 2);

    const sent = await sendFromSource(home, answerTo(ref, home.owner.actor));
    const elsewhere = await sendFromSource(home, { ...answerTo(ref, "ann"), to: [other] });

    expect([sent, elsewhere]).toMatchObject([
      { ok: false, isPermanent: true },
      { ok: false, isPermanent: true },
    ]);
    expect((await home.agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
    expect((await home.agent.read(`/mess/${other}`)).envelope.status).toBe("pending");
  });
});
