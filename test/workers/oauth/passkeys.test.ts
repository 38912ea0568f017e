import { afterEach, describe, expect, it, vi } from "vitest";
import {
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  readRefusal,
  type TestHousehold,
} from "../support.ts";
import { Authenticator, type Faults, decodeBase64url } from "./authenticator.ts";
import {
  readForm,
  registerPasskey as register,
  signInByPasskey as signIn,
} from "./passkey-support.ts";
import { Browser, isSignedIn, createSignInLink, openSignedIn } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function withPasskey(...homes: TestHousehold[]): Promise<Authenticator> {
  const browser = await openSignedIn(...homes.map((home) => [home, "ann"] as const));
  const authenticator = await Authenticator.make(ORIGIN);
  await expectOkJson(await register(browser, authenticator));
  return authenticator;
}

const readPageText = async (browser: Browser): Promise<string> =>
  (await browser.open("/sign-in")).text;

describe("a passkey", () => {
  it("a passkey is created by a signed-in person, and signs in from then on", async () => {
    const home = await createFreshHousehold();
    const authenticator = await withPasskey(home);
    const browser = new Browser();

    const first = await signIn(browser, authenticator);
    const second = await signIn(new Browser(), authenticator);

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await readPageText(browser)).toContain(`<bdi>${home.id}</bdi>`);
    expect((await home.owner.read("/api/v1/people")).people).toMatchObject([
      { actor: "ann", passkeys: 1, sessions: 3 },
    ]);
  });

  it("a passkey contains its household in 64 bytes, whatever the length of the household's name", async () => {
    const id = `h-${crypto.randomUUID()}`.padEnd(63, "z");
    const operator = await createFreshHousehold();
    const authenticator = await Authenticator.make(ORIGIN);
    const made = await expectOkJson(
      await operator.owner.post(
        "/api/v1/households",
        { id },
        { Authorization: "Bearer test-operator-key" },
      ),
    );
    const { url } = await expectOkJson(
      await operator.owner.post(
        "/api/v1/sign-in-links",
        { actor: "owner" },
        { Authorization: `Bearer ${made.owner.key}` },
      ),
    );
    const browser = new Browser();
    await browser.follow(url);
    await expectOkJson(await register(browser, authenticator));

    expect(decodeBase64url(authenticator.userHandle)).toHaveLength(64);
    expect((await signIn(new Browser(), authenticator)).status).toBe(200);
  });

  it("a passkey signs in to every household of the session in which it was created, and no other", async () => {
    const [villa, cabin, flat] = [
      await createFreshHousehold(),
      await createFreshHousehold(),
      await createFreshHousehold(),
    ];
    const authenticator = await withPasskey(villa, cabin);
    await openSignedIn([flat, "ann"]);
    const browser = new Browser();

    await signIn(browser, authenticator);

    const text = await readPageText(browser);
    expect([villa, cabin, flat].map(({ id }) => text.includes(id))).toEqual([true, true, false]);
  });

  it("a passkey no longer signs in to a household that removed its person", async () => {
    const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
    const authenticator = await withPasskey(villa, cabin);
    await villa.owner.fetch("/api/v1/people/ann", { method: "DELETE" });
    const browser = new Browser();

    await expectOkJson(await signIn(browser, authenticator));

    const text = await readPageText(browser);
    expect([villa, cabin].map(({ id }) => text.includes(id))).toEqual([false, true]);
  });

  it("a passkey adds its household to those that the browser is signed in to", async () => {
    const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
    const authenticator = await withPasskey(villa);
    const browser = await openSignedIn([cabin, "ben"]);

    await signIn(browser, authenticator);

    const text = await readPageText(browser);
    expect([villa, cabin].map(({ id }) => text.includes(id))).toEqual([true, true]);
  });

  it.each<[string, Faults]>([
    ["created on another site", { origin: "https://evil.test" }],
    ["created for another domain", { rpId: "evil.test" }],
    ["created without user verification", { unverified: true }],
    ["for another challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
  ])("a passkey %s is refused", async (_, faults) => {
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann"]);

    const response = await register(browser, await Authenticator.make(ORIGIN), faults);

    expect(await readRefusal(response)).toBe("401 unauthenticated");
    expect((await home.owner.read("/api/v1/people")).people).toMatchObject([{ passkeys: 0 }]);
  });

  it("a passkey with an attestation signed by the passkey itself is accepted", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann"]);
    const authenticator = await Authenticator.make(ORIGIN);

    await expectOkJson(await register(browser, authenticator, { selfAttested: true }));

    expect((await signIn(new Browser(), authenticator)).status).toBe(200);
  });

  it.each<[string, Faults]>([
    ["the origin of another site", { origin: "https://evil.test" }],
    ["another domain", { rpId: "evil.test" }],
    ["no user verification", { unverified: true }],
    ["for another challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
    ["the signature of another key", { forged: true }],
    ["a counter that does not rise", { counter: 0 }],
    ["no household", { userHandle: "" }],
    ["a household that does not exist", { userHandle: "no-such-household".padEnd(86, "_") }],
  ])("a passkey response with %s does not sign in", async (_, faults) => {
    const authenticator = await withPasskey(await createFreshHousehold());
    const counted = new Browser();
    await signIn(counted, authenticator);
    const browser = new Browser();

    const response = await signIn(browser, authenticator, faults);

    expect(await readRefusal(response)).toBe("401 unauthenticated");
    expect(await isSignedIn(browser)).toBe(false);
  });

  it("an unregistered passkey is refused like a forged one", async () => {
    const home = await createFreshHousehold();
    const known = await withPasskey(home);
    const stranger = await Authenticator.make(ORIGIN);
    const refusals = await Promise.all(
      [
        signIn(new Browser(), stranger, { userHandle: known.userHandle }),
        signIn(new Browser(), known, { forged: true }),
      ].map(async (response) => (await response).text()),
    );

    expect(new Set(refusals).size).toBe(1);
  });

  it("a passkey of one household is refused by another household", async () => {
    const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
    const ours = await withPasskey(villa);
    const theirs = await withPasskey(cabin);
    const browser = new Browser();

    const response = await signIn(browser, ours, { userHandle: theirs.userHandle });

    expect(response.status).toBe(401);
    expect(await readPageText(browser)).not.toContain(cabin.id);
  });

  it("a passkey response is valid once, within five minutes, in the browser with the challenge", async () => {
    const authenticator = await withPasskey(await createFreshHousehold());
    const browser = new Browser();
    const form = await readForm(browser);
    const options = await expectOkJson(await browser.json("/sign-in/passkey/options", { form }));
    const challenge = browser.cookies.get("__Host-mess-challenge")!;
    const response = await authenticator.get(options);
    const elsewhere = new Browser();
    const other = await elsewhere.json("/sign-in/passkey", {
      form: await readForm(elsewhere),
      response,
    });

    const first = await browser.json("/sign-in/passkey", { form, response });
    browser.cookies.set("__Host-mess-challenge", challenge);
    const replayed = await browser.json("/sign-in/passkey", {
      form,
      response: await authenticator.get(options),
    });
    const late = new Browser();
    const lateForm = await readForm(late);
    const asked = await expectOkJson(
      await late.json("/sign-in/passkey/options", { form: lateForm }),
    );
    vi.setSystemTime(Date.now() + 301_000);
    const tooLate = await late.json("/sign-in/passkey", {
      form: lateForm,
      response: await authenticator.get(asked),
    });

    expect([other.status, first.status, replayed.status, tooLate.status]).toEqual([
      401, 200, 401, 401,
    ]);
  });

  it("a passkey cannot be registered without a sign-in, or with a challenge for signing in", async () => {
    const home = await createFreshHousehold();
    const stranger = new Browser();
    const browser = await openSignedIn([home, "ann"]);
    const form = await readForm(browser);
    const options = await expectOkJson(await browser.json("/sign-in/passkey/options", { form }));
    const authenticator = await Authenticator.make(ORIGIN);

    const refused = await stranger.json("/passkeys/options", { form: await readForm(stranger) });
    const confused = await browser.json("/passkeys", {
      form,
      response: await authenticator.create({
        challenge: options.challenge,
        rp: { id: options.rpId },
        user: { id: "AAAA" },
      }),
    });

    expect([refused.status, confused.status]).toEqual([401, 401]);
  });

  it("a passkey is requested only by the exchange's own pages", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann"]);
    const paths = [
      "/sign-in/passkey/options",
      "/sign-in/passkey",
      "/passkeys/options",
      "/passkeys",
    ];

    for (const path of paths)
      for (const body of [{}, { form: "0".repeat(64) }, [], "x"])
        expect(await readRefusal(await browser.json(path, body as object)), path).toBe(
          "400 unsafe_message",
        );
  });

  it("a malformed passkey response is refused with a code, whatever the browser sends", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann"]);
    const form = await readForm(browser);
    await browser.json("/passkeys/options", { form });
    const nonsense = [
      null,
      7,
      "x",
      [],
      {},
      { id: "x", response: {} },
      { id: {}, response: { userHandle: 7 } },
    ];

    for (const response of nonsense)
      for (const path of ["/sign-in/passkey", "/passkeys"])
        expect((await browser.json(path, { form, response })).status, path).toBe(401);
  });

  it("a household stores only the public key of a passkey, and returns it to no one", async () => {
    const home = await createFreshHousehold();
    const authenticator = await withPasskey(home);
    await createSignInLink(home, "ann");

    const text = await (await home.owner.fetch("/api/v1/people")).text();

    expect(text).not.toContain(authenticator.id);
    expect(text).not.toContain("signin_");
  });
});
