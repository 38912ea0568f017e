/** Programs that sign in by the device flow of RFC 8628. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createFreshHousehold, ORIGIN, sendRequest, type TestHousehold } from "../support.ts";
import { Browser } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

interface Started {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
}

const post = (path: string, body: object): Promise<Response> =>
  sendRequest(path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "CF-Connecting-IP": `2001:db8:1:${crypto.randomUUID().slice(0, 4)}::1`,
    },
    body: JSON.stringify(body),
  });

const start = async (client_name = "mess on laptop"): Promise<Started> =>
  await (await post("/api/v1/device-codes", { client_name })).json();

interface Token {
  api_key: string;
  exchange_id: string;
  actor: string;
  role: string;
}

/** The key, or the code of the refusal. */
async function take(device_code: string): Promise<Token | string> {
  const response = await post("/api/v1/device-tokens", { device_code });
  const body = await response.json<Token & { error?: { code: string } }>();
  return body.error?.code ?? body;
}

async function signIn(home: TestHousehold, actor: string, role?: string): Promise<Browser> {
  const browser = new Browser();
  const made = await home.owner.post("/api/v1/sign-in-links", { actor, role });
  await browser.follow((await made.json<{ url: string }>()).url);
  return browser;
}

/** Opens the page of the code, and decides there. */
async function decide(
  browser: Browser,
  { verification_uri_complete }: Started,
  decision: "allow" | "deny",
  access: string,
): Promise<number> {
  const page = await browser.open(verification_uri_complete.slice(ORIGIN.length));
  return (await browser.submit("/device", { ...page.hidden(), decision, access })).status;
}

const getStatus = async (key: string): Promise<number> =>
  (await sendRequest("/api/v1/household", { headers: { Authorization: `Bearer ${key}` } })).status;

describe("a program that signs in", () => {
  it("gets the key of the person who compared its code, once, and not more than the chosen role", async () => {
    const home = await createFreshHousehold();
    const browser = await signIn(home, "mia", "owner");
    const started = await start("mess on <b>laptop</b>");
    const early = [await take(started.device_code), await take(started.device_code)];
    const page = await browser.open(`/device?code=${started.user_code.toLowerCase()}`);
    const status = await decide(browser, started, "allow", `${home.id} agent`);

    const [one, other] = await Promise.all([take(started.device_code), take(started.device_code)]);
    const key = (typeof one === "object" ? one : other) as Token;
    expect(early).toEqual(["authorization_pending", "slow_down"]);
    expect(page.text).toContain(started.user_code);
    expect(page.text).toContain("mess on &lt;b&gt;laptop&lt;/b&gt;");
    expect(status).toBe(200);
    expect(key).toEqual({
      api_key: expect.stringMatching(`^mess_${home.id}_`),
      exchange_id: home.id,
      actor: "mia",
      role: "agent",
    });
    expect([one, other]).toContain("expired_token");
    expect((await browser.open(`/device?code=${started.user_code}`)).status).toBe(404);
    const { keys } = await home.owner.read("/api/v1/keys");
    expect(keys).toContainEqual(
      expect.objectContaining({
        actor: "mia",
        role: "agent",
        label: "mess on <b>laptop</b>",
        expires: expect.any(String),
      }),
    );
    expect(await getStatus(key.api_key)).toBe(200);
    expect((await home.ann.fetch("/api/v1/device-tokens", { method: "DELETE" })).status).toBe(403);
  });

  it("is refused what the person may not give: a higher role, another household, or a form of another page", async () => {
    const [home, other] = [await createFreshHousehold(), await createFreshHousehold()];
    const browser = await signIn(home, "ben", "executor");
    const started = await start();

    expect(await decide(browser, started, "allow", `${home.id} agent`)).toBe(401);
    expect(await decide(browser, started, "allow", `${other.id} executor`)).toBe(401);
    const form = { code: started.user_code, decision: "allow", access: `${home.id} executor` };
    expect((await browser.submit("/device", form)).status).toBe(400);
    expect((await new Browser().submit("/device", form)).status).toBe(400);
    expect(await take(started.device_code)).toBe("authorization_pending");
    expect(await decide(browser, started, "deny", `${home.id} executor`)).toBe(200);
    expect(await take(started.device_code)).toBe("access_denied");
    expect(await take(started.device_code)).toBe("expired_token");
  });

  it("asks a person who is not signed in to do so first, and returns to the code", async () => {
    const home = await createFreshHousehold();
    const browser = new Browser();
    const { user_code } = await start();
    const page = await browser.open(`/device?code=${user_code}`);
    const made = await home.owner.post("/api/v1/sign-in-links", { actor: "cleo", role: "agent" });
    const token = (await made.json<{ url: string }>()).url;

    const signedIn = await browser.submit("/sign-in", { ...page.hidden(), token });

    expect(signedIn.headers.get("Location")).toBe(`/device?code=${user_code}`);
    const foreign = await browser.open("/device");
    expect(foreign.text).toContain('name="code"');
  });

  it("loses its key with the person, with its own sign-out, and gets none after the person has signed out", async () => {
    const home = await createFreshHousehold();
    const browser = await signIn(home, "dan", "agent");
    const letIn = async () => {
      const started = await start();
      await decide(browser, started, "allow", `${home.id} agent`);
      return ((await take(started.device_code)) as Token).api_key;
    };
    const [first, second] = [await letIn(), await letIn()];
    const late = await start();
    await decide(browser, late, "allow", `${home.id} agent`);
    await browser.submit("/sign-out", { form: (await browser.open("/sign-in")).form });

    const end = { method: "DELETE", headers: { Authorization: `Bearer ${first}` } };
    expect((await sendRequest("/api/v1/device-tokens", end)).status).toBe(200);
    expect(await getStatus(first)).toBe(401);
    expect(await take(late.device_code)).toBe("access_denied");
    expect(await getStatus(second)).toBe(200);
    await home.owner.fetch("/api/v1/people/dan", { method: "DELETE" });
    expect(await getStatus(second)).toBe(401);
  });

  it("forgets codes after fifteen minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { device_code } = await start();
    vi.setSystemTime(Date.now() + 15 * 60_000 + 1);
    const late = await take(device_code);
    await start();

    expect(late).toBe("expired_token");
    const left = await env.INDEX.prepare(
      "SELECT count(*) AS n FROM device_codes WHERE expires <= ?",
    )
      .bind(Date.now())
      .first("n");
    expect(left).toBe(0);
  });
});
