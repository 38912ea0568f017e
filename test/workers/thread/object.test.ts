import { getThreadStub } from "../../../src/stubs.ts";
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  CANDIDATES,
  buildCreation,
  createFreshThread,
  buildMessage,
  buildPrincipal,
  REF,
} from "./support.ts";

const getThreadObject = (household: string, ref = REF) =>
  env.THREADS.getByName(`${household}/${ref}`);

describe("a thread's object", () => {
  it("a thread is created once: a repeated request gets the same receipt", async () => {
    const { household, stub, receipt } = await createFreshThread();

    const again = await stub.create(buildCreation(household));

    expect(again).toEqual({ ok: true, value: { ...receipt, fresh: false } });
    expect(receipt.ack).toMatchObject({ re: "water-plants", ref: REF });
  });

  it("creating a thread with the ref of another request is refused", async () => {
    const { household, stub } = await createFreshThread();
    const other = await stub.create(buildCreation(household, {}, { digest: "another" }));
    expect(other).toMatchObject({ ok: false, error: { code: "already_exists" } });
  });

  it("a thread is read in order, each message with its ack, with times in the household's zone", async () => {
    const { append, read } = await createFreshThread();
    await append("ann", { status: { code: "claimed" } });
    await append("ann", [
      { status: { code: "completed" } },
      { response: { id: "fern", content: ["watered"] } },
    ]);

    const { envelope, messages } = await read();

    expect(envelope).toMatchObject({
      status: "completed",
      executor: "ann",
      client_id: "water-plants",
    });
    expect(envelope.created).toMatch(/\+0[12]:00$/);
    expect(envelope.history.map(({ action, by }) => `${by} ${action}`)).toEqual([
      "claude created",
      "exchange dispatched",
      "ann claimed",
      "ann completed",
    ]);
    expect(
      messages.map(
        ({ from, MESS }) => `${from}: ${MESS.map((block) => Object.keys(block)[0]).join(" ")}`,
      ),
    ).toEqual([
      "claude: request",
      "exchange: ack",
      "ann: status",
      "exchange: ack",
      "ann: status response",
      "exchange: ack",
    ]);
    expect(messages.at(-1)?.MESS[0]).toMatchObject({
      ack: { re: "fern", ref: `${REF}/response-002-fern` },
    });
  });

  it("reading a thread after a cursor returns only newer messages", async () => {
    const { append, read } = await createFreshThread();
    const { cursor } = await read();
    await append("ann", { status: { code: "claimed" } });

    const news = await read("claude", cursor);

    expect(news.messages.map(({ from }) => from)).toEqual(["ann", "exchange"]);
    expect((await read("claude", news.cursor)).messages).toEqual([]);
  });

  it("a repeated idempotency key gets the same response, and is refused for another message", async () => {
    const { append, read } = await createFreshThread();
    const idempotency = { key: "k1", digest: "d1" };
    const first = await append("ann", { status: { code: "claimed" } }, { idempotency });
    const again = await append("ann", { status: { code: "claimed" } }, { idempotency });
    const other = await append(
      "ann",
      { status: { code: "held" } },
      { idempotency: { key: "k1", digest: "d2" } },
    );

    expect(first.ok && again.ok && again.value).toEqual(
      first.ok && { ...first.value, fresh: false },
    );
    expect(other).toMatchObject({ ok: false, error: { code: "idempotency_conflict" } });
    expect((await read()).messages).toHaveLength(4);
  });

  it("a thread stores nothing of a message that it refuses", async () => {
    const { household, append, read } = await createFreshThread();
    const before = await read();
    const refused = await append("ann", [
      { status: { code: "completed" } },
      { response: { content: [{ image: { file: "upload-unknown" } }] } },
    ]);
    expect(refused).toMatchObject({ ok: false, error: { code: "unknown_attachment" } });
    expect(await read()).toEqual(before);

    await evictDurableObject(getThreadObject(household));
    expect(await read()).toEqual(before);
  });

  it("a member without access gets the same refusal as for a missing ref, and no tables are created", async () => {
    const { household, stub } = await createFreshThread();
    const foreign = await stub.readThread(buildPrincipal(household, "zoe"));
    const nowhere = getThreadStub(env, household, "2026-05-04-999");
    const unknown = await nowhere.readThread(buildPrincipal(household, "zoe"));
    const refused = await nowhere.append({
      actor: buildPrincipal(household, "zoe"),
      channel: "http",
      message: buildMessage({ followup: { message: "hello?" } }),
      blobs: [],
    });

    expect(foreign).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(unknown).toEqual(foreign);
    expect(refused).toEqual(foreign);
    const tables = await runInDurableObject(
      getThreadObject(household, "2026-05-04-999"),
      (_, ctx) => ctx.storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it("exactly one of fifty claims is accepted, and the others are refused with the holder", async () => {
    const candidates = Array.from({ length: 50 }, (_, index) => ({
      id: `robot-${index}`,
      kind: "machine" as const,
      lease: 900,
      reasons: [],
      rung: 1,
    }));
    const { append } = await createFreshThread(
      {},
      { route: { ...buildCreation("x").route, candidates } },
    );

    const outcomes = await Promise.all(
      candidates.map(({ id }) => append(id, { status: { code: "claimed" } })),
    );

    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    const winner = candidates[outcomes.findIndex(({ ok }) => ok)]?.id;
    for (const outcome of outcomes.filter(({ ok }) => !ok))
      expect(outcome).toMatchObject({ error: { code: "already_claimed", valid: [winner] } });
  });

  it("a message is found by its ref without the slug", async () => {
    const { append } = await createFreshThread();
    await append("ann", {
      status: { code: "needs_input", questions: [{ id: "pot", question: "which?" }] },
    });
    const missing = await append(
      "claude",
      { answer: { value: "fern" } },
      { about: "question-007" },
    );
    const found = await append("claude", { answer: { value: "fern" } }, { about: "question-001" });
    expect(missing).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(found.ok).toBe(true);
  });

  it("a thread keeps everything that it acknowledged through eviction and abort", async () => {
    const { household, append, read } = await createFreshThread();
    await append("ann", { status: { code: "claimed" } });
    const before = await read();
    await evictDurableObject(getThreadObject(household));
    expect(await read()).toEqual(before);
    await abortAllDurableObjects();
    expect(
      await getThreadStub(env, household, REF).readThread(buildPrincipal(household, "claude")),
    ).toEqual({
      ok: true,
      value: before,
    });
  });

  it("a thread returns its route with the reasons", async () => {
    const { household, stub } = await createFreshThread();
    const route = await stub.getRoute(buildPrincipal(household, "claude"));
    expect(route).toMatchObject({
      ok: true,
      value: { by: "capability", passed_over: [{ id: "tom" }] },
    });
  });

  it("a thread can be read by its participants only", async () => {
    const { household, stub } = await createFreshThread();
    for (const actor of ["claude", "mum", ...CANDIDATES.map(({ id }) => id)])
      expect((await stub.readThread(buildPrincipal(household, actor))).ok).toBe(true);
    const link = {
      ...buildPrincipal(household, "ann"),
      scope: { ref: "another", permissions: [], jti: "x" },
    };
    expect((await stub.readThread(link)).ok).toBe(false);
  });
});
