import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { Browser, buildJsonInit, type Link, createLink } from "../respond/support.ts";
import { type Caller, expectOkJson, readRefusal, sendRequest } from "../support.ts";
import { createOfferedThread, findKeyId, revokeKey } from "./support.ts";

const UNKNOWN = "401 unauthenticated";
const claim = { MESS: [{ status: { code: "claimed" } }] };

/** Every way to read and write with the link. */
async function sendAnswers({ token, code }: Link, ref: string): Promise<string[]> {
  const responses = [
    await sendRequest(`/thread/${ref}?token=${token}`),
    await sendRequest(`/mess/${ref}`, { headers: { Authorization: `Bearer ${token}` } }),
    await sendRequest(`/thread/${ref}?token=${token}`, buildJsonInit(claim)),
    await sendRequest("/respond/session", buildJsonInit({ token })),
    await sendRequest("/respond/session", buildJsonInit({ code })),
    await sendRequest("/respond/renew", buildJsonInit({ token })),
    await sendRequest("/respond/renew", buildJsonInit({ code })),
  ];
  return await Promise.all(responses.map(readRefusal));
}

/** The status of the response to the page's plain form. */
async function postForm(fields: Record<string, string>): Promise<number> {
  const body = new URLSearchParams({ ...fields, action: "claim" });
  return (await sendRequest("/respond/form", { method: "POST", body })).status;
}

async function openLiveSocket(ref: string, headers: Record<string, string>, browser?: Browser) {
  const init = { headers: { ...headers, Upgrade: "websocket", Origin: "https://mess.test" } };
  const path = `/respond/live?ref=${ref}`;
  const { webSocket } = await (browser ? browser.fetch(path, init) : sendRequest(path, init));
  if (!webSocket) throw new Error("no socket");
  const closed = new Promise<number>((resolve) => {
    webSocket.addEventListener("close", ({ code }) => resolve(code));
  });
  webSocket.accept();
  return { closed };
}

describe("a link created with a revoked key", () => {
  it("a link created with a revoked key is refused like one that never existed, by token, code and form", async () => {
    const { owner, ann, agent, ref } = await createOfferedThread();
    const link = await createLink(ann, ref, "ann", { expires: "31d" });
    await expectOkJson(await sendRequest(`/thread/${ref}?token=${link.token}`));

    await revokeKey(owner, "ann");

    const answers = await sendAnswers(link, ref);
    expect(answers).toEqual(answers.map(() => UNKNOWN));
    expect(await postForm({ token: link.token })).toBe(401);
    expect(await postForm({ code: link.code })).toBe(401);
    const { envelope } = await agent.read(`/mess/${ref}`);
    expect(envelope).toMatchObject({ status: "pending", executor: null });
    expect(envelope.history.map(({ action }: { action: string }) => action)).not.toContain(
      "link_requested",
    );
  });

  it("a link created with a revoked key ends its browser's session and socket", async () => {
    const { owner, ann, ref } = await createOfferedThread();
    const browser = new Browser();
    await browser.open({ token: (await createLink(ann, ref, "ann", { expires: "31d" })).token });
    await expectOkJson(await browser.fetch(`/respond/state?ref=${ref}`));
    const { closed } = await openLiveSocket(ref, {}, browser);

    await revokeKey(owner, "ann");

    expect(await closed).toBe(4_401);
    expect(await readRefusal(await browser.fetch(`/respond/state?ref=${ref}`))).toBe(UNKNOWN);
    expect(await readRefusal(await browser.appendBlocks(ref, claim.MESS[0]!))).toBe(UNKNOWN);
    expect(await readRefusal(await browser.post("/respond/renew", { ref }))).toBe(UNKNOWN);
    const listed = await browser.fetch("/inbox/threads");
    expect((await expectOkJson(listed)).threads).toEqual([]);
  });

  it("a link created with a revoked key does not get the stored response of a repeated call", async () => {
    const { owner, ann, ref } = await createOfferedThread();
    const { token } = await createLink(ann, ref);
    const postResponse = () =>
      sendRequest(
        `/thread/${ref}?token=${token}`,
        buildJsonInit(claim, { "Idempotency-Key": "one" }),
      );
    await expectOkJson(await postResponse());

    await revokeKey(owner, "ann");

    expect(await readRefusal(await postResponse())).toBe(UNKNOWN);
  });

  it("a link created with a revoked key reveals nothing about messages and members", async () => {
    const { owner, ann, ref } = await createOfferedThread();
    const { token } = await createLink(ann, ref);
    await ann.appendBlocks(ref, { status: { code: "claimed" } });
    const about = (name: string) => ({ followup: { re: `${ref}/${name}`, message: "?" } });
    const pass = (to: string) => ({ status: { code: "delegated", delegated_to: to } });
    await revokeKey(owner, "ann");

    const messages = [about("claim-001"), about("claim-009"), pass("ben"), pass("nobody")];
    const answers = await Promise.all(
      messages.map(async (message) =>
        readRefusal(
          await sendRequest(`/thread/${ref}?token=${token}`, buildJsonInit({ MESS: [message] })),
        ),
      ),
    );

    expect(answers).toEqual(messages.map(() => UNKNOWN));
  });

  it("a link created with a revoked key is refused like a link whose thread does not exist", async () => {
    const { owner, ann, ref } = await createOfferedThread();
    const { token } = await createLink(ann, ref);

    await revokeKey(owner, "ann");

    const ended = await sendRequest(`/thread/${ref}?token=${token}`);
    const made_up = await sendRequest(`/thread/${ref}?token=${token.slice(0, -4)}AAAA`);
    expect(await ended.text()).toBe(await made_up.text());
  });

  it("revoking a key keeps the links that were created with other keys", async () => {
    const { owner, ann, agent, ref } = await createOfferedThread();
    const own = await createLink(ann, ref);
    const agents = await createLink(agent, ref);

    await revokeKey(owner, "scout");

    expect((await sendRequest(`/thread/${ref}?token=${own.token}`)).status).toBe(200);
    expect(await readRefusal(await sendRequest(`/thread/${ref}?token=${agents.token}`))).toBe(
      UNKNOWN,
    );
  });

  it("revoking a key ends its links in every thread", async () => {
    const { owner, agent } = await createOfferedThread();
    const refs = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        agent.createThread(`look at ${n}`, { requires: ["look"] }),
      ),
    );
    const links = await Promise.all(refs.map((ref) => createLink(agent, ref)));

    await revokeKey(owner, "scout");

    const statuses = await Promise.all(
      links.map(
        async ({ token }, n) => (await sendRequest(`/thread/${refs[n]}?token=${token}`)).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  it("a link created with a revoked key is listed as revoked", async () => {
    const { owner, ann, ref } = await createOfferedThread();
    await createLink(ann, ref);

    await revokeKey(owner, "ann");

    const { links } = await owner.read(`/mess/${ref}/links`);
    expect(links).toEqual([expect.objectContaining({ executor: "ann", revoked: true })]);
  });

  it("a call that is repeated with another key of the same member creates a new link", async () => {
    const { owner, agent, ref, addMember } = await createOfferedThread();
    const key = { "Idempotency-Key": "once" };
    const give = (caller: Caller) => caller.post(`/mess/${ref}/links`, { executor: "ann" }, key);
    const first = await expectOkJson(await give(agent));
    const next = await addMember("scout", "agent");

    await revokeKey(owner, "scout");
    const second = await expectOkJson(await give(next));

    expect(second.jti).not.toBe(first.jti);
    const token = new URL(second.url as string).searchParams.get("token")!;
    expect((await sendRequest(`/thread/${ref}?token=${token}`)).status).toBe(200);
  });
});

describe("a key that was revoked a moment ago", () => {
  it("a key that was just revoked creates no link while it is still cached as valid", async () => {
    const { id, owner, ann, ref } = await createOfferedThread();
    const keyId = await findKeyId(owner, "ann");
    await expectOkJson(await ann.fetch(`/mess/${ref}`));

    // Simulates another isolate, which was not notified and caches the key for 30 seconds.
    const revoked = await getHouseholdStub(env, id).identity.revokeKey(keyId);

    expect(revoked.ok).toBe(true);
    expect((await ann.fetch(`/mess/${ref}`)).status).toBe(200);
    expect(await readRefusal(await ann.post(`/mess/${ref}/links`, { executor: "ann" }))).toBe(
      UNKNOWN,
    );
    expect((await owner.read(`/mess/${ref}/links`)).links).toEqual([]);
  });
});

describe("a live socket", () => {
  it("a live socket ends with the key that opened it", async () => {
    const { owner, agent, ref } = await createOfferedThread();
    const { closed } = await openLiveSocket(ref, { Authorization: `Bearer ${agent.key}` });

    await revokeKey(owner, "scout");

    expect(await closed).toBe(4_401);
  });

  it("a live socket is not opened by a revoked key that is still cached as valid", async () => {
    const { id, owner, agent, ref } = await createOfferedThread();
    const headers = { Authorization: `Bearer ${agent.key}`, Upgrade: "websocket" };
    await expectOkJson(await agent.fetch(`/mess/${ref}`));

    await getHouseholdStub(env, id).identity.revokeKey(await findKeyId(owner, "scout"));

    expect(await readRefusal(await sendRequest(`/respond/live?ref=${ref}`, { headers }))).toBe(
      UNKNOWN,
    );
  });
});
