import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { McpCaller } from "../../../src/ingress/mcp/caller.ts";
import { serveCaller } from "../../../src/ingress/mcp/route.ts";
import { Caller, createFreshHousehold, ORIGIN } from "../support.ts";
import {
  buildModernRequest,
  buildLegacyRequest,
  callLegacy,
  openSession,
  readReceived,
  readStream,
} from "./support.ts";

type Session = Record<string, string>;

const openStream = (caller: Caller, session: Session): Promise<Response> =>
  caller.fetch("/mcp", { headers: { ...session, Accept: "text/event-stream" } });

const subscribe = (caller: Caller, session: Session, uri: string) =>
  callLegacy(caller, "resources/subscribe", { uri }, session);

afterEach(() => {
  vi.useRealTimers();
});

describe("subscriptions of clients of the 2025 revisions", () => {
  it("a stream reports changes of subscribed threads, until the client unsubscribes", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });
    const other = await agent.createThread("Look elsewhere", { requires: ["look"] });
    const session = await openSession(agent);
    const stream = readStream(await openStream(agent, session));

    const subscribed = await subscribe(agent, session, `thread://${ref}`);
    await subscribe(agent, session, `thread://${other}`);
    await ann.appendBlocks(ref, { followup: { message: "nearly there" } });
    const first = await stream.readNext();
    await callLegacy(agent, "resources/unsubscribe", { uri: `thread://${ref}` }, session);
    await ann.claim(ref);
    await ann.claim(other);
    const second = await stream.readNext();

    expect(subscribed.result).toEqual({});
    expect(first).toMatchObject({
      method: "notifications/resources/updated",
      params: { uri: `thread://${ref}` },
    });
    expect(second?.params.uri).toBe(`thread://${other}`);
    await stream.close();
  });

  it("a stream that is opened again reports each subscribed resource, also after an eviction", async () => {
    const { id, agent } = await createFreshHousehold();
    const session = await openSession(agent);
    await subscribe(agent, session, "mess://pending");

    await evictDurableObject(env.HOUSEHOLDS.getByName(id), { webSockets: "hibernate" });
    const stream = readStream(await openStream(agent, session));

    expect((await stream.readNext())?.params.uri).toBe("mess://pending");
    await stream.close();
  });

  it("a thread of another household, or of another member, is not found and not reported", async () => {
    const { agent, addMember } = await createFreshHousehold();
    const neighbour = await createFreshHousehold();
    const stranger = await addMember("stranger", "agent");
    const nextDoor = await neighbour.agent.createThread("Next door", { requires: ["look"] });
    const theirs = await agent.createThread("Theirs", { requires: ["look"] });
    const mine = await stranger.createThread("Mine", { requires: ["look"] });
    const session = await openSession(stranger);
    const stream = readStream(await openStream(stranger, session));

    const refused = await Promise.all(
      [nextDoor, theirs, "2001-01-01-001"].map((ref) =>
        subscribe(stranger, session, `thread://${ref}`),
      ),
    );
    await subscribe(stranger, session, `thread://${mine}`);
    await neighbour.ann.claim(nextDoor);
    await agent.appendBlocks(theirs, { cancel: { reason: "done" } });
    await stranger.appendBlocks(mine, { cancel: { reason: "done" } });

    expect(refused.map(({ error }) => error?.code)).toEqual([-32_002, -32_002, -32_002]);
    expect((await stream.readNext())?.params.uri).toBe(`thread://${mine}`);
    await stream.close();
  });

  it("a session of another credential has none of the subscriptions", async () => {
    const { agent, owner } = await createFreshHousehold();
    const session = await openSession(agent);
    await subscribe(agent, session, "mess://pending");
    const stream = readStream(await openStream(owner, session));

    await subscribe(owner, session, "mess://history");
    await agent.createThread("Look", { requires: ["look"] });

    expect((await stream.readNext())?.params.uri).toBe("mess://history");
    await stream.close();
  });

  it("a session is subscribed to at most 64 resources", async () => {
    const { agent } = await createFreshHousehold();
    const session = await openSession(agent);
    const ref = await agent.createThread("Look", { id: "look", requires: ["look"] });
    const ids = [...Array(22).keys()];
    const refs = [ref];
    for (const index of ids) refs.push(await agent.createThread(`Look ${index}`, {}));
    const uris = refs.flatMap((one) =>
      ["", "/envelope", "/latest"].map((part) => `thread://${one}${part}`),
    );

    for (const uri of uris.slice(0, 64)) await subscribe(agent, session, uri);
    const refused = await subscribe(agent, session, uris[64]!);
    const repeated = await subscribe(agent, session, uris[0]!);

    expect(refused.error?.message).toContain("too_many");
    expect(repeated.result).toEqual({});
  });

  it("a stream ends with the session and with its credential", async () => {
    const { owner, agent } = await createFreshHousehold();
    const made = await owner.post("/api/v1/keys", { actor: "other", role: "agent" });
    const { id, key } = await made.json<{ id: string; key: string }>();
    const other = new Caller("other", key);
    const [ended, revoked] = [await openSession(agent), await openSession(other)];
    const streams = [
      readStream(await openStream(agent, ended)),
      readStream(await openStream(other, revoked)),
    ];

    const deleted = await agent.fetch("/mcp", { method: "DELETE", headers: ended });
    await owner.fetch(`/api/v1/keys/${id}`, { method: "DELETE" });

    expect(deleted.status).toBe(204);
    for (const stream of streams) expect(await stream.readNext()).toBeUndefined();
  });
});

describe("sessions of clients of the 2025 revisions", () => {
  it("a call with any id of its client gets a response", async () => {
    const { agent } = await createFreshHousehold();
    const session = await openSession(agent, { elicitation: {} });
    const request = buildLegacyRequest("tools/list", {}, session);
    const body = JSON.stringify({ jsonrpc: "2.0", id: "handshake", method: "tools/list" });

    const { messages } = await readReceived(await agent.fetch("/mcp", { ...request, body }));

    expect(messages).toMatchObject([{ id: "handshake", result: { tools: expect.any(Array) } }]);
  });

  it("a session id that the exchange cannot have given is unknown", async () => {
    const { agent } = await createFreshHousehold();

    const response = await openStream(agent, { "Mcp-Session-Id": "invented" });

    expect(response.status).toBe(404);
  });

  it("a stream stays open by comments, and ends after half an hour or with an expired credential", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { id, owner } = await createFreshHousehold();
    const made = await owner.post("/api/v1/keys", { actor: "other", role: "agent" });
    const credential = `key:${(await made.json<{ id: string }>()).id}` as const;
    const open = async (isValid: () => Promise<boolean>) => {
      const headers = { "Mcp-Session-Id": `${crypto.randomUUID()}.2025-11-25.` };
      const request = new Request(`${ORIGIN}/mcp`, { headers });
      const principal = { household: id, actor: "other", role: "agent", credential } as const;
      return await serveCaller(request, env, { principals: [principal], isValid });
    };

    const streams = [await open(async () => true), await open(async () => false)];
    const [full, expired] = streams.map((response) => response.text());
    await vi.advanceTimersByTimeAsync(31 * 60_000);

    expect(await full).toMatch(/^retry: \d+\n(.|\n)*: keep-alive\n(.|\n)*: ended after 30 minutes/);
    expect(await expired).not.toContain("ended after");
  });

  it("a stream that its client does not read is dropped after three keep-alives", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { id, owner } = await createFreshHousehold();
    const made = await owner.post("/api/v1/keys", { actor: "other", role: "agent" });
    const credential = `key:${(await made.json<{ id: string }>()).id}` as const;
    const principal = { household: id, actor: "other", role: "agent", credential } as const;
    const headers = { "Mcp-Session-Id": `${crypto.randomUUID()}.2025-11-25.` };
    const response = await serveCaller(new Request(`${ORIGIN}/mcp`, { headers }), env, {
      principals: [principal],
      isValid: async () => true,
    });

    await vi.advanceTimersByTimeAsync(75_000);

    await expect(response.text()).rejects.toThrow();
  });

  it("a session cannot be ended with a credential that has ended", async () => {
    const { id, owner } = await createFreshHousehold();
    const made = await owner.post("/api/v1/keys", { actor: "other", role: "agent" });
    const key = (await made.json<{ id: string }>()).id;
    const principal = { household: id, actor: "other", role: "agent", credential: `key:${key}` };
    const caller = { principals: [principal], isValid: async () => true } as unknown as McpCaller;
    const headers = { "Mcp-Session-Id": `${crypto.randomUUID()}.2025-11-25.` };
    const end = async () => {
      const request = new Request(`${ORIGIN}/mcp`, { method: "DELETE", headers });
      return (await serveCaller(request, env, caller)).status;
    };

    const before = await end();
    await owner.fetch(`/api/v1/keys/${key}`, { method: "DELETE" });

    expect([before, await end()]).toEqual([204, 404]);
  });

  it("a page of another origin cannot open the stream of a session", async () => {
    const { agent } = await createFreshHousehold();
    const session = await openSession(agent);

    const response = await openStream(agent, { ...session, Origin: "https://evil.example" });

    expect(response.status).toBe(403);
  });

  it("a waiting call sends log messages from the level that its session has set", async () => {
    const { agent } = await createFreshHousehold();
    const session = await openSession(agent);
    const call = async (intent: string) => {
      const request = { name: "mess_do", arguments: { intent, wait_seconds: 0 } };
      const { messages } = await readReceived(
        await agent.fetch("/mcp", buildLegacyRequest("tools/call", request, session)),
      );
      return messages.filter(({ method }) => method === "notifications/message");
    };

    const before = await call("Look");
    const set = await callLegacy(agent, "logging/setLevel", { level: "info" }, session);
    const informed = await call("Look again");
    await callLegacy(agent, "logging/setLevel", { level: "error" }, session);
    const after = await call("Look once more");

    expect(set.result).toEqual({});
    expect([before, after]).toEqual([[], []]);
    expect(informed[0]?.params).toMatchObject({
      level: "info",
      logger: "mess",
      data: { status: "pending" },
    });
  });

  it("a waiting call of 2026-07-28 sends log messages from the level that it names", async () => {
    const { agent } = await createFreshHousehold();
    const call = async (intent: string, meta: object) => {
      const request = { name: "mess_do", arguments: { intent, wait_seconds: 0 } };
      const { messages } = await readReceived(
        await agent.fetch("/mcp", buildModernRequest("tools/call", request, { meta })),
      );
      return messages.filter(({ method }) => method === "notifications/message");
    };

    const silent = await call("Look", {});
    const informed = await call("Look again", { "io.modelcontextprotocol/logLevel": "info" });

    expect(silent).toEqual([]);
    expect(informed[0]?.params).toMatchObject({ level: "info", data: { status: "pending" } });
  });

  it("a log level needs a session", async () => {
    const { agent } = await createFreshHousehold();

    const { error } = await callLegacy(agent, "logging/setLevel", { level: "info" });

    expect(error?.code).toBe(-32_602);
  });
});
