/** Turning notifications on and off: for one person, in one household, from the exchange's own pages. */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openSignedIn } from "../oauth/support.ts";
import { buildJsonInit, openScene } from "../respond/support.ts";
import { expectOkJson, createFreshHousehold, readRefusal, sendRequest } from "../support.ts";

const CLIENT = { "X-MESS-Client": "respond" };
const SUBSCRIPTION = {
  endpoint: "https://push.example/ann-1",
  keys: { p256dh: "BPublicKeyOfABrowser", auth: "SecretOfABrowser" },
};

const remove = (body: object): RequestInit => ({
  ...buildJsonInit(body, CLIENT),
  method: "DELETE",
});

describe("push notifications", () => {
  it("push notifications are turned on with the household's key, and off, any number of times", async () => {
    const household = await createFreshHousehold();
    const stub = getHouseholdStub(env, household.id);
    const browser = await openSignedIn([household, "ann"]);

    const { key } = await expectOkJson(await browser.fetch("/inbox/push-key"));
    expect(key).toMatch(/^B[\w-]{86}$/);
    expect((await expectOkJson(await browser.fetch("/inbox/push-key"))).key).toBe(key);
    for (let n = 0; n < 2; n++) {
      const on = await browser.fetch("/inbox/subscriptions", buildJsonInit(SUBSCRIPTION, CLIENT));
      expect(on.status).toBe(201);
    }
    expect(await stub.contacts.listSubscriptions("ann")).toEqual([SUBSCRIPTION]);

    for (let n = 0; n < 2; n++)
      await expectOkJson(
        await browser.fetch("/inbox/subscriptions", remove({ endpoint: SUBSCRIPTION.endpoint })),
      );
    expect(await stub.contacts.listSubscriptions("ann")).toEqual([]);
  });

  it("push notifications belong to one household", async () => {
    const [oak, elm] = [await createFreshHousehold(), await createFreshHousehold()];
    const browser = await openSignedIn([oak, "ann"], [elm, "ben"]);
    const { households } = await expectOkJson(await browser.fetch("/inbox/threads"));
    const { session } = households.find(({ me }: { me: string }) => me === "ben");

    expect(await readRefusal(await browser.fetch("/inbox/push-key"))).toBe("400 bad_parameter");
    await expectOkJson(
      await browser.fetch(
        `/inbox/subscriptions?session=${session}`,
        buildJsonInit(SUBSCRIPTION, CLIENT),
      ),
    );

    expect(await getHouseholdStub(env, elm.id).contacts.listSubscriptions("ben")).toHaveLength(1);
    expect(await getHouseholdStub(env, oak.id).contacts.listSubscriptions("ann")).toEqual([]);
  });

  it("push notifications end when the person is removed", async () => {
    const household = await createFreshHousehold();
    const browser = await openSignedIn([household, "ann"]);
    await expectOkJson(
      await browser.fetch("/inbox/subscriptions", buildJsonInit(SUBSCRIPTION, CLIENT)),
    );

    await household.owner.fetch("/api/v1/people/ann", { method: "DELETE" });

    expect(await getHouseholdStub(env, household.id).contacts.listSubscriptions("ann")).toEqual([]);
  });

  it("push notifications are refused to links, unauthenticated callers and other pages, and with any other body", async () => {
    const household = await createFreshHousehold();
    const browser = await openSignedIn([household, "ann"]);
    const { browser: linked } = await openScene();
    const subscribe = (body: object, headers: Record<string, string> = CLIENT) =>
      browser.fetch("/inbox/subscriptions", buildJsonInit(body, headers));

    expect(await readRefusal(await linked.post("/inbox/subscriptions", SUBSCRIPTION))).toBe(
      "401 unauthenticated",
    );
    expect(await readRefusal(await sendRequest("/inbox/push-key"))).toBe("401 unauthenticated");
    expect(await readRefusal(await subscribe(SUBSCRIPTION, {}))).toBe("400 unsafe_message");
    const foreign = { ...CLIENT, Origin: "https://evil.example" };
    expect(await readRefusal(await subscribe(SUBSCRIPTION, foreign))).toBe("400 unsafe_message");
    for (const body of [
      { ...SUBSCRIPTION, endpoint: "javascript:alert(1)" },
      { ...SUBSCRIPTION, actor: "ben" },
      { endpoint: SUBSCRIPTION.endpoint },
    ])
      expect((await subscribe(body)).status, JSON.stringify(body)).toBe(400);
    expect(await getHouseholdStub(env, household.id).contacts.listSubscriptions("ann")).toEqual([]);
  });
});
