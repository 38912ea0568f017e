import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { serveCaller } from "../../../src/ingress/mcp/route.ts";
import { type Caller, createFreshHousehold, ORIGIN, sendRequest } from "../support.ts";
import { buildModernRequest, readReceived, readStream, TASKS } from "./support.ts";

const listenTo = (uris: string[]) =>
  buildModernRequest("subscriptions/listen", { notifications: { resourceSubscriptions: uris } });

const subscribe = async (caller: Caller, uris: string[]) =>
  readStream(await caller.fetch("/mcp", listenTo(uris)));

afterEach(() => {
  vi.useRealTimers();
});

describe("MCP subscriptions", () => {
  it("a subscription reports every change of the threads that it names", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });
    const other = await agent.createThread("Look elsewhere", { requires: ["look"] });
    const stream = await subscribe(agent, [`thread://${ref}`]);
    expect(await stream.readNext()).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
    });

    await ann.claim(other);
    await ann.appendBlocks(ref, { followup: { message: "nearly there" } });

    expect(await stream.readNext()).toMatchObject({
      method: "notifications/resources/updated",
      params: { uri: `thread://${ref}` },
    });
    await stream.close();
  });

  it("a subscription reports own threads to members, all to owners, and none to other households", async () => {
    const { agent, ann, owner, addMember } = await createFreshHousehold();
    const neighbour = await createFreshHousehold();
    const stranger = await addMember("stranger", "agent");
    const looked = { requires: ["look"] };
    const theirs = await agent.createThread("Theirs", { id: "theirs", ...looked });
    const mine = await stranger.createThread("Mine", { id: "mine", ...looked });
    const nextDoor = await neighbour.agent.createThread("Next door", {
      id: "next-door",
      ...looked,
    });
    const uris = [theirs, mine, nextDoor].map((ref) => `thread://${ref}`);
    const [all, own, outside] = await Promise.all(
      [owner, stranger, neighbour.agent].map((caller) => subscribe(caller, uris)),
    );
    for (const stream of [all, own, outside]) await stream?.readNext();

    // Changes are reported in order, so a report of the first change would come first.
    await ann.claim(theirs);
    await ann.claim(mine);
    await neighbour.ann.claim(nextDoor);

    const received = new Set<string | undefined>();
    while (received.size < 2) received.add((await all?.readNext())?.params.uri);
    expect(received).toEqual(new Set([`thread://${theirs}`, `thread://${mine}`]));
    expect((await own?.readNext())?.params.uri).toBe(`thread://${mine}`);
    expect((await outside?.readNext())?.params.uri).toBe(`thread://${nextDoor}`);
    for (const stream of [all, own, outside]) await stream?.close();
  });

  it("a subscription survives the hibernation of the household", async () => {
    const { id, agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });
    const stream = await subscribe(agent, [`thread://${ref}/latest`]);
    await stream.readNext();

    await evictDurableObject(env.HOUSEHOLDS.getByName(id), { webSockets: "hibernate" });
    await ann.claim(ref);

    expect(await stream.readNext()).toMatchObject({ params: { uri: `thread://${ref}/latest` } });
    await stream.close();
  });

  it("a subscription ends soon after its credential was revoked", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { id } = await createFreshHousehold();
    let valid = true;
    const response = await serveCaller(
      new Request(`${ORIGIN}/mcp`, listenTo(["mess://pending"])),
      env,
      {
        principals: [{ household: id, actor: "scout", role: "agent" }],
        isValid: async () => valid,
      },
    );
    const stream = readStream(response);
    await stream.readNext();

    await vi.advanceTimersByTimeAsync(30_000);
    valid = false;
    await vi.advanceTimersByTimeAsync(30_000);

    expect(await stream.readNext()).toBeUndefined();
  });

  it("a subscription that its client does not read is dropped after three keep-alives", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { id } = await createFreshHousehold();
    const response = await serveCaller(
      new Request(`${ORIGIN}/mcp`, listenTo(["mess://pending"])),
      env,
      { principals: [{ household: id, actor: "scout", role: "agent" }], isValid: async () => true },
    );

    await vi.advanceTimersByTimeAsync(75_000);

    await expect(response.text()).rejects.toThrow();
  });

  it("a subscription needs a credential", async () => {
    const { response } = await readReceived(await sendRequest("/mcp", listenTo([])));

    expect(response.status).toBe(401);
  });

  it("a subscription to tasks is refused to clients without the extension", async () => {
    const { agent } = await createFreshHousehold();
    const notifications = { taskIds: ["2026-01-01-001"] };
    const unaware = buildModernRequest("subscriptions/listen", { notifications });
    const capabilities = { extensions: { [TASKS]: {} } };
    const aware = buildModernRequest("subscriptions/listen", { notifications }, { capabilities });

    const refused = await readReceived(await agent.fetch("/mcp", unaware));
    const { messages } = await readReceived(await agent.fetch("/mcp", aware));

    expect(refused.response.status).toBe(400);
    expect(refused.messages[0]?.error?.code).toBe(-32_021);
    expect(messages[0]).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
  });
});
