import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeLink } from "../../../../src/auth/links/links.ts";
import {
  type Answered,
  type Caller,
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  readRefusal,
  sendRequest,
} from "../../support.ts";

const SECRET = "test-secret-of-at-least-thirty-two-bytes";

async function createOfferedThread() {
  const household = await createFreshHousehold();
  const ref = await household.agent.createThread("look at the basil", { requires: ["look"] });
  return { ...household, ref };
}

async function createLinkFor(caller: Caller, ref: string, body: object): Promise<string> {
  const { url } = await expectOkJson(await caller.post(`/mess/${ref}/links`, body));
  const token = new URL(url as string).searchParams.get("token")!;
  return `/thread/${ref}?token=${token}`;
}

const postWithLink = (path: string, body: object, headers: Record<string, string> = {}) =>
  sendRequest(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...headers },
  });

afterEach(() => {
  vi.useRealTimers();
});

describe("GET /mess/{ref}/route by a link", () => {
  it("the route by a link names the members that the thread was offered to, and no others", async () => {
    const { agent, ref } = await createOfferedThread();
    const link = await createLinkFor(agent, ref, { executor: "ann" });
    const token = new URL(link, ORIGIN).searchParams.get("token");

    const route = await expectOkJson(
      await sendRequest(`/mess/${ref}/route`, { headers: { Authorization: `Bearer ${token}` } }),
    );

    expect(route.candidates.map(({ id }: Answered) => id)).toEqual(["ann"]);
    expect(route).toMatchObject({ passed_over: [] });
    const full = await agent.read(`/mess/${ref}/route`);
    expect(full.passed_over.map(({ id }: Answered) => id)).toContain("ben");
  });
});

describe("POST /mess/{ref}/links", () => {
  it("a link has the public origin of the exchange, whatever Host the call names", async () => {
    const { agent, ref } = await createOfferedThread();

    const response = await exports.default.fetch(
      new Request(`https://evil.test/mess/${ref}/links`, {
        method: "POST",
        body: JSON.stringify({ executor: "ann" }),
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${agent.key}` },
      }),
    );

    const { url, short_url } = await expectOkJson(response);
    expect(new URL(url).origin).toBe(ORIGIN);
    expect(new URL(short_url).origin).toBe(ORIGIN);
  });

  it("a link for a candidate is valid for a day", async () => {
    const { agent, ref } = await createOfferedThread();

    const response = await agent.post(`/mess/${ref}/links`, { executor: "ann" });

    expect(response.status).toBe(201);
    const { url, short_url, expires } = await expectOkJson(response);
    expect(url).toMatch(new RegExp(`^${ORIGIN}/respond\\?ref=${ref}&token=[\\w.-]+$`));
    expect(short_url).toMatch(new RegExp(`^${ORIGIN}/r/[\\w-]+_${ref}_[0-9a-z]{17}$`));
    expect(Date.parse(expires) - Date.now()).toBeGreaterThan(86_300_000);
    expect(Date.parse(expires) - Date.now()).toBeLessThan(86_500_000);
  });

  it("one idempotency key creates one link, and is refused for another call", async () => {
    const { agent, ref } = await createOfferedThread();
    const key = { "Idempotency-Key": "once" };
    const body = { executor: "ann" };

    const first = await expectOkJson(await agent.post(`/mess/${ref}/links`, body, key));
    const again = await expectOkJson(await agent.post(`/mess/${ref}/links`, body, key));
    const other = await expectOkJson(await agent.post(`/mess/${ref}/links`, body));
    const clash = await agent.post(`/mess/${ref}/links`, { ...body, permissions: ["claim"] }, key);

    expect([again.jti, again.short_url]).toEqual([first.jti, first.short_url]);
    expect(other.jti).not.toBe(first.jti);
    expect(await readRefusal(clash)).toBe("409 idempotency_conflict");
  });

  it("a link by default expires with the thread", async () => {
    const { agent } = await createFreshHousehold();
    const end = new Date(Date.now() + 5 * 86_400_000).toISOString();
    const ref = await agent.createThread("look", { requires: ["look"], needed_by: end });

    const { expires } = await expectOkJson(
      await agent.post(`/mess/${ref}/links`, { executor: "ann" }),
    );

    expect(Math.abs(Date.parse(expires) - Date.parse(end))).toBeLessThan(2_000);
  });

  it.each(["2h", "PT2H"])("a link may expire after %s", async (wanted) => {
    const { agent, ref } = await createOfferedThread();

    const { expires } = await expectOkJson(
      await agent.post(`/mess/${ref}/links`, { executor: "ann", expires: wanted }),
    );

    expect(Math.round((Date.parse(expires) - Date.now()) / 60_000)).toBe(120);
  });

  it.each(["32d", "2020-01-01T00:00:00Z", "soon", "PT0S", ""])(
    "a link may not expire at %j",
    async (expires) => {
      const { agent, ref } = await createOfferedThread();

      const response = await agent.post(`/mess/${ref}/links`, { executor: "ann", expires });

      expect(await readRefusal(response)).toBe("400 bad_field");
    },
  );

  it("an executor may create a link for itself, but not for others", async () => {
    const { ann, ref } = await createOfferedThread();

    expect((await ann.post(`/mess/${ref}/links`, { executor: "ann" })).status).toBe(201);
    expect(await readRefusal(await ann.post(`/mess/${ref}/links`, { executor: "ben" }))).toBe(
      "403 wrong_role",
    );
  });

  it("a link for a member that is not a candidate is refused with the list of candidates", async () => {
    const { owner, ref } = await createOfferedThread();

    for (const executor of ["ben", "scout", "nobody", "owner"]) {
      const response = await owner.post(`/mess/${ref}/links`, { executor });
      const { error } = await response.json<{ error: Answered }>();
      expect([response.status, error.code, error.valid]).toEqual([
        422,
        "unknown_executor",
        ["ann"],
      ]);
    }
  });

  it("a link for a member on a later step is refused until that step is reached", async () => {
    const { owner, agent, ann } = await createFreshHousehold();
    await owner.postBlocks(
      { config: { executor: { id: "ben", capabilities: ["look"] } } },
      { config: { routing: { rules: [{ match: {}, prefer: ["ann"] }] } } },
    );
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });

    const early = await owner.post(`/mess/${ref}/links`, { executor: "ben" });
    await ann.postBlocks({ status: { re: ref, code: "declined" } });
    const reached = await owner.post(`/mess/${ref}/links`, { executor: "ben" });

    const { error } = await early.json<{ error: Answered }>();
    expect([early.status, error.valid]).toEqual([422, ["ann"]]);
    expect(reached.status).toBe(201);
  });

  it.each([
    { executor: "ann", permissions: [] },
    { executor: "ann", permissions: ["own"] },
    { permissions: ["claim"] },
    { executor: "ann", colour: "red" },
  ])("a link with %j is refused", async (body) => {
    const { agent, ref } = await createOfferedThread();

    expect(await readRefusal(await agent.post(`/mess/${ref}/links`, body))).toBe("400 bad_field");
  });
});

describe("/thread/{ref}", () => {
  it("a link shows its thread and accepts its executor's messages", async () => {
    const { agent, ref } = await createOfferedThread();
    const path = await createLinkFor(agent, ref, { executor: "ann" });

    const shown = await expectOkJson(await sendRequest(path));
    const claimed = await expectOkJson(
      await postWithLink(path, { MESS: [{ status: { code: "claimed" } }] }),
    );
    const posted = await expectOkJson(
      await postWithLink(path, { MESS: [{ response: { content: ["all green"] } }] }),
    );

    expect(shown.envelope).toMatchObject({ ref, status: "pending" });
    expect(claimed).toEqual({
      ok: true,
      ack: expect.objectContaining({ ref: `${ref}/claim-001` }),
    });
    expect(posted.ack.ref).toBe(`${ref}/response-002`);
    const { envelope, messages } = await agent.read(`/mess/${ref}`);
    expect(envelope.executor).toBe("ann");
    expect(messages.at(-2)).toMatchObject({ from: "ann" });
  });

  it("a link's token is accepted as a Bearer token, also for the thread's reads and files", async () => {
    const { agent, ref } = await createOfferedThread();
    const path = await createLinkFor(agent, ref, { executor: "ann" });
    const headers = { Authorization: `Bearer ${path.split("token=")[1]}` };

    for (const read of [`/thread/${ref}`, `/mess/${ref}`, `/mess/${ref}/route`])
      expect((await sendRequest(read, { headers })).status).toBe(200);
    const uploaded = await sendRequest(`/mess/${ref}/attachments?name=a.txt`, {
      method: "POST",
      body: "a",
      headers: { ...headers, "Content-Type": "text/plain" },
    });
    expect(uploaded.status).toBe(201);
  });

  it("a thread is not found through the link of another thread", async () => {
    const { agent, ref } = await createOfferedThread();
    const other = await agent.createThread("look at the mint", { requires: ["look"] });
    const path = await createLinkFor(agent, ref, { executor: "ann" });

    const foreign = path.replace(ref, other);

    expect(await readRefusal(await sendRequest(foreign))).toBe("404 not_found");
    expect(await readRefusal(await postWithLink(foreign, { status: { code: "claimed" } }))).toBe(
      "404 not_found",
    );
    const elsewhere = { MESS: [{ status: { re: other, code: "claimed" } }] };
    expect(await readRefusal(await postWithLink(path, elsewhere))).toBe("404 not_found");
    expect((await agent.read(`/mess/${other}`)).envelope.status).toBe("pending");
  });

  it("a link allows only the actions of its permissions", async () => {
    const { agent, ref } = await createOfferedThread();
    const path = await createLinkFor(agent, ref, { executor: "ann", permissions: ["claim"] });

    const answered = await postWithLink(path, { MESS: [{ response: { content: ["green"] } }] });
    const declined = await postWithLink(path, { MESS: [{ status: { code: "declined" } }] });
    const claimed = await postWithLink(path, { MESS: [{ status: { code: "claimed" } }] });

    expect(await readRefusal(answered)).toBe("403 wrong_role");
    expect(await readRefusal(declined)).toBe("403 wrong_role");
    expect(claimed.status).toBe(200);
  });

  it("a link does not act for a member named in a body", async () => {
    const { agent, ref } = await createOfferedThread();
    const path = await createLinkFor(agent, ref, { executor: "ann" });

    await expectOkJson(
      await postWithLink(path, {
        from: "owner",
        MESS: [{ status: { code: "claimed", executor: "ben" } }],
      }),
    );

    expect((await agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
  });

  it("a call through a link with an idempotency key takes effect once", async () => {
    const { agent, ref } = await createOfferedThread();
    const path = await createLinkFor(agent, ref, { executor: "ann" });
    const answer = () =>
      postWithLink(
        path,
        { MESS: [{ response: { content: ["green"] } }] },
        { "Idempotency-Key": "one" },
      );

    const first = await (await answer()).text();
    const again = await (await answer()).text();

    expect(again).toBe(first);
    expect((await agent.read(`/mess/${ref}/messages/response-001`)).messages).toHaveLength(2);
    expect(await readRefusal(await agent.fetch(`/mess/${ref}/messages/response-002`))).toBe(
      "404 not_found",
    );
  });

  it("messages without a thread are refused through a link, and from members at this address", async () => {
    const { agent, owner, ref } = await createOfferedThread();
    const path = await createLinkFor(agent, ref, { executor: "ann" });
    const request = { MESS: [{ request: { intent: "tea" } }] };
    const config = { MESS: [{ config: { executor: { id: "x", capabilities: [] } } }] };

    for (const body of [request, config, { MESS: [{ query: { type: "executors" } }] }]) {
      expect(await readRefusal(await postWithLink(path, body))).toBe("400 bad_shape");
      expect(await readRefusal(await owner.post(`/thread/${ref}`, body))).toBe("400 bad_shape");
    }
    expect(await agent.createThread("count")).toMatch(/-002$/);
  });

  it("a token that is expired, invalid, for another thread or an operator's gives no access", async () => {
    const { id, ref } = await createOfferedThread();
    const stranger = await createFreshHousehold();
    const now = Math.floor(Date.now() / 1_000);
    const link = {
      household: id,
      ref,
      executor: "ann",
      permissions: ["claim"] as const,
      jti: "made-up",
    };
    const late = await makeLink(SECRET, { ...link, expires: now - 1 });
    const endless = await makeLink(SECRET, { ...link, expires: now * 1_000 });
    const forged = await makeLink(`${SECRET}!`, { ...link, expires: now + 60 });
    const foreign = await makeLink(SECRET, { ...link, household: stranger.id, expires: now + 60 });

    expect(await readRefusal(await sendRequest(`/thread/${ref}?token=${late}`))).toBe(
      "410 link_dead",
    );
    for (const token of [endless, forged, "", "a.b.c", "test-operator-key"])
      expect(await readRefusal(await sendRequest(`/thread/${ref}?token=${token}`))).toBe(
        "401 unauthenticated",
      );
    expect(await readRefusal(await sendRequest(`/thread/${ref}?token=${foreign}`))).toBe(
      "404 not_found",
    );
  });

  it("a link gives no access except to its thread", async () => {
    const { agent, ref } = await createOfferedThread();
    const path = await createLinkFor(agent, ref, { executor: "ann" });
    const headers = { Authorization: `Bearer ${path.split("token=")[1]}` };

    for (const other of ["/mess", "/api/v1/household", "/api/v1/keys", "/mess/export.zip"])
      expect(await readRefusal(await sendRequest(other, { headers }))).toBe("401 unauthenticated");
    const asked = await sendRequest("/mess", { method: "POST", body: "tea", headers });
    expect(await readRefusal(asked)).toBe("404 not_found");
    const linked = await sendRequest(`/mess/${ref}/links`, {
      method: "POST",
      body: '{"executor": "ann"}',
      headers: { ...headers, "Content-Type": "application/json" },
    });
    expect(await readRefusal(linked)).toBe("401 unauthenticated");
  });

  it("a link preview changes nothing", async () => {
    const { agent, ref } = await createOfferedThread();
    const path = await createLinkFor(agent, ref, { executor: "ann" });
    const before = await agent.read(`/mess/${ref}`);

    for (const agentName of ["Slackbot-LinkExpanding 1.0", "TelegramBot", "facebookexternalhit"])
      for (const method of ["GET", "HEAD", "OPTIONS"])
        await (await sendRequest(path, { method, headers: { "User-Agent": agentName } })).text();

    expect(await agent.read(`/mess/${ref}`)).toEqual(before);
    expect((await postWithLink(path, { status: { code: "claimed" } })).status).toBe(200);
  });
});
