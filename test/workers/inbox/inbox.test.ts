/** The server side of the inbox: its lists, and what a signed-in person may do without a link. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openSignedIn } from "../oauth/support.ts";
import { Browser, buildJsonInit, createLink, openScene } from "../respond/support.ts";
import {
  type Answered,
  type Caller,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  readRefusal,
  sendRequest,
  type TestHousehold,
} from "../support.ts";
import { createRatedWorker } from "../quotas/rate-support.ts";

type Reader = Pick<Browser, "fetch">;

const CLIENT = { "X-MESS-Client": "respond" };

const readInbox = async (browser: Reader, query = ""): Promise<Answered> =>
  await expectOkJson(await browser.fetch(`/inbox/threads${query}`));

describe("a share that no service worker took", () => {
  it("a share is led back to the inbox, and none of its files is kept", async () => {
    const { ann, agent } = await createFreshHousehold();
    await requestLook(agent, "look at the shelf");
    const listKeys = async () => (await env.BLOBS.list()).objects.map(({ key }) => key);
    const before = await listKeys();
    const form = new FormData();
    form.append("files", new File(["%PDF-1.7"], "a.pdf", { type: "application/pdf" }));

    const response = await sendRequest("/inbox/share", {
      method: "POST",
      body: form,
      redirect: "manual",
    });

    expect([response.status, response.headers.get("Location")]).toEqual([
      303,
      "/inbox?share=failed",
    ]);
    expect(await listKeys()).toEqual(before);
    expect((await ann.read("/mess?for=me")).threads).toHaveLength(1);
  });
});

/** Waits until the index contains these refs of each group. */
const waitForGroups = (browser: Reader, expected: Record<string, string[]>, query = "") =>
  waitUntil(async () => {
    const { threads } = await readInbox(browser, query);
    const groups: Record<string, string[]> = {};
    for (const { group, ref } of threads) (groups[group] ??= []).push(ref as string);
    for (const refs of Object.values(groups)) refs.sort();
    expect(groups).toEqual(expected);
  });

const requestLook = (agent: Caller, intent: string) =>
  agent.createThread(intent, { requires: ["look"] });

/** Ann's threads, one for each group, and one that another executor claimed. */
async function createFourThreads({ agent, ann, owner }: TestHousehold) {
  await owner.postBlocks({
    config: { executor: { id: "ben", name: "Ben", capabilities: ["look"] } },
  });
  const [open, mine, waiting, done, taken] = await Promise.all(
    ["open", "mine", "asked", "done", "taken"].map((word) =>
      requestLook(agent, `look: ${word} basil`),
    ),
  );
  await ann.claim(mine!);
  await ann.claim(waiting!);
  await ann.appendBlocks(waiting!, { status: { code: "needs_input", questions: ["Which one?"] } });
  await ann.appendBlocks(done!, { status: { code: "completed" } });
  return { open: open!, mine: mine!, waiting: waiting!, done: done!, taken: taken! };
}

afterEach(() => vi.restoreAllMocks());

describe("GET /inbox/threads", () => {
  it("the inbox groups threads that a person holds, may claim, has requested and has finished", async () => {
    const household = await createFreshHousehold();
    const made = await createFourThreads(household);
    await household.ben.claim(made.taken);
    const browser = await openSignedIn([household, "ann"]);

    await waitForGroups(browser, {
      open: [made.open],
      mine: [made.mine],
      waiting: [made.waiting],
      done: [made.done],
    });
    const { households, threads, complete } = await readInbox(browser, "?group=mine");
    expect(households).toMatchObject([{ name: household.id, me: "ann" }]);
    expect(complete).toBe(true);
    expect(threads).toMatchObject([
      { me: "ann", executor: { id: "ann" }, requestor: { id: "scout", name: "scout" } },
    ]);
    expect(JSON.stringify(threads)).not.toContain(household.id);
  });

  it("the inbox searches, and continues after the last page", async () => {
    const household = await createFreshHousehold();
    const made = await createFourThreads(household);
    const browser = await openSignedIn([household, "ann"]);
    const open = [made.open, made.taken].toSorted();
    await waitForGroups(browser, { waiting: [made.waiting] }, "?q=asked");
    // The index must contain the claims, too.
    await waitForGroups(browser, { open }, "?group=open");
    const first = await readInbox(browser, "?group=open&limit=1");
    const second = await readInbox(browser, `?group=open&limit=1&cursor=${first.next.open}`);
    const refs = [...first.threads, ...second.threads].map(({ ref }: { ref: string }) => ref);
    expect(refs.toSorted()).toEqual(open);
    expect(second.next).toEqual({});
  });

  it("the inbox shows several households together, each through its session", async () => {
    const [oak, elm] = [await createFreshHousehold(), await createFreshHousehold()];
    const refs = [
      await requestLook(oak.agent, "at home"),
      await requestLook(elm.agent, "at the office"),
    ];
    const browser = await openSignedIn([oak, "ann"], [elm, "ann"]);
    await waitForGroups(browser, { open: refs.toSorted() });

    const { threads, households } = await readInbox(browser);

    const sessions = households.map(({ session }: { session: string }) => session);
    expect(new Set(sessions).size).toBe(2);
    for (const { ref, session } of threads) {
      const state = await expectOkJson(
        await browser.fetch(`/respond/state?ref=${ref}&session=${session}`),
      );
      expect(state.me.executor).toBe("ann");
    }
  });

  it("the inbox of a browser without a sign-in shows only the threads of its links", async () => {
    const { agent, browser, ref } = await openScene();
    const other = await requestLook(agent, "and the mint");
    await requestLook(agent, "not this one");
    await browser.open({ token: (await createLink(agent, other)).token });
    await expectOkJson(await browser.appendBlocks(other, { status: { code: "claimed" } }));

    const { threads, households } = await readInbox(browser);

    expect(households).toEqual([]);
    expect(threads).toMatchObject([
      { ref: other, group: "mine" },
      { ref, group: "open" },
    ]);
    await expectOkJson(await browser.appendBlocks(other, { status: { code: "completed" } }));
    expect(await readInbox(browser)).toMatchObject({
      threads: [
        { ref: other, group: "done" },
        { ref, group: "open" },
      ],
      ended: [],
    });
    await agent.appendBlocks(ref, { cancel: {} });
    expect(await readInbox(browser)).toMatchObject({
      threads: [{ ref: other }],
      ended: [{ ref, status: "cancelled" }],
    });
  });

  it("the inbox reports that the index is unavailable, and still shows threads of links", async () => {
    const { agent, browser, ref } = await openScene();
    const household = await createFreshHousehold();
    await requestLook(household.agent, "elsewhere");
    const person = await openSignedIn([household, "ann"]);
    for (const [name, value] of browser.cookies) person.cookies.set(name, value);
    vi.spyOn(env.INDEX, "batch").mockRejectedValue(new Error("D1 is away"));

    const body = await readInbox(person);

    expect(body).toMatchObject({ complete: false, threads: [{ ref, group: "open" }] });
    expect(await agent.read(`/mess/${ref}`)).toMatchObject({ envelope: { status: "pending" } });
  });

  it("the inbox is empty for unauthenticated callers, and calls no object for them", async () => {
    expect(await readRefusal(await sendRequest("/inbox/threads"))).toBe("401 unauthenticated");
    const cookie = "__Host-mess-session=made-up; __Host-mess-respond-a-b=made.up.too";
    expect(
      await readRefusal(await sendRequest("/inbox/threads", { headers: { Cookie: cookie } })),
    ).toBe("401 unauthenticated");
  });
});

describe("a person who is signed in", () => {
  it("a signed-in person reads and answers a thread without a link, as their member", async () => {
    const household = await createFreshHousehold();
    const ref = await requestLook(household.agent, "look at the basil");
    const browser = await openSignedIn([household, "ann"]);

    const state = await expectOkJson(await browser.fetch(`/respond/state?ref=${ref}`));
    const posted = await browser.fetch(`/mess?ref=${ref}`, {
      method: "POST",
      headers: { ...CLIENT, "Content-Type": "application/json" },
      body: JSON.stringify({ MESS: [{ status: { code: "claimed", executor: "ben" } }] }),
    });

    expect(state.me).toEqual({
      executor: "ann",
      permissions: ["respond", "claim", "decline"],
    });
    await expectOkJson(posted);
    expect((await household.agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
  });

  it("a signed-in person can read an ended thread, whose link is inactive", async () => {
    const { id: _id, agent, browser, ref, ...rest } = await openScene();
    const person = await openSignedIn([{ id: _id, agent, ...rest }, "ann"]);
    for (const [name, value] of browser.cookies) person.cookies.set(name, value);
    await agent.appendBlocks(ref, { cancel: {} });

    expect(await readRefusal(await browser.fetch(`/respond/state?ref=${ref}`))).toBe(
      "410 link_dead",
    );
    const state = await expectOkJson(await person.fetch(`/respond/state?ref=${ref}`));
    expect(state.envelope.status).toBe("cancelled");
  });

  it("a browser with a link acts for the member of the link, even if a person is signed in", async () => {
    const { agent, browser, ref, ...rest } = await openScene();
    const person = await openSignedIn([{ agent, ...rest }, "ben"]);
    for (const [name, value] of browser.cookies) person.cookies.set(name, value);

    const state = await expectOkJson(await person.fetch(`/respond/state?ref=${ref}`));

    expect(state.me.executor).toBe("ann");
  });

  it("a signed-in person cannot see threads that were not offered to them, nor of other households", async () => {
    const household = await createFreshHousehold();
    const neighbour = await createFreshHousehold();
    const hidden = await household.agent.createThread("vacuum", { requires: ["vacuum-floor"] });
    const foreign = await requestLook(neighbour.agent, "look");
    const browser = await openSignedIn([household, "ann"]);

    for (const ref of [hidden, foreign, "2031-01-01-001"])
      expect(await readRefusal(await browser.fetch(`/respond/state?ref=${ref}`))).toBe(
        "404 not_found",
      );
  });

  it("a signed-in person acts only from the exchange's own pages", async () => {
    const household = await createFreshHousehold();
    const ref = await requestLook(household.agent, "look at the basil");
    const browser = await openSignedIn([household, "ann"]);
    const claim = {
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: JSON.stringify({ MESS: [{ status: { code: "claimed" } }] }),
    };

    expect(await readRefusal(await browser.fetch(`/mess?ref=${ref}`, claim))).toBe(
      "400 unsafe_message",
    );
    expect((await household.agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
  });

  it("a person who has left the household is no longer signed in", async () => {
    const household = await createFreshHousehold();
    const ref = await requestLook(household.agent, "look at the basil");
    const browser = await openSignedIn([household, "ann"]);
    await household.owner.fetch("/api/v1/people/ann", { method: "DELETE" });

    expect(await readRefusal(await browser.fetch(`/respond/state?ref=${ref}`))).toBe(
      "401 unauthenticated",
    );
    expect(await readRefusal(await browser.fetch("/inbox/threads"))).toBe("401 unauthenticated");
  });
});

describe("GET /inbox/live", () => {
  const socket = { Upgrade: "websocket", Origin: ORIGIN };

  it("the inbox socket reports changes of a person's own threads, and of no others", async () => {
    const household = await createFreshHousehold();
    const browser = await openSignedIn([household, "ann"]);
    const { webSocket } = await browser.fetch("/inbox/live", { headers: socket });
    webSocket!.accept();
    const heard: Answered[] = [];
    webSocket!.addEventListener("message", ({ data }) => {
      heard.push(JSON.parse(String(data)));
    });

    await household.agent.createThread("vacuum", { requires: ["vacuum-floor"] });
    const ref = await requestLook(household.agent, "look at the basil");

    await waitUntil(async () => expect(heard).toMatchObject([{ ref, status: "pending" }]));
  });

  it("the inbox socket ends when its browser signs out or its person leaves, and no other socket does", async () => {
    const household = await createFreshHousehold();
    const [one, other] = [
      await openSignedIn([household, "ann"]),
      await openSignedIn([household, "ann"]),
    ];
    const closed: string[] = [];
    for (const [name, browser] of [
      ["one", one],
      ["other", other],
    ] as const) {
      const { webSocket } = await browser.fetch("/inbox/live", { headers: socket });
      webSocket!.accept();
      webSocket!.addEventListener("close", ({ code }) => void closed.push(`${name} ${code}`));
    }

    await one.submit("/sign-out", (await one.open("/sign-in")).hidden());
    await waitUntil(async () => expect(closed).toEqual(["one 4401"]));
    await household.owner.fetch("/api/v1/people/ann", { method: "DELETE" });

    await waitUntil(async () => expect(closed).toEqual(["one 4401", "other 4401"]));
  });

  it("the inbox socket opens only for the exchange's own pages and a signed-in person", async () => {
    const household = await createFreshHousehold();
    const browser = await openSignedIn([household, "ann"]);
    const other = { ...socket, Origin: "https://evil.example" };

    expect(await readRefusal(await browser.fetch("/inbox/live", { headers: other }))).toBe(
      "400 unsafe_message",
    );
    expect(await readRefusal(await sendRequest("/inbox/live", { headers: socket }))).toBe(
      "401 unauthenticated",
    );
  });
});

describe("exchange of links for sessions", () => {
  it("one address may exchange a limited number of links for sessions", async () => {
    const worker = createRatedWorker({ address: 5 });
    const init = buildJsonInit({ token: "x" }, { "CF-Connecting-IP": "192.0.2.9" });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++)
      statuses.push((await worker.fetch("/respond/session", init)).status);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});
