/** The API without a key, in a browser in which a person is signed in. */
import { expect, it } from "vitest";
import { openSignedIn } from "../oauth/support.ts";
import { type Answered, createFreshHousehold, expectOkJson, readRefusal } from "../support.ts";

const REQUEST = { MESS: [{ request: { intent: "look at the basil", requires: ["look"] } }] };
const CONFIG = { time_zone: "Europe/Rome" };

type SignedIn = Awaited<ReturnType<typeof openSignedIn>>;

/** @param headers of the exchange's own pages; {} for a page of another site */
const post = (
  browser: SignedIn,
  path: string,
  body: object,
  headers: Record<string, string> = { "X-MESS-Client": "respond" },
): Promise<Response> =>
  browser.fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

it("a signed-in owner calls the API as the owner's key would", async () => {
  const home = await createFreshHousehold();
  const browser = await openSignedIn([home, "ann", "owner"]);

  const created: Answered = await (await post(browser, "/mess", REQUEST)).json();
  const listed = await expectOkJson(await browser.fetch("/mess"));
  const configured = await post(browser, "/api/v1/config", CONFIG);
  const me = await expectOkJson(await browser.fetch("/api/v1/me"));

  expect(listed.threads[0]).toMatchObject({ ref: created.MESS[0].ack.ref, requestor: "ann" });
  expect(configured.status).toBe(200);
  expect(me.households).toMatchObject([{ id: home.id, actor: "ann", role: "owner" }]);
});

it("a signed-in person who is no owner changes no settings", async () => {
  const home = await createFreshHousehold();
  const browser = await openSignedIn([home, "ann", "agent"]);

  const refusal = await readRefusal(await post(browser, "/api/v1/config", CONFIG));

  expect(refusal).toBe("403 wrong_role");
});

it("a page of another site changes nothing with a person's cookie", async () => {
  const home = await createFreshHousehold();
  const browser = await openSignedIn([home, "ann", "owner"]);

  const refusals = [
    await readRefusal(await post(browser, "/mess", REQUEST, {})),
    await readRefusal(await post(browser, "/api/v1/config", CONFIG, {})),
  ];

  expect(refusals).toEqual(["400 unsafe_message", "400 unsafe_message"]);
  const listed = await expectOkJson(await home.owner.fetch("/mess"));
  expect(listed.threads).toEqual([]);
});

it("a person of two households names the one of a call", async () => {
  const [first, second] = [await createFreshHousehold(), await createFreshHousehold()];
  const browser = await openSignedIn([first, "ann", "owner"], [second, "ann", "executor"]);

  const unnamed = await readRefusal(await browser.fetch("/mess"));
  const { households } = await expectOkJson(await browser.fetch("/api/v1/me"));
  const { session } = households.find(({ id }: { id: string }) => id === second.id);
  const named = await browser.fetch("/api/v1/keys", { headers: { "X-MESS-Session": session } });

  expect(unnamed).toBe("409 ambiguous_ref");
  expect(await readRefusal(named)).toBe("403 wrong_role");
});

it("a key is told which member it is", async () => {
  const home = await createFreshHousehold();

  const me = await expectOkJson(await home.agent.fetch("/api/v1/me"));

  expect(me.households).toEqual([{ id: home.id, actor: home.agent.actor, role: "agent" }]);
});
