/** Names of threads and members as senders write them. */
import { describe, expect, it } from "vitest";
import { createLink } from "../../respond/support.ts";
import {
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  sendRequest,
  waitUntil,
} from "../../support.ts";

const DONE = { status: { re: "basil", code: "completed" } };

describe("the requestor's id in a message of an executor", () => {
  it("names the only open thread with this id that the executor may see", async () => {
    const { agent, ann, robo, addMember } = await createFreshHousehold();
    const other = await addMember("other", "agent");
    await other.createThread("vacuum the basil", { id: "basil", requires: ["vacuum-floor"] });
    const ref = await agent.createThread("look at the basil", { id: "basil", requires: ["look"] });

    const acked = await waitUntil(async () => expectOkJson(await ann.postBlocks(DONE)));

    expect(acked.MESS[0].ack.ref).toContain(ref);
    const { envelope } = await robo.read("/mess?for=me").then(() => agent.read(`/mess/${ref}`));
    expect(envelope.status).toBe("completed");
  });

  it("is refused where several open threads have it, and unknown to others", async () => {
    const { agent, ann, ben, addMember } = await createFreshHousehold();
    const other = await addMember("other", "agent");
    for (const who of [agent, other])
      await who.createThread("look at the basil", { id: "basil", requires: ["look"] });

    await waitUntil(async () =>
      expect(await readRefusal(await ann.postBlocks(DONE))).toBe("409 ambiguous_ref"),
    );
    expect(await readRefusal(await ben.postBlocks(DONE))).toBe("404 not_found");
  });
});

describe("a delegation", () => {
  const delegate = async (to: string) => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("mend the roof", { requires: ["look"] });
    const status = { re: ref, code: "delegated", delegated_to: to };
    const response = await ann.postBlocks({ status });
    const refusal = response.ok ? undefined : await readRefusal(response);
    return { refusal, envelope: (await agent.read(`/mess/${ref}`)).envelope };
  };

  it.each(["roofers.example.com", "https://roofers.example.com/jobs/7"])(
    "to %s ends the thread, which names the successor",
    async (to) => {
      const { refusal, envelope } = await delegate(to);

      expect(refusal).toBeUndefined();
      expect(envelope).toMatchObject({ status: "delegated", delegated_to: to });
    },
  );

  it.each(["nobody-known", "ben.", "roofers..example"])("to %s is refused", async (to) => {
    const { refusal, envelope } = await delegate(to);

    expect([refusal, envelope.status]).toEqual(["422 unknown_executor", "pending"]);
  });
});

describe("a link's token in the header", () => {
  it("sends messages to its thread by POST /mess, and to no other", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const other = await agent.createThread("look at the roof", { requires: ["look"] });
    const { token } = await createLink(agent, ref);
    const send = (re: object) =>
      sendRequest("/mess", {
        method: "POST",
        body: JSON.stringify({ MESS: [{ status: { code: "claimed", ...re } }] }),
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      });

    const [named, unnamed, foreign] = [
      await send({ re: ref }),
      await send({}),
      await send({ re: other }),
    ];

    expect([named.status, unnamed.status]).toEqual([200, 200]);
    expect(await readRefusal(foreign)).toBe("404 not_found");
    expect((await agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
    expect((await agent.read(`/mess/${other}`)).envelope.status).toBe("pending");
  });
});
