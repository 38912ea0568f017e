import { afterEach, describe, expect, it, vi } from "vitest";
import { makeLink } from "../../../src/auth/links/links.ts";
import { expectOkJson, readRefusal, sendRequest } from "../support.ts";
import { buildJsonInit, createLink, openScene, SECRET } from "./support.ts";

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

    expect(await expectOkJson(asked)).toEqual({ asked: true, sent: false });
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
