import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Answered, expectOkJson, ORIGIN, readRefusal, sendRequest } from "../support.ts";
import { type Browser, Browser as NewBrowser, createLink, openScene } from "./support.ts";

const listAllowed = (state: Answered): string[] =>
  state.may
    .filter((one: { allowed: boolean }) => one.allowed)
    .map(({ action }: { action: string }) => action);

const getReasonFor = (state: Answered, action: string): string =>
  state.may.find((one: { action: string }) => one.action === action)?.reason;

describe("GET /respond/state", () => {
  it("the state contains everything that the page shows, in one call", async () => {
    const { browser, ref, link } = await openScene({ context: ["the one at the window"] });
    await expectOkJson(await browser.appendBlocks(ref, { status: { code: "claimed" } }));

    const state = await browser.readState(ref);

    expect(state).toMatchObject({
      envelope: { ref, status: "claimed", executor: "ann", intent: "look at the basil" },
      me: { executor: "ann", permissions: ["respond", "claim", "decline"] },
      attachments: [],
      members: [],
      cursor: expect.any(Number),
    });
    expect(state.messages[0].MESS[0].request.context).toEqual(["the one at the window"]);
    expect(JSON.stringify(state)).not.toContain(link.jti);
  });

  it("the state lists the actions of the member, with the reason if one is not allowed", async () => {
    const { agent, ben, browser, ref } = await openScene({ requires: [] });
    const bens = new NewBrowser();
    await bens.open({ token: (await createLink(agent, ref, "ben")).token });

    const open = await browser.readState(ref);
    await expectOkJson(
      await browser.appendBlocks(ref, { status: { code: "held", reason: "lunch" } }),
    );
    const held = await browser.readState(ref);
    const others = await bens.readState(ref);

    expect(listAllowed(open)).toContain("claimed");
    expect(getReasonFor(open, "resume")).toBe("illegal_transition");
    expect(listAllowed(held)).toContain("resume");
    expect(listAllowed(others).toSorted()).toEqual(["declined", "followup", "suggestion"]);
    expect(getReasonFor(others, "completed")).toBe("not_holder");
    expect(getReasonFor(others, "claimed")).toBe("already_claimed");
    expect(open.members).toContainEqual({ id: "ben" });
    expect(others.members).toEqual([]);
    expect(getReasonFor(open, "cancel")).toBe("wrong_role");
    expect((await ben.appendBlocks(ref, { status: { code: "declined" } })).ref).toMatch(/status/);
  });

  it("the state shows a link's bearer no member to whom the thread was not offered", async () => {
    const { owner, browser, ref, agent, ann } = await openScene();
    const late = { id: "late-comer", name: "Late Comer", capabilities: ["look"] };
    await expectOkJson(await owner.postBlocks({ config: { executor: late } }));

    const linked = await browser.readState(ref);
    const member = await ann.read(`/respond/state?ref=${ref}`);
    const other = await agent.createThread("look at the mint", { requires: ["look"] });
    const next = new NewBrowser();
    await next.open({ token: (await createLink(agent, other)).token });

    expect(listAllowed(linked)).toContain("delegated");
    expect(linked.members).toEqual([]);
    expect(JSON.stringify(linked)).not.toContain("late-comer");
    expect(member.members).toContainEqual({ id: "late-comer", name: "Late Comer" });
    expect((await next.readState(other)).members).toEqual([
      { id: "late-comer", name: "Late Comer" },
    ]);
  });

  it("the state contains the names of members who took part in the thread, and no others", async () => {
    const { agent, ben, browser, owner, ref } = await openScene({ requires: [] });
    await owner.postBlocks(
      { config: { executor: { id: "ann", name: "Ann", capabilities: ["look"] } } },
      { config: { executor: { id: "ben", name: "Ben", capabilities: ["carry"] } } },
      { config: { executor: { id: "robo", name: "Robo", capabilities: ["vacuum-floor"] } } },
    );
    await ben.appendBlocks(ref, { status: { code: "declined", reason: "not here" } });
    await agent.appendBlocks(ref, { followup: { message: "hurry" } });
    await expectOkJson(await browser.appendBlocks(ref, { status: { code: "claimed" } }));

    expect((await browser.readState(ref)).names).toEqual({ ann: "Ann", ben: "Ben" });
  });

  it("the state describes the capabilities that the request requires, and no others", async () => {
    const { browser, owner, ref } = await openScene({ requires: [{ look: { at: "basil" } }] });
    const description = `Look ${"very ".repeat(30)}closely`;
    await owner.postBlocks({
      config: {
        capabilities: [
          { id: "Look", description },
          { id: "fly", description: "Fly" },
        ],
      },
    });

    const { capabilities } = await browser.readState(ref);

    expect(Object.keys(capabilities)).toEqual(["look"]);
    expect(capabilities.look).toMatch(/^Look very .{60,69}…$/);
  });

  it("the state offers no action that the link does not allow", async () => {
    const { browser, ref } = await openScene({}, { permissions: ["claim"] });

    const state = await browser.readState(ref);

    expect(listAllowed(state)).toEqual(["claimed"]);
    expect(getReasonFor(state, "response")).toBe("wrong_role");
    expect(state.me.permissions).toEqual(["claim"]);
  });

  it("the state is also returned for a Bearer token, including a member's key", async () => {
    const { agent, link, ref } = await openScene();

    const linked = await expectOkJson(
      await sendRequest(`/respond/state?ref=${ref}`, {
        headers: { Authorization: `Bearer ${link.token}` },
      }),
    );
    const asked = await agent.read(`/respond/state?ref=${ref}`);

    expect(linked.me.executor).toBe("ann");
    expect(asked.me.executor).toBe("scout");
    expect(listAllowed(asked).toSorted()).toEqual(["cancel", "followup", "review"]);
  });

  it("the state is refused without a session for the named thread", async () => {
    const { browser, ref } = await openScene();

    expect(await readRefusal(await browser.fetch("/respond/state"))).toBe("401 unauthenticated");
    expect(await readRefusal(await browser.fetch(`/respond/state?ref=${ref}x`))).toBe(
      "401 unauthenticated",
    );
    expect(await readRefusal(await browser.fetch(`/respond/state?ref=${ref}&more=1`))).toBe(
      "400 bad_parameter",
    );
  });
});

/** The messages of a socket, in order of arrival. */
async function listen(browser: Browser, ref: string, query = "", origin = ORIGIN) {
  const response = await browser.fetch(`/respond/live?ref=${ref}${query}`, {
    headers: { Upgrade: "websocket", Origin: origin },
  });
  const { webSocket } = response;
  if (!webSocket) throw new Error(`${response.status} ${await response.text()}`);
  webSocket.accept();
  const heard: unknown[] = [];
  let next: (() => void) | undefined;
  const resolveMessage = (sign: unknown) => {
    heard.push(sign);
    next?.();
  };
  webSocket.addEventListener("message", ({ data }) =>
    resolveMessage(data === "pong" ? data : JSON.parse(String(data))),
  );
  webSocket.addEventListener("close", ({ code, reason }) => resolveMessage({ code, reason }));
  const until = async (count: number): Promise<unknown[]> => {
    while (heard.length < count) await new Promise<void>((resolve) => (next = resolve));
    return heard;
  };
  return { webSocket, until };
}

describe("GET /respond/live", () => {
  it("the live socket reports every change, and stays open", async () => {
    const { agent, browser, ref } = await openScene();
    const { cursor } = await browser.readState(ref);
    const { until, webSocket } = await listen(browser, ref, `&cursor=${cursor}`);

    await agent.appendBlocks(ref, { followup: { message: "hurry" } });
    await agent.appendBlocks(ref, { followup: { message: "or not" } });

    expect(await until(2)).toEqual([{ cursor: cursor + 1 }, { cursor: cursor + 2 }]);
    webSocket.send("ping");
    expect((await until(3))[2]).toBe("pong");
  });

  it("the live socket reports missed changes at once, and nothing without a cursor", async () => {
    const { agent, browser, ref } = await openScene();
    const { cursor } = await browser.readState(ref);
    await agent.appendBlocks(ref, { followup: { message: "hurry" } });

    const missed = await listen(browser, ref, `&cursor=${cursor}`);
    const fresh = await listen(browser, ref);
    await agent.appendBlocks(ref, { followup: { message: "or not" } });

    expect(await missed.until(2)).toEqual([{ cursor: cursor + 1 }, { cursor: cursor + 2 }]);
    expect(await fresh.until(1)).toEqual([{ cursor: cursor + 2 }]);
  });

  it("the live socket hibernates with the thread's object, and wakes", async () => {
    const { agent, browser, id, ref } = await openScene();
    const { cursor } = await browser.readState(ref);
    const { until } = await listen(browser, ref, `&cursor=${cursor}`);
    await evictDurableObject(env.THREADS.getByName(`${id}/${ref}`), { webSockets: "hibernate" });

    await agent.appendBlocks(ref, { followup: { message: "hurry" } });

    expect(await until(1)).toEqual([{ cursor: cursor + 1 }]);
  });

  it("the live socket closes when its link ends, and other sockets stay open", async () => {
    const { agent, browser, ref, link } = await openScene();
    const other = new NewBrowser();
    await other.open({ token: (await createLink(agent, ref)).token });
    const [mine, theirs] = [await listen(browser, ref), await listen(other, ref)];

    await agent.fetch(`/mess/${ref}/links/${link.jti}`, { method: "DELETE" });
    expect((await mine.until(2))[1]).toEqual({ code: 4410, reason: "revoked" });
    await agent.appendBlocks(ref, { cancel: {} });

    expect((await theirs.until(3)).at(-1)).toEqual({ code: 4410, reason: "finished" });
  });

  it("the live socket is limited to eight pages of one link", async () => {
    const { browser, ref } = await openScene();
    const first = await listen(browser, ref);
    for (let n = 0; n < 8; n++) await listen(browser, ref);

    expect(await first.until(1)).toEqual([{ code: 1013, reason: expect.any(String) }]);
  });

  it("the live socket opens only for the exchange's own pages", async () => {
    const { browser, ref } = await openScene();
    const socket = { Upgrade: "websocket" };
    const open = (headers: Record<string, string>) =>
      browser.fetch(`/respond/live?ref=${ref}`, { headers });

    expect(await readRefusal(await open({ ...socket, Origin: "https://evil.example" }))).toBe(
      "400 unsafe_message",
    );
    expect(await readRefusal(await open(socket))).toBe("400 unsafe_message");
    expect(await readRefusal(await open({ Origin: ORIGIN }))).toBe("426 upgrade_required");
    expect(
      await readRefusal(
        await sendRequest(`/respond/live?ref=${ref}`, { headers: { ...socket, Origin: ORIGIN } }),
      ),
    ).toBe("401 unauthenticated");
  });
});
