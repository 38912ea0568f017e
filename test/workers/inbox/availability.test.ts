/** Signed-in people set when they want to be contacted: for themselves, in one household. */
import { describe, expect, it } from "vitest";
import { openSignedIn } from "../oauth/support.ts";
import { buildJsonInit } from "../respond/support.ts";
import { createFreshHousehold, expectOkJson, readRefusal } from "../support.ts";

const CLIENT = { "X-MESS-Client": "respond" };

const put = (body: object, headers: Record<string, string> = CLIENT): RequestInit => ({
  ...buildJsonInit(body, headers),
  method: "PUT",
});

type SignedIn = Awaited<ReturnType<typeof openSignedIn>>;

const readOwn = async (browser: SignedIn): Promise<Record<string, unknown>> =>
  (await expectOkJson(await browser.fetch("/inbox/threads"))).households[0].availability;

describe("PUT /inbox/availability", () => {
  it("a person sets and ends an absence and quiet hours, and the inbox shows them", async () => {
    const household = await createFreshHousehold();
    const browser = await openSignedIn([household, "ann"]);
    expect(await readOwn(browser)).toEqual({ state: "here", quiet_hours: null });
    const readConfig = async () =>
      (await household.owner.read("/api/v1/config")).config.executors.ann;
    const before = await readConfig();

    const set = await expectOkJson(
      await browser.fetch(
        "/inbox/availability",
        put({ state: "away", until: "2h", quiet_hours: "22:00-07:00" }),
      ),
    );

    const { presence } = await household.owner.read("/api/v1/presence");
    expect(presence).toMatchObject([{ actor: "ann", state: "away" }]);
    expect(set.availability).toEqual({
      state: "away",
      until: presence[0].until,
      quiet_hours: "22:00-07:00",
    });
    // Only the quiet hours changed.
    expect(await readConfig()).toEqual({ ...before, quiet_hours: "22:00-07:00" });
    await expectOkJson(
      await browser.fetch("/inbox/availability", put({ state: "here", quiet_hours: null })),
    );
    expect(await readOwn(browser)).toEqual({ state: "here", quiet_hours: null });
  });

  it("a person cannot set the availability of another member, or from another site's page", async () => {
    const household = await createFreshHousehold();
    const browser = await openSignedIn([household, "ann"]);
    const refuse = async (init: RequestInit) =>
      await readRefusal(await browser.fetch("/inbox/availability", init));

    expect(await refuse(put({ state: "away", actor: "ben" }))).toMatch(/^400 /);
    expect(await refuse(put({ state: "away" }, {}))).toBe("400 unsafe_message");
    expect(
      await refuse(put({ state: "away" }, { ...CLIENT, Origin: "https://evil.example" })),
    ).toBe("400 unsafe_message");
    expect((await household.owner.read("/api/v1/presence")).presence).toEqual([]);
  });

  it("an invalid value is refused, and changes nothing", async () => {
    const household = await createFreshHousehold();
    const browser = await openSignedIn([household, "ann"]);
    const refuse = async (body: object) =>
      await readRefusal(await browser.fetch("/inbox/availability", put(body)));

    expect(await refuse({ state: "away", quiet_hours: "late" })).toBe("400 bad_field");
    expect(await refuse({ state: "away", until: "yesterday", quiet_hours: "22:00-07:00" })).toBe(
      "400 bad_time",
    );
    expect(await refuse({ state: "snoozed" })).toBe("400 missing_field");
    expect(await readOwn(browser)).toEqual({ state: "here", quiet_hours: null });
  });

  it("a browser that is signed in nowhere is refused", async () => {
    const browser = await openSignedIn();

    expect(
      await readRefusal(await browser.fetch("/inbox/availability", put({ state: "away" }))),
    ).toBe("401 unauthenticated");
  });
});
