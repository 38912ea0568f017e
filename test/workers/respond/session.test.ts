import { afterEach, describe, expect, it, vi } from "vitest";
import { makeLink } from "../../../src/auth/links/links.ts";
import {
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  readRefusal,
  sendRequest,
} from "../support.ts";
import { Browser, buildJsonInit, createLink, openScene, SECRET } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

const claim = { status: { code: "claimed" } };

/** A link that expired a second ago. */
const makeExpiredLink = (household: string, ref: string): Promise<string> =>
  makeLink(SECRET, {
    household,
    ref,
    executor: "ann",
    permissions: ["respond"],
    jti: "old",
    expires: Math.floor(Date.now() / 1_000) - 1,
  });

describe("POST /respond/session", () => {
  it.each(["token", "code"] as const)(
    "the %s of a link is exchanged for a cookie that is valid as long as the link",
    async (by) => {
      const { agent } = await createFreshHousehold();
      const ref = await agent.createThread("look", { requires: ["look"] });
      const link = await createLink(agent, ref, "ann", { expires: "2d" });
      const browser = new Browser();

      const response = await browser.open(
        by === "token" ? { token: link.token } : { code: link.code },
      );

      expect(response.status).toBe(204);
      expect(await response.text()).toBe("");
      expect(response.headers.get("X-MESS-Ref")).toBe(ref);
      const [cookie, ...others] = response.headers.getSetCookie();
      expect(others).toEqual([]);
      expect(cookie).toMatch(
        /^__Host-mess-respond-[0-9a-f]{12}-[0-9a-f]{12}=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=1727\d\d|172800$/,
      );
      expect(cookie).not.toContain(link.token);
      expect((await browser.readState(ref)).me).toEqual({
        executor: "ann",
        permissions: ["respond", "claim", "decline"],
      });
    },
  );

  it("a link works on several devices, and a browser can have several threads", async () => {
    const { agent, ref, link, browser } = await openScene();
    const other = await agent.createThread("look at the mint", { requires: ["look"] });
    await browser.open({ code: (await createLink(agent, other)).code });
    const second = new Browser();
    await second.open({ token: link.token });

    expect((await browser.readState(ref)).envelope.intent).toBe("look at the basil");
    expect((await browser.readState(other)).envelope.intent).toBe("look at the mint");
    expect((await second.readState(ref)).me.executor).toBe("ann");
  });

  it("a session of a link gives no access to another thread", async () => {
    const { agent, ref, browser } = await openScene();
    const other = await agent.createThread("look at the mint", { requires: ["look"] });
    const [[name, value]] = [...browser.cookies] as [[string, string]];
    await browser.open({ code: (await createLink(agent, other)).code });
    const otherName = [...browser.cookies.keys()].find((one) => one !== name)!;
    // The right name, with the content for another thread.
    const crossed = new Browser();
    crossed.cookies.set(otherName, value);

    expect(await readRefusal(await crossed.fetch(`/respond/state?ref=${other}`))).toBe(
      "401 unauthenticated",
    );
    expect(await readRefusal(await crossed.appendBlocks(other, claim))).toBe("401 unauthenticated");
    const elsewhere = await browser.appendBlocks(ref, { status: { re: other, code: "claimed" } });
    expect(await readRefusal(elsewhere)).toBe("404 not_found");
    expect((await agent.read(`/mess/${other}`)).envelope.status).toBe("pending");
  });

  it("a browser has at most sixteen threads through links, and drops the oldest", async () => {
    const { agent, ref, browser } = await openScene();
    for (let n = 0; n < 16; n++) {
      const one = await agent.createThread(`look ${n}`, { requires: ["look"] });
      await browser.open({ code: (await createLink(agent, one)).code });
    }

    expect(browser.cookies.size).toBe(16);
    expect(await readRefusal(await browser.fetch(`/respond/state?ref=${ref}`))).toBe(
      "401 unauthenticated",
    );
  });

  it("a page of another site gets no session of a link", async () => {
    const { link } = await openScene();

    for (const headers of [
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
    ]) {
      const response = await sendRequest(
        "/respond/session",
        buildJsonInit({ token: link.token }, headers),
      );
      expect(await readRefusal(response)).toBe("400 unsafe_message");
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    const own = await sendRequest(
      "/respond/session",
      buildJsonInit({ token: link.token }, { Origin: ORIGIN }),
    );
    expect(own.status).toBe(204);
  });

  it("a token that is not a link gets the same refusal for every reason", async () => {
    const { link, ref } = await openScene();
    const bodies = [
      {},
      { token: "" },
      { token: "a.b.c" },
      { code: "" },
      { code: link.code.slice(0, -1) },
      { code: `${link.code.slice(0, -1)}${link.code.endsWith("0") ? "1" : "0"}` },
      { code: link.code.replace(ref, `${ref}0`) },
      { code: link.code.replace(/_1(\w{16})$/, "_2$1") },
      { token: link.token, ref: "2020-01-01-001" },
    ];

    const answers = new Set<string>();
    for (const body of bodies) {
      const response = await sendRequest("/respond/session", buildJsonInit(body));
      answers.add(`${response.status} ${await response.text()}`);
    }

    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^401 .*"unauthenticated"/);
  });

  it("a browser distinguishes threads of two households with one ref, and refuses ambiguous calls", async () => {
    const [one, two] = [await openScene(), await openScene()];
    expect(two.ref).toBe(one.ref);
    const { ref, browser } = one;
    const second = await browser.open({ token: two.link.token });
    const session = second.headers.get("X-MESS-Session")!;

    const unsaid = await browser.appendBlocks(ref, claim);
    const posted = await browser.post(
      `/mess?ref=${ref}`,
      { MESS: [claim] },
      { "X-MESS-Session": session },
    );

    expect(await readRefusal(unsaid)).toBe("409 ambiguous_ref");
    expect(posted.status).toBe(200);
    expect((await one.agent.read(`/mess/${ref}`)).envelope.executor).toBeNull();
    expect((await two.agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
    expect((await browser.fetch(`/respond/state?ref=${ref}&session=${session}`)).status).toBe(200);
  });
});

describe("a session of a link", () => {
  it("a session of a link allows the same as the link, and no more", async () => {
    const { ref, browser, agent } = await openScene();

    const claimed = await browser.appendBlocks(ref, claim);
    const posted = await browser.post(`/thread/${ref}`, {
      MESS: [{ status: { code: "in_progress" } }],
    });
    const uploaded = await browser.fetch(`/mess/${ref}/attachments?name=note.txt`, {
      method: "POST",
      body: "green",
      headers: { "Content-Type": "text/plain" },
    });
    const { file } = await expectOkJson(uploaded);
    await expectOkJson(
      await browser.appendBlocks(ref, { response: { content: [{ file: { file } }] } }),
    );

    expect([claimed.status, posted.status, uploaded.status]).toEqual([200, 200, 201]);
    const { attachments, cursor } = await browser.readState(ref);
    expect(await (await browser.fetch(attachments[0].url)).text()).toBe("green");
    for (const path of [
      `/mess/${ref}`,
      `/mess/${ref}/route`,
      `/mess/${ref}/wait?cursor=${cursor - 1}&timeout=0`,
      `/mess/${ref}/messages/claim-001`,
      `/thread/${ref}`,
    ])
      expect((await browser.fetch(path)).status).toBe(200);
    for (const path of [`/mess`, `/api/v1/household`, `/mess/${ref}/links`])
      expect(await readRefusal(await browser.fetch(path))).toBe("401 unauthenticated");
    expect(await readRefusal(await browser.post("/mess", { MESS: [claim] }))).toBe(
      "401 unauthenticated",
    );
    expect((await agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
  });

  it("a session of a link sends messages only for the exchange's own pages", async () => {
    const { ref, browser, agent } = await openScene();

    for (const headers of [{}, { "X-MESS-Client": "other" }] as Record<string, string>[]) {
      browser.headers = headers;
      for (const path of [`/mess?ref=${ref}`, `/thread/${ref}`, `/mess/${ref}/attachments`])
        expect(await readRefusal(await browser.post(path, { MESS: [claim] }))).toBe(
          "400 unsafe_message",
        );
      expect((await browser.fetch(`/respond/state?ref=${ref}`)).status).toBe(200);
    }
    expect((await agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
  });

  it("a Bearer prevails over a session of a link", async () => {
    const { ref, browser, ben } = await openScene();

    const response = await browser.fetch(`/respond/state?ref=${ref}`, {
      headers: { Authorization: `Bearer ${ben.key}` },
    });

    expect(await readRefusal(response)).toBe("404 not_found");
  });

  it("a session of a link is removed on request", async () => {
    const { ref, browser } = await openScene();

    const response = await browser.fetch(`/respond/session?ref=${ref}`, { method: "DELETE" });

    expect(response.status).toBe(204);
    expect(browser.cookies.size).toBe(0);
  });

  it("a session of a link is not a Bearer token, and the link's token is not a cookie", async () => {
    const { ref, browser, link } = await openScene();
    const [[name, value]] = [...browser.cookies] as [[string, string]];
    const swapped = new Browser();
    swapped.cookies.set(name, link.token);

    const asBearer = await sendRequest(`/mess/${ref}`, {
      headers: { Authorization: `Bearer ${value}` },
    });

    expect(await readRefusal(asBearer)).toBe("401 unauthenticated");
    expect(await readRefusal(await swapped.fetch(`/mess/${ref}`))).toBe("401 unauthenticated");
  });
});

describe("an inactive link", () => {
  const readReason = async (response: Response) => {
    const { error } = await response.json<{ error: Record<string, string> }>();
    return [response.status, error["code"], error["reason"], error["status"]];
  };

  it("an expired link is reported as expired", async () => {
    const { id, ref } = await openScene();

    const shown = await sendRequest(
      "/respond/session",
      buildJsonInit({ token: await makeExpiredLink(id, ref) }),
    );

    expect(await readReason(shown)).toEqual([410, "link_dead", "expired", undefined]);
  });

  it("a revoked link is reported as revoked, in every browser that opened it", async () => {
    const { agent, ref, link, browser } = await openScene();
    const other = await createLink(agent, ref);

    await expectOkJson(await agent.fetch(`/mess/${ref}/links/${link.jti}`, { method: "DELETE" }));

    const dead = [410, "link_dead", "revoked", undefined];
    expect(
      await readReason(await sendRequest("/respond/session", buildJsonInit({ token: link.token }))),
    ).toEqual(dead);
    expect(
      await readReason(await sendRequest("/respond/session", buildJsonInit({ code: link.code }))),
    ).toEqual(dead);
    expect(await readReason(await browser.fetch(`/respond/state?ref=${ref}`))).toEqual(dead);
    expect(await readReason(await browser.appendBlocks(ref, claim))).toEqual(dead);
    expect(
      (await sendRequest("/respond/session", buildJsonInit({ token: other.token }))).status,
    ).toBe(204);
  });

  it("a link ends with all links of its executor", async () => {
    const { agent, ref, ann, link } = await openScene();
    const second = await createLink(ann, ref);

    const revoked = await expectOkJson(
      await agent.fetch(`/mess/${ref}/links?executor=ann`, { method: "DELETE" }),
    );

    expect(revoked.links.map((one: { revoked: boolean }) => one.revoked)).toEqual([true, true]);
    for (const { token } of [link, second])
      expect(
        await readReason(await sendRequest("/respond/session", buildJsonInit({ token }))),
      ).toEqual([410, "link_dead", "revoked", undefined]);
  });

  it("a link can be revoked by the requestor, by owners, and by its own executor only", async () => {
    const { agent, ann, ben, owner, ref } = await openScene({ requires: [] });
    const path = async (executor: string) =>
      `/mess/${ref}/links/${(await createLink(owner, ref, executor)).jti}`;
    const gone = { method: "DELETE" };

    expect((await ann.fetch(await path("ann"), gone)).status).toBe(200);
    expect(await readRefusal(await ben.fetch(await path("ann"), gone))).toBe("404 not_found");
    expect((await owner.fetch(await path("ben"), gone)).status).toBe(200);
    expect((await agent.fetch(await path("ben"), gone)).status).toBe(200);
    const { links } = await ben.read(`/mess/${ref}/links`);
    expect(new Set(links.map((one: { executor: string }) => one.executor))).toEqual(
      new Set(["ben"]),
    );
    expect((await agent.read(`/mess/${ref}/links`)).links.length).toBeGreaterThan(links.length);
  });

  it("a link ends with its thread, and the refusal has the final status", async () => {
    const { agent, ref, link, browser } = await openScene();
    await agent.appendBlocks(ref, { cancel: {} });

    const dead = [410, "link_dead", "finished", "cancelled"];
    expect(
      await readReason(await sendRequest("/respond/session", buildJsonInit({ token: link.token }))),
    ).toEqual(dead);
    for (const path of [`/respond/state?ref=${ref}`, `/mess/${ref}`, `/mess/${ref}/wait?timeout=0`])
      expect(await readReason(await browser.fetch(path))).toEqual(dead);
    expect(
      await readReason(await browser.appendBlocks(ref, { response: { content: ["late"] } })),
    ).toEqual(dead);
  });

  it("values of a page that do not fit the request's JSON Schema are refused with their place", async () => {
    const count = { type: "integer", minimum: 1 };
    const schema = { type: "object", required: ["count"], properties: { count } };
    const { ref, browser } = await openScene({ response_hint: [{ json: schema }] });
    const respond = (values: object) =>
      browser.appendBlocks(ref, { response: { content: [{ structured: values }] } });

    const wrong = await respond({ count: 1.5 });
    const missing = await respond({ other: 1 });
    const words = await browser.appendBlocks(ref, { followup: { message: "None to count" } });
    const right = await respond({ count: 2, other: 1 });

    expect([wrong.status, missing.status, words.status, right.status]).toEqual([
      400, 400, 200, 200,
    ]);
    expect(await wrong.json()).toMatchObject({
      error: { code: "bad_field", path: "response.content.structured.count" },
    });
  });

  it("the refusal of a link whose thread was cancelled has the reason", async () => {
    const { agent, ref, browser } = await openScene();
    await agent.appendBlocks(ref, { cancel: { reason: "Ben is home already" } });

    const response = await browser.fetch(`/respond/state?ref=${ref}`);

    expect(await response.json()).toMatchObject({
      error: { code: "link_dead", status: "cancelled", note: "Ben is home already" },
    });
  });

  it("the executor's link outlives its completed thread, to add to the answer, and no other link does", async () => {
    const { agent, ben, ref, link, browser } = await openScene({ requires: [] });
    const other = await createLink(agent, ref, "ben");
    await browser.appendBlocks(ref, { status: { code: "completed" } });

    await agent.appendBlocks(ref, { followup: { message: "Thank you" } });
    const state = await browser.fetch(`/respond/state?ref=${ref}`);
    const added = await browser.appendBlocks(ref, { response: { content: ["and the gate"] } });
    const refused = await sendRequest("/respond/session", buildJsonInit({ token: other.token }));

    expect([state.status, added.status]).toEqual([200, 200]);
    expect(await readReason(refused)).toEqual([410, "link_dead", "finished", "completed"]);
    expect(JSON.stringify(await ben.read(`/mess/${ref}`))).toContain("and the gate");
    expect(link.token).not.toBe(other.token);
  });

  it("an inactive link gets the stored response of a call that it made before", async () => {
    const { ref, browser } = await openScene();
    const postDone = () =>
      browser.post(
        `/mess?ref=${ref}`,
        { MESS: [{ response: { content: ["green"] } }, { status: { code: "completed" } }] },
        { "Idempotency-Key": "one" },
      );

    const first = await (await postDone()).text();
    const again = await postDone();

    expect(again.status).toBe(200);
    expect(await again.text()).toBe(first);
  });
});

describe("POST /respond/renew", () => {
  it("a request for a new link notifies the household and the thread once an hour, and returns no link", async () => {
    const { agent, owner, ref, link } = await openScene();
    await agent.fetch(`/mess/${ref}/links/${link.jti}`, { method: "DELETE" });
    const renew = () => sendRequest("/respond/renew", buildJsonInit({ token: link.token, ref }));

    const asked = await renew();
    const again = await renew();

    expect(await expectOkJson(asked)).toEqual({ asked: true });
    expect(await readRefusal(again)).toBe("429 rate_limited");
    expect(again.headers.get("Retry-After")).toBe("3600");
    const { envelope } = await agent.read(`/mess/${ref}`);
    expect(
      envelope.history.filter((row: { action: string }) => row.action === "link_requested"),
    ).toEqual([expect.objectContaining({ by: "ann" })]);
    const { events } = await owner.read("/api/v1/events");
    expect(events.filter((one: { action?: string }) => one.action === "link_requested")).toEqual([
      expect.objectContaining({ ref, by: "ann" }),
    ]);
  });

  it("a new link can be requested again after an hour", async () => {
    const { agent, ref, link } = await openScene();
    const renew = () => sendRequest("/respond/renew", buildJsonInit({ code: link.code }));
    await renew();
    vi.useFakeTimers({ now: Date.now() + 3_601_000, toFake: ["Date"] });

    expect((await renew()).status).toBe(200);
    const { envelope } = await agent.read(`/mess/${ref}`);
    expect(
      envelope.history.filter((row: { action: string }) => row.action === "link_requested"),
    ).toHaveLength(2);
  });

  it("a request for a new link accepts an expired token, and the browser's session", async () => {
    const { id, ref, browser } = await openScene();

    expect(
      (
        await sendRequest(
          "/respond/renew",
          buildJsonInit({ token: await makeExpiredLink(id, ref) }),
        )
      ).status,
    ).toBe(200);
    expect(await readRefusal(await browser.post("/respond/renew", { ref }))).toBe(
      "429 rate_limited",
    );
  });

  it("a request for a new link is refused if the thread has ended, or was never the member's", async () => {
    const { agent, ref, link } = await openScene();
    await agent.appendBlocks(ref, { cancel: {} });

    expect(
      await readRefusal(await sendRequest("/respond/renew", buildJsonInit({ token: link.token }))),
    ).toBe("410 link_dead");
    for (const body of [{ token: "a.b.c" }, { code: "x" }, { ref }, {}])
      expect(await readRefusal(await sendRequest("/respond/renew", buildJsonInit(body)))).toBe(
        "401 unauthenticated",
      );
  });
});
