import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getHouseholdStub } from "../../../src/stubs.ts";
import {
  type Caller,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  readRefusal,
  sendRequest,
  type TestHousehold,
} from "../support.ts";
import { Authenticator, type CreationOptions } from "./authenticator.ts";
import { Browser, Client, createSignInLink, isOpening, openSignedIn } from "./support.ts";

const UNKNOWN = "401 unauthenticated";
const SOCKET = { Upgrade: "websocket", Origin: ORIGIN };
const REMOVE = { method: "DELETE" };

/** A household with a second owner, whose key is not revoked. */
async function createTwoOwners() {
  const home = await createFreshHousehold();
  return { ...home, olga: await home.addMember("olga", "owner") };
}

async function findKeyId(owner: Caller, actor: string): Promise<string> {
  const { keys } = await owner.read<{ keys: { id: string; actor: string }[] }>("/api/v1/keys");
  return keys.find((key) => key.actor === actor)!.id;
}

const revokeKey = async (by: Caller, actor: string) =>
  await expectOkJson(await by.fetch(`/api/v1/keys/${await findKeyId(by, actor)}`, REMOVE));

/** Revokes the key as another isolate would, without clearing the cache of this one. */
const revokeElsewhere = async ({ id }: TestHousehold, by: Caller, actor: string) => {
  const revoked = await getHouseholdStub(env, id).identity.revokeKey(await findKeyId(by, actor));
  if (!revoked.ok) throw new Error(revoked.error.code);
};

const readInboxRefusal = async (browser: Browser): Promise<string> =>
  await readRefusal(await browser.fetch("/inbox/threads"));

async function closeCodeOf(response: Response): Promise<{ closed: Promise<number> }> {
  const { webSocket } = response;
  if (!webSocket) throw new Error(`no socket: ${await response.text()}`);
  const closed = new Promise<number>((resolve) => {
    webSocket.addEventListener("close", ({ code }) => resolve(code));
  });
  webSocket.accept();
  return { closed };
}

const buildSubscription = (browser: string) => ({
  endpoint: `https://push.example.com/${browser}`,
  keys: { p256dh: "B".repeat(87), auth: "a".repeat(22) },
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a sign-in link created with a revoked key", () => {
  it("a sign-in link created with a revoked key does not sign anyone in", async () => {
    const home = await createTwoOwners();
    const url = await createSignInLink(home, "ann");

    await revokeKey(home.olga, "owner");

    const browser = new Browser();
    expect((await browser.open(url.slice(ORIGIN.length))).status).toBe(401);
    const form = { ...(await browser.open("/sign-in")).hidden(), token: url };
    expect((await browser.submit("/sign-in", form)).status).toBe(401);
    expect(await readInboxRefusal(browser)).toBe(UNKNOWN);
  });

  it("a revoked key that an isolate still caches creates no sign-in link", async () => {
    const home = await createTwoOwners();
    await expectOkJson(await home.owner.fetch("/api/v1/household"));
    await revokeElsewhere(home, home.olga, "owner");

    expect((await home.owner.fetch("/api/v1/household")).status).toBe(200);
    const made = await home.owner.post("/api/v1/sign-in-links", { actor: "ann" });

    expect(await readRefusal(made)).toBe(UNKNOWN);
  });
});

describe("a session from a sign-in link", () => {
  it("a session ends with the key that created its link, together with its sockets and push notifications", async () => {
    const home = await createTwoOwners();
    const browser = await openSignedIn([home, "ann"]);
    const ref = await home.agent.createThread("look at the basil", { requires: ["look"] });
    const sockets = [
      await closeCodeOf(await browser.fetch("/inbox/live", { headers: SOCKET })),
      await closeCodeOf(await browser.fetch(`/respond/live?ref=${ref}`, { headers: SOCKET })),
    ];
    const headers = { "X-MESS-Client": "respond", "Content-Type": "application/json" };
    const body = JSON.stringify(buildSubscription("ann"));
    await expectOkJson(
      await browser.fetch("/inbox/subscriptions", { method: "POST", headers, body }),
    );

    await revokeKey(home.olga, "owner");

    expect(await readInboxRefusal(browser)).toBe(UNKNOWN);
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([4_401, 4_401]);
    expect(await getHouseholdStub(env, home.id).contacts.listSubscriptions("ann")).toEqual([]);
  });

  it("a session does not end with a key that created another link", async () => {
    const home = await createTwoOwners();
    const browser = await openSignedIn([{ ...home, owner: home.olga }, "ann"]);

    await revokeKey(home.olga, "owner");

    expect((await browser.fetch("/inbox/threads")).status).toBe(200);
  });

  it("a passkey still signs in after the key of the person's sign-in link was revoked", async () => {
    const home = await createTwoOwners();
    const browser = await openSignedIn([home, "ann"]);
    const authenticator = await Authenticator.make(ORIGIN);
    const { form } = await browser.open("/sign-in");
    const options = await expectOkJson(await browser.json("/passkeys/options", { form }));
    const response = await authenticator.create(options as CreationOptions, {});
    await expectOkJson(await browser.json("/passkeys", { form, response }));
    const other = new Browser();

    await revokeKey(home.olga, "owner");
    const again = (await other.open("/sign-in")).form;
    const asked = await expectOkJson(await other.json("/sign-in/passkey/options", { form: again }));
    const answered = { form: again, response: await authenticator.get(asked, {}) };
    await expectOkJson(await other.json("/sign-in/passkey", answered));

    expect(await readInboxRefusal(browser)).toBe(UNKNOWN);
    expect((await other.fetch("/inbox/threads")).status).toBe(200);
  });
});

describe("the sockets of a session", () => {
  it("the sockets of a session end with its person, also in threads", async () => {
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann"]);
    const ref = await home.agent.createThread("look at the basil", { requires: ["look"] });
    const path = `/respond/live?ref=${ref}`;
    const { closed } = await closeCodeOf(await browser.fetch(path, { headers: SOCKET }));

    await expectOkJson(await home.owner.fetch("/api/v1/people/ann", REMOVE));

    expect(await closed).toBe(4_401);
    expect((await browser.fetch(path, { headers: SOCKET })).status).toBe(401);
  });

  it("the sockets of a session in threads end when its browser signs out, and no others do", async () => {
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("look at the basil", { requires: ["look"] });
    const browsers = [
      await openSignedIn([home, "ann"]),
      await openSignedIn([home, "ann"]),
    ] as const;
    const codes: (number | string)[] = ["open", "open"];
    for (const [at, browser] of browsers.entries()) {
      const response = await browser.fetch(`/respond/live?ref=${ref}`, { headers: SOCKET });
      const { closed } = await closeCodeOf(response);
      void closed.then((code) => (codes[at] = code));
    }

    await browsers[0].submit("/sign-out", (await browsers[0].open("/sign-in")).hidden());

    await waitUntil(async () => expect(codes).toEqual([4_401, "open"]));
  });
});

describe("a grant of a person", () => {
  async function createGranted(browser: Browser, home: TestHousehold) {
    const client = await Client.register();
    return { client, tokens: await client.tokens(browser, { [home.id]: "agent" }) };
  }

  it("a grant ends with the key behind the session in which it was given", async () => {
    const home = await createTwoOwners();
    const { client, tokens } = await createGranted(
      await openSignedIn([home, "ann", "agent"]),
      home,
    );
    expect(await isOpening(tokens.access_token)).toBe(200);

    await revokeKey(home.olga, "owner");

    expect(await isOpening(tokens.access_token)).toBe(401);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
    expect((await home.olga.read("/api/v1/grants")).grants).toEqual([]);
  });

  it("a revoked grant ends with all subscriptions that use it", async () => {
    const home = await createFreshHousehold();
    const { tokens } = await createGranted(await openSignedIn([home, "ann", "agent"]), home);
    const [grant] = (await home.owner.read("/api/v1/grants")).grants;
    const actor = grant.actor as string;
    const query = new URLSearchParams({
      actor,
      role: "agent",
      credential: `grant:${grant.id}`,
    }).toString();
    const listening = getHouseholdStub(env, home.id).fetch(
      new Request(`https://household/changes?${query}`, { headers: SOCKET }),
    );
    const { closed } = await closeCodeOf(await listening);

    await expectOkJson(await home.owner.fetch(`/api/v1/grants/${grant.id}`, REMOVE));

    expect(await closed).toBe(4_401);
    expect(await isOpening(tokens.access_token)).toBe(401);
  });
});

describe("a revoked key that is still cached", () => {
  it("a revoked key that is still cached cannot change anything that only owners may change", async () => {
    const home = await createTwoOwners();
    await expectOkJson(await home.owner.fetch("/api/v1/household"));
    await revokeElsewhere(home, home.olga, "owner");

    const attempts = [
      await home.owner.post("/api/v1/keys", { actor: "mallory", role: "owner" }),
      await home.owner.postBlocks({
        config: { executor: { id: "mallory", capabilities: ["look"] } },
      }),
      await home.owner.fetch(`/api/v1/keys/${await findKeyId(home.olga, "olga")}`, REMOVE),
    ];

    expect(await Promise.all(attempts.map(readRefusal))).toEqual(attempts.map(() => UNKNOWN));
    const { executors } = await home.olga.read("/api/v1/executors");
    expect(executors.map(({ id }: { id: string }) => id)).not.toContain("mallory");
  });

  it("a revoked key that is still cached does not get the change that its wait was for", async () => {
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("vacuum", { requires: ["vacuum-floor"] });
    const { cursor } = await home.agent.read(`/mess/${ref}`);
    const waiting = home.agent.fetch(`/mess/${ref}/wait?cursor=${cursor}&timeout=40`);

    await revokeElsewhere(home, home.owner, "scout");
    await home.robo.claim(ref);

    expect(await readRefusal(await waiting)).toBe(UNKNOWN);
  });

  it("a revoked key that is still cached does not get the tasks that its poll was for", async () => {
    const home = await createFreshHousehold();
    await expectOkJson(await home.robo.fetch("/mess?for=me"));
    const waiting = home.robo.fetch("/mess?for=me&wait=40");

    await revokeElsewhere(home, home.owner, "robo");

    expect(await readRefusal(await waiting)).toBe(UNKNOWN);
  });

  it("a revoked key that is still cached gets no more changes", async () => {
    const home = await createFreshHousehold();
    const query = { actor: "scout", role: "agent", credential: "" };
    query.credential = `key:${await findKeyId(home.owner, "scout")}`;
    const household = getHouseholdStub(env, home.id);
    const listen = () =>
      household.fetch(
        new Request(`https://household/changes?${new URLSearchParams(query).toString()}`, {
          headers: SOCKET,
        }),
      );
    const { closed } = await closeCodeOf(await listen());

    await revokeElsewhere(home, home.owner, "scout");

    expect(await closed).toBe(4_401);
    expect((await listen()).status).toBe(401);
  });
});

describe("a member that is removed", () => {
  it("a removed member is refused at once even if its key is still cached", async () => {
    const { ann, owner, agent } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    await expectOkJson(await ann.fetch(`/mess/${ref}`));

    await expectOkJson(await owner.postBlocks({ config: { executors: { ann: null } } }));

    expect(await readRefusal(await ann.fetch(`/mess/${ref}`))).toBe(UNKNOWN);
    expect(await readRefusal(await sendRequest(`/mess/${ref}`))).toBe(UNKNOWN);
  });
});
