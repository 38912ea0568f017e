import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import {
  type Answered,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  readRefusal,
} from "../../support.ts";

const listRefs = (listed: Answered): string[] =>
  listed.threads.map(({ ref }: { ref: string }) => ref);

describe("GET /mess", () => {
  it("a list contains the caller's threads, the latest change first, and for owners those of the household", async () => {
    const { owner, agent, ann, robo } = await createFreshHousehold();
    const photo = await agent.createThread("photograph the shelf", { requires: ["take-photo"] });
    const floor = await agent.createThread("vacuum the hall", { requires: ["vacuum-floor"] });

    await waitUntil(async () =>
      expect(listRefs(await owner.read("/mess")).toSorted()).toEqual([photo, floor]),
    );

    expect(listRefs(await agent.read("/mess")).toSorted()).toEqual([photo, floor]);
    expect(listRefs(await ann.read("/mess"))).toEqual([photo]);
    expect(listRefs(await robo.read("/mess"))).toEqual([floor]);
  });

  it("a list filters by state, status, holder, requestor, time and text", async () => {
    const { agent, ann } = await createFreshHousehold();
    const open = await agent.createThread("photograph the shelf", { requires: ["take-photo"] });
    const held = await agent.createThread("look at the basil", { requires: ["look"] });
    await ann.claim(held);
    const buildSearch = (query: string) => async () => listRefs(await agent.read(`/mess?${query}`));

    await waitUntil(async () => {
      expect(await buildSearch("status=claimed")()).toEqual([held]);
      expect(await buildSearch("state=received")()).toEqual([open]);
    });

    expect(await buildSearch("state=executing")()).toEqual([held]);
    expect(await buildSearch("status=received,claimed")()).toHaveLength(2);
    expect(await buildSearch("executor=ann")()).toEqual([held]);
    expect(await buildSearch("requestor=scout")()).toHaveLength(2);
    expect(await buildSearch("requestor=nobody")()).toEqual([]);
    expect(await buildSearch("q=basil")()).toEqual([held]);
    expect(await buildSearch("since=2000-01-01T00:00:00Z")()).toHaveLength(2);
    expect(await buildSearch("since=2100-01-01T00:00:00Z")()).toEqual([]);
  });

  it("a list continues with its cursor", async () => {
    const { agent } = await createFreshHousehold();
    const refs: string[] = [];
    for (const what of ["basil", "mint", "thyme"])
      refs.push(await agent.createThread(`water the ${what}`));
    await waitUntil(async () => expect(listRefs(await agent.read("/mess"))).toHaveLength(3));

    const first = await agent.read("/mess?limit=2");
    const second = await agent.read(`/mess?limit=2&cursor=${first.next_cursor}`);

    expect([...listRefs(first), ...listRefs(second)].toSorted()).toEqual(refs);
    expect(second.next_cursor).toBeUndefined();
  });

  it.each([
    ["limit=abc", "limit"],
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=-1", "limit"],
    ["limit=1e2", "limit"],
    ["status=lost", "status"],
    ["state=lost", "state"],
    ["since=yesterday", "since"],
    ["cursor=%00", "cursor"],
    ["cursor=abc", "cursor"],
    ["colour=red", "colour"],
    ["limit=1&limit=2", "limit"],
    ["q=", "q"],
    [`q=${"x".repeat(300)}`, "q"],
    ["__proto__=1", "__proto__"],
  ])("a list with %s is refused with the name of the parameter", async (query, path) => {
    const { agent } = await createFreshHousehold();

    const response = await agent.fetch(`/mess?${query}`);

    const { error } = await response.json<{ error: Answered }>();
    expect([response.status, error.code, error.path]).toEqual([400, "bad_parameter", path]);
  });

  it("a list with an unknown status or state is refused with the valid values", async () => {
    const { agent } = await createFreshHousehold();

    for (const query of ["status=lost", "state=lost"]) {
      const { error } = await (await agent.fetch(`/mess?${query}`)).json<{ error: Answered }>();
      expect(error.valid).toContain(query.startsWith("state=") ? "received" : "pending");
    }
  });
});

describe("GET /mess/{ref}", () => {
  it("a thread in JSON is {envelope, messages}, and continues after a cursor", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"], id: "basil" });

    const before = await agent.read(`/mess/${ref}`);
    await ann.claim(ref);
    const after = await agent.read(`/mess/${ref}?cursor=${before.cursor}`);

    expect(before.envelope).toMatchObject({ ref, client_id: "basil", status: "pending" });
    expect(before.messages[0]).toMatchObject({ from: "scout", channel: "http" });
    expect(after.envelope).toMatchObject({ status: "claimed", executor: "ann" });
    expect(after.messages.map(({ from }: { from: string }) => from)).toEqual(["ann", "exchange"]);
    expect(after.cursor).toBeGreaterThan(before.cursor);
  });

  it("a thread in YAML is a MESSE-AF file", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil");

    const response = await agent.fetch(`/mess/${ref}`, { headers: { Accept: "application/yaml" } });

    const [envelope, request] = (await response.text())
      .split("\n---\n")
      .map((text): Answered => parseDocument(text).toJS());
    expect(envelope).toMatchObject({ ref, executor: null, status: "pending" });
    expect(request.MESS[0].request.intent).toBe("look at the basil");
    expect(response.headers.get("Mess-Cursor")).toMatch(/^\d+$/);
  });

  it("a thread is found by its requestor's id, the short ref and last", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { id: "basil" });

    for (const target of ["basil", ref.slice(0, 14), "last"])
      expect((await agent.read(`/mess/${target}`)).envelope.ref).toBe(ref);
  });

  it.each(["cursor=x", "cursor=-1", "cursor=1.5", "cursor=99999999999999999999", "what=ever"])(
    "a thread with %s is refused",
    async (query) => {
      const { agent } = await createFreshHousehold();
      const ref = await agent.createThread("look at the basil");

      expect(await readRefusal(await agent.fetch(`/mess/${ref}?${query}`))).toBe(
        "400 bad_parameter",
      );
    },
  );
});

describe("GET /mess/{ref}/wait", () => {
  it("a wait returns as soon as the thread changes", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const { cursor } = await agent.read(`/mess/${ref}`);

    const waiting = agent.read(`/mess/${ref}/wait?cursor=${cursor}&timeout=20`);
    await ann.claim(ref);
    const woken = await waiting;

    expect(woken.envelope.status).toBe("claimed");
    expect(woken.messages[0].from).toBe("ann");
  });

  it("a wait returns at once if the thread has changed after the cursor", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const { cursor } = await agent.read(`/mess/${ref}`);
    await ann.claim(ref);

    const { envelope } = await agent.read(`/mess/${ref}/wait?cursor=${cursor}&timeout=20`);

    expect(envelope.status).toBe("claimed");
  });

  it("a wait returns the unchanged thread after its timeout", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil");
    const { cursor } = await agent.read(`/mess/${ref}`);

    const after = await agent.read(`/mess/${ref}/wait?cursor=${cursor}&timeout=0`);

    expect(after).toMatchObject({ cursor, messages: [] });
  });

  it.each(["timeout=46", "timeout=abc", "timeout=-1", "timeout=0.5"])(
    "a wait with %s is refused",
    async (query) => {
      const { agent } = await createFreshHousehold();
      const ref = await agent.createThread("look at the basil");

      expect(await readRefusal(await agent.fetch(`/mess/${ref}/wait?${query}`))).toBe(
        "400 bad_parameter",
      );
    },
  );
});

describe("GET /mess/{ref}/messages/{message}", () => {
  it("a message of a thread is returned with its ack, with or without the slug", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    await ann.appendBlocks(ref, { response: { id: "green", content: ["all green"] } });

    for (const name of ["response-001-green", "response-001"]) {
      const { messages } = await agent.read(`/mess/${ref}/messages/${name}`);
      expect(messages).toHaveLength(2);
      expect(messages[0].MESS[0].response.content).toEqual(["all green"]);
      expect(messages[1].MESS[0].ack.ref).toBe(`${ref}/response-001-green`);
    }
  });

  it.each(["response-009", "claim-001", "x", "..", "%2e%2e%2f", "response-001-other"])(
    "a message of a thread is not found by %s",
    async (name) => {
      const { agent, ann } = await createFreshHousehold();
      const ref = await agent.createThread("look at the basil", { requires: ["look"] });
      await ann.appendBlocks(ref, { response: { id: "green", content: ["all green"] } });

      const response = await agent.fetch(`/mess/${ref}/messages/${name}`);

      expect(await readRefusal(response)).toMatch(/^404 not_found|^405/);
    },
  );
});

describe("routes of threads", () => {
  it("the route of a thread is stored with the reasons why others were passed over", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("vacuum the hall", { requires: ["vacuum-floor"] });

    const route = await agent.read(`/mess/${ref}/route`);

    expect(route.candidates.map(({ id }: { id: string }) => id)).toEqual(["robo"]);
    expect(route.passed_over.map(({ id }: { id: string }) => id)).toEqual(["ann", "ben"]);
    for (const { reason } of route.passed_over) expect(reason).toContain("vacuum-floor");
  });

  it("a preview of a route stores nothing", async () => {
    const { agent } = await createFreshHousehold();
    const request = { intent: "vacuum the hall", requires: ["vacuum-floor"] };

    const tried = await expectOkJson(await agent.post("/mess/route", { MESS: [{ request }] }));

    const ref = await agent.createThread(request.intent, request);
    expect(tried).toEqual(await agent.read(`/mess/${ref}/route`));
    expect(ref).toMatch(/-001$/);
  });

  it("a preview of a route needs exactly one request", async () => {
    const { agent } = await createFreshHousehold();
    const request = { intent: "vacuum the hall" };

    for (const MESS of [[{ request }, { request }], [{ query: { type: "status" } }]])
      expect(await readRefusal(await agent.post("/mess/route", { MESS }))).toBe("400 bad_shape");
  });
});
