import { env } from "cloudflare:workers";
import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Caller, waitUntil, createFreshHousehold, readRefusal } from "../support.ts";

const requestVacuum = (agent: Caller, intent = "vacuum the hall"): Promise<string> =>
  agent.createThread(intent, { requires: ["vacuum-floor"], context: ["mind the cat"] });

const listRefs = (response: { threads: { ref: string }[] }): string[] =>
  response.threads.map(({ ref }) => ref);

const poll = (caller: Caller, query = "") => caller.read(`/mess?for=me${query}`);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a machine that polls for tasks", () => {
  it("a machine that polls gets the requests that were offered to it, with their actions", async () => {
    const { agent, robo, ann } = await createFreshHousehold();
    const ref = await requestVacuum(agent);

    const response = await poll(robo, "&wait=5");

    expect(response).toEqual({
      threads: [
        expect.objectContaining({
          ref,
          status: "pending",
          requestor: "scout",
          executor: null,
          intent: "vacuum the hall",
          request: expect.objectContaining({ context: ["mind the cat"] }),
          actions: expect.arrayContaining(["claimed", "declined", "response"]),
          cursor: expect.any(Number),
          thread: `/mess/${ref}`,
        }),
      ],
      cursor: expect.any(Number),
    });
    expect(listRefs(await poll(ann))).toEqual([]);
  });

  it("a machine that polls gets its claimed requests until they end, and none that another executor claimed", async () => {
    const { agent, owner, robo, addMember } = await createFreshHousehold();
    await owner.postBlocks({
      config: { executor: { id: "vac", kind: "machine", capabilities: ["vacuum-floor"] } },
    });
    const vac = await addMember("vac", "executor");
    const [mine, theirs] = [
      await requestVacuum(agent),
      await requestVacuum(agent, "vacuum the stairs"),
    ];
    await waitUntil(async () => expect(listRefs(await poll(robo))).toEqual([mine, theirs]));

    await robo.claim(mine);
    await vac.claim(theirs);
    await waitUntil(async () => expect(listRefs(await poll(robo))).toEqual([mine]));
    await robo.appendBlocks(mine, { status: { code: "completed" } });

    await waitUntil(async () => expect(listRefs(await poll(robo))).toEqual([]));
  });

  it("a waiting poll returns as soon as a request is offered", async () => {
    const { agent, robo } = await createFreshHousehold();
    const { cursor } = await poll(robo);

    const waiting = poll(robo, `&wait=45&since_cursor=${cursor}`);
    const ref = await requestVacuum(agent);

    const response = await waiting;
    expect(listRefs(response)).toEqual([ref]);
    expect(response.cursor).toBeGreaterThan(cursor);
  });

  it("a waiting poll returns although the household's object hibernated in the meantime", async () => {
    const { id, agent, robo } = await createFreshHousehold();
    const { cursor } = await poll(robo);
    const waiting = poll(robo, `&wait=45&since_cursor=${cursor}`);
    await waitUntil(async () => {
      const stub = env.HOUSEHOLDS.getByName(id);
      await evictDurableObject(stub, { webSockets: "hibernate" });
    });

    const ref = await requestVacuum(agent);

    expect(listRefs(await waiting)).toEqual([ref]);
  });

  it("a machine that polls gets an answer and the end once each", async () => {
    const { agent, robo } = await createFreshHousehold();
    const ref = await requestVacuum(agent);
    await robo.claim(ref);
    const { message_ref: asked } = await robo
      .appendBlocks(ref, { status: { code: "needs_input", questions: ["which area?"] } })
      .then((ack) => ({ message_ref: ack.ref as string }));
    let { cursor } = await waitUntil(async () => {
      const response = await poll(robo);
      expect(response.threads[0]?.status).toBe("needs_input");
      return response;
    });

    await agent.appendBlocks(ref, { reply: { re: asked, answers: { q1: "kitchen" } } });
    const answered = await poll(robo, `&wait=45&since_cursor=${cursor}`);
    cursor = answered.cursor;
    await agent.appendBlocks(ref, { cancel: { reason: "done by hand" } });
    const cancelled = await poll(robo, `&wait=45&since_cursor=${cursor}`);

    expect(answered.threads).toMatchObject([{ ref, status: "claimed" }]);
    expect(cancelled.threads).toMatchObject([{ ref, status: "cancelled" }]);
    expect(listRefs(await poll(robo, `&since_cursor=${cancelled.cursor}`))).toEqual([]);
  });

  it("a poll returns everything while the index is down", async () => {
    const { agent, robo } = await createFreshHousehold();
    const down = new Error("D1_ERROR: no such database");
    vi.spyOn(env.INDEX, "batch").mockRejectedValue(down);

    const ref = await requestVacuum(agent);

    expect(listRefs(await poll(robo, "&wait=5"))).toEqual([ref]);
    expect(await readRefusal(await robo.fetch("/mess"))).toBe("503 index_unavailable");
  });

  it("a poll lists all requests in pages", async () => {
    const { agent, robo } = await createFreshHousehold();
    const refs: string[] = [];
    for (let at = 0; at < 7; at++) refs.push(await requestVacuum(agent, `vacuum room ${at}`));
    await waitUntil(async () => expect(listRefs(await poll(robo))).toHaveLength(7));

    const seen: string[] = [];
    let response = await poll(robo, "&limit=3");
    while (response.threads.length > 0) {
      seen.push(...listRefs(response));
      response = await poll(robo, `&limit=3&since_cursor=${response.cursor}`);
    }

    expect(seen.toSorted()).toEqual(refs.toSorted());
  });

  it("a waiting poll returns an empty list after its timeout", async () => {
    const { robo } = await createFreshHousehold();

    const response = await poll(robo, "&wait=1");

    expect(response).toEqual({ threads: [], cursor: expect.any(Number) });
  });

  it.each([
    ["for=you", "for"],
    ["for=me&wait=46", "wait"],
    ["for=me&since_cursor=-1", "since_cursor"],
    ["for=me&state=received", "state"],
    ["for=me&cursor=x", "cursor"],
    ["wait=5", "wait"],
    ["since_cursor=0", "since_cursor"],
  ])("a poll is refused with ?%s", async (query, path) => {
    const { robo } = await createFreshHousehold();

    const response = await robo.fetch(`/mess?${query}`);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "bad_parameter", path } });
  });

  it("a poll returns nothing of another household, and nothing that was not offered to the machine", async () => {
    const [one, other] = [await createFreshHousehold(), await createFreshHousehold()];
    await requestVacuum(one.agent);
    await one.agent.createThread("look at the basil", { requires: ["look"] });
    await waitUntil(async () => expect(listRefs(await poll(one.robo))).toHaveLength(1));

    expect(listRefs(await poll(other.robo))).toEqual([]);
    expect(
      await readRefusal(
        await one.robo.fetch("/mess?for=me", { headers: { Authorization: "Bearer x" } }),
      ),
    ).toBe("401 unauthenticated");
  });
});
