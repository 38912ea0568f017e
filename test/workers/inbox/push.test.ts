/** Turning notifications on and off: for oneself, in one household, from our own page. */
import { householdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { signedIn } from "../oauth/support.ts";
import { json, opened } from "../respond/support.ts";
import { expectOk, freshHousehold, refusalOf, send } from "../support.ts";

const CLIENT = { "X-MESS-Client": "respond" };
const SUBSCRIPTION = {
  endpoint: "https://push.example/ann-1",
  keys: { p256dh: "BPublicKeyOfABrowser", auth: "SecretOfABrowser" },
};

const remove = (body: object): RequestInit => ({ ...json(body, CLIENT), method: "DELETE" });

describe("notifications", () => {
  it("are turned on with the household's key, and off again, as often as one likes", async () => {
    const household = await freshHousehold();
    const stub = householdStub(env, household.id);
    const browser = await signedIn([household, "ann"]);

    const { key } = await expectOk(await browser.fetch("/inbox/push-key"));
    expect(key).toMatch(/^B[\w-]{86}$/);
    expect((await expectOk(await browser.fetch("/inbox/push-key"))).key).toBe(key);
    for (let n = 0; n < 2; n++) {
      const on = await browser.fetch("/inbox/subscriptions", json(SUBSCRIPTION, CLIENT));
      expect(on.status).toBe(201);
    }
    expect(await stub.subscriptions("ann")).toEqual([SUBSCRIPTION]);

    for (let n = 0; n < 2; n++)
      await expectOk(
        await browser.fetch("/inbox/subscriptions", remove({ endpoint: SUBSCRIPTION.endpoint })),
      );
    expect(await stub.subscriptions("ann")).toEqual([]);
  });

  it("are each household's own", async () => {
    const [oak, elm] = [await freshHousehold(), await freshHousehold()];
    const browser = await signedIn([oak, "ann"], [elm, "ben"]);
    const { households } = await expectOk(await browser.fetch("/inbox/threads"));
    const { session } = households.find(({ me }: { me: string }) => me === "ben");

    expect(await refusalOf(await browser.fetch("/inbox/push-key"))).toBe("400 bad_parameter");
    await expectOk(
      await browser.fetch(`/inbox/subscriptions?session=${session}`, json(SUBSCRIPTION, CLIENT)),
    );

    expect(await householdStub(env, elm.id).subscriptions("ben")).toHaveLength(1);
    expect(await householdStub(env, oak.id).subscriptions("ann")).toEqual([]);
  });

  it("end with the person", async () => {
    const household = await freshHousehold();
    const browser = await signedIn([household, "ann"]);
    await expectOk(await browser.fetch("/inbox/subscriptions", json(SUBSCRIPTION, CLIENT)));

    await household.owner.fetch("/api/v1/people/ann", { method: "DELETE" });

    expect(await householdStub(env, household.id).subscriptions("ann")).toEqual([]);
  });

  it("are not for links, strangers or pages of others, and take no other body", async () => {
    const household = await freshHousehold();
    const browser = await signedIn([household, "ann"]);
    const { browser: linked } = await opened();
    const subscribe = (body: object, headers: Record<string, string> = CLIENT) =>
      browser.fetch("/inbox/subscriptions", json(body, headers));

    expect(await refusalOf(await linked.post("/inbox/subscriptions", SUBSCRIPTION))).toBe(
      "401 unauthenticated",
    );
    expect(await refusalOf(await send("/inbox/push-key"))).toBe("401 unauthenticated");
    expect(await refusalOf(await subscribe(SUBSCRIPTION, {}))).toBe("400 unsafe_message");
    const foreign = { ...CLIENT, Origin: "https://evil.example" };
    expect(await refusalOf(await subscribe(SUBSCRIPTION, foreign))).toBe("400 unsafe_message");
    for (const body of [
      { ...SUBSCRIPTION, endpoint: "javascript:alert(1)" },
      { ...SUBSCRIPTION, actor: "ben" },
      { endpoint: SUBSCRIPTION.endpoint },
    ])
      expect((await subscribe(body)).status, JSON.stringify(body)).toBe(400);
    expect(await householdStub(env, household.id).subscriptions("ann")).toEqual([]);
  });
});
