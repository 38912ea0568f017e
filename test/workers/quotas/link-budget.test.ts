import { expect, it } from "vitest";
import { Caller, createFreshHousehold, expectOkJson } from "../support.ts";

const TEXT = "x".repeat(200_000);

it("a link cannot fill a thread: its member's budget ends, also with a new link, and others continue", async () => {
  const { agent, owner, ann } = await createFreshHousehold();
  const ref = await agent.createThread("look at the basil", { requires: ["look"] });
  const createBearer = async () => {
    const { url } = await expectOkJson(
      await owner.post(`/mess/${ref}/links`, { executor: "ann", expires: "1h" }),
    );
    return new Caller("ann", new URL(url as string).searchParams.get("token")!);
  };
  const bearer = await createBearer();
  await expectOkJson(
    await bearer.post(`/thread/${ref}`, { MESS: [{ status: { code: "claimed" } }] }),
  );
  const send = (caller: Caller, key: string) =>
    caller.post(
      `/mess?ref=${ref}`,
      { MESS: [{ followup: { message: TEXT } }] },
      { "Idempotency-Key": key },
    );
  for (let n = 0; n < 5; n++) await expectOkJson(await send(bearer, `a${n}`));

  const refused = await send(bearer, "b");
  const byNewLink = await send(await createBearer(), "c");

  for (const response of [refused, byNewLink]) {
    const { error } = await response.json<{ error: object }>();
    expect([response.status, error]).toEqual([
      409,
      expect.objectContaining({ code: "thread_full", reason: "link_bytes_per_thread" }),
    ]);
  }
  const { messages } = await agent.read(`/mess/${ref}`);
  await expectOkJson(await send(bearer, "a4"));
  expect((await agent.read(`/mess/${ref}`)).messages).toHaveLength(messages.length);
  // The member itself, and the requestor, have the space of the thread.
  await expectOkJson(await send(ann, "d"));
  await expectOkJson(await send(agent, "e"));
});
