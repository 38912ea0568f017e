import { describe, expect, it } from "vitest";
import { createFreshHousehold, sendRequest } from "../support.ts";
import { CALLBACK, Client, registerClient, openSignedIn } from "./support.ts";
import { createRatedWorker } from "../quotas/rate-support.ts";

const registration = {
  client_name: "Claude",
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: "none",
};

describe("dynamic client registration", () => {
  it("client registration accepts the callbacks of Claude and of local programs", async () => {
    const uris = [
      CALLBACK,
      "https://claude.com/api/mcp/auth_callback",
      "http://localhost:33418/cb",
    ];

    const response = await registerClient({ ...registration, redirect_uris: uris });

    expect(response.status).toBe(201);
    const client = await response.json<{ client_id: string }>();
    expect(client).toMatchObject({ redirect_uris: uris, token_endpoint_auth_method: "none" });
    expect(client).not.toHaveProperty("client_secret");
  });

  it.each([
    ["no address", { redirect_uris: [] }],
    [
      "eleven addresses",
      { redirect_uris: Array.from({ length: 11 }, (_, n) => `${CALLBACK}/${n}`) },
    ],
    ["a long address", { redirect_uris: [`${CALLBACK}?${"x".repeat(1_024)}`] }],
    ["a script as address", { redirect_uris: ["javascript:alert(1)"] }],
    ["an address without TLS", { redirect_uris: ["http://claude.ai/cb"] }],
    ["an address with a fragment", { redirect_uris: [`${CALLBACK}#x`] }],
    ["a long name", { client_name: "x".repeat(129) }],
    ["a name that is not a text", { client_name: 7 }],
    ["the implicit grant", { response_types: ["token"] }],
  ])("client registration refuses %s, with the codes of RFC 7591", async (_, changed) => {
    const response = await registerClient({ ...registration, ...changed });

    expect(response.status).toBe(400);
    const { error, error_description } = await response.json<Record<string, string>>();
    expect(error).toMatch(/^invalid_(redirect_uri|client_metadata)$/);
    expect(error_description).toBeTruthy();
  });

  it("client registration refuses a body that is too large for any registration", async () => {
    const response = await registerClient({ ...registration, contacts: ["x".repeat(17_000)] });

    expect(response.status).toBe(413);
  });

  it("client registration is limited for an address with too many registrations, but not for others", async () => {
    const { fetch } = createRatedWorker({ address: 5 });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++)
      statuses.push(
        (await registerClient({ ...registration, redirect_uris: [] }, "192.0.2.7", fetch)).status,
      );
    const limited = await registerClient(registration, "192.0.2.7", fetch);
    const other = await registerClient(registration, "192.0.2.8", fetch);

    expect(statuses).toEqual(Array(5).fill(400));
    expect([limited.status, limited.headers.get("Retry-After"), other.status]).toEqual([
      429,
      "60",
      201,
    ]);
  });
});

describe("the callback address of a client", () => {
  it("a callback address must match exactly, and no one is redirected to another one", async () => {
    const client = await Client.register();
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);
    const others = [
      `${CALLBACK}/`,
      `${CALLBACK}?a=b`,
      "https://claude.ai.evil.test/api/mcp/auth_callback",
      "https://claude.ai/api/mcp/auth_callbac",
      "http://claude.ai/api/mcp/auth_callback",
      "https://CLAUDE.ai:444/api/mcp/auth_callback",
    ];

    for (const redirect_uri of others) {
      const page = await browser.open(await client.request({ redirect_uri }));

      expect([page.status, page.headers.get("Location")], redirect_uri).toEqual([400, null]);
      expect(page.text).not.toContain(redirect_uri);
    }
  });

  it("a callback address on the person's machine may have any port (RFC 8252)", async () => {
    const local = await Client.register({ redirect_uris: ["http://127.0.0.1/callback"] });
    const remote = await Client.register();
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);

    const page = await browser.open(
      await local.request({ redirect_uri: "http://127.0.0.1:51234/callback" }),
    );

    expect(page.status).toBe(200);
    expect(page.text).toMatch(/class="warning"[^]*127\.0\.0\.1/);
    expect((await browser.open(await remote.request())).text).not.toContain('class="warning"');
  });

  it("a callback address of an unknown client is not followed", async () => {
    const client = new Client("never-registered", CALLBACK);

    const response = await sendRequest(await client.request(), { redirect: "manual" });

    expect([response.status, response.headers.get("Location")]).toEqual([400, null]);
  });

  it("a callback address of a native app, such as Cursor's, gets a code after a warning", async () => {
    const cursor = "cursor://anysphere.cursor-mcp/oauth/callback";
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann", "owner"]);
    const client = await Client.register({ client_name: "Cursor", redirect_uris: [cursor] });

    const page = await browser.open(await client.request());
    const back = await client.connect(browser, { [home.id]: "agent" });
    const tokens = await client.exchange(back.searchParams.get("code") ?? "");

    expect(page.text).toMatch(/class="warning"[^]*cursor:\/\/anysphere\.cursor-mcp/);
    expect(back.href.split("?")[0]).toBe(cursor);
    expect(tokens.status).toBe(200);
    expect((await home.owner.read("/api/v1/grants")).grants).toMatchObject([
      { actor: "ann.local-cursor", host: "cursor://anysphere.cursor-mcp" },
    ]);
  });

  it("a native app cannot act under the name of a web address", async () => {
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann", "owner"]);
    const redirect_uris = ["cursor://claude.ai/api/mcp/auth_callback"];
    const client = await Client.register({ client_name: "Claude", redirect_uris });

    await client.connect(browser, { [home.id]: "agent" });

    const { grants } = await home.owner.read("/api/v1/grants");
    expect(grants).toMatchObject([{ actor: "ann.local-claude", host: "cursor://claude.ai" }]);
  });

  it.each([
    "com.example.app:/callback",
    "vscode://ms-vscode.mcp/callback",
    "http://[::1]:9999/callback",
  ])("a callback address of an app on the device is accepted: %s", async (address) => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);
    const client = await Client.register({ redirect_uris: [address] });

    expect((await browser.open(await client.request())).status).toBe(200);
  });

  it.each(["intent://x/#Intent;end", "ms-msdt:/id", "view-source:https://x.test", "about:blank"])(
    "a callback address with a scheme that is no app's is never linked: %s",
    async (address) => {
      const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);
      const registered = await registerClient({
        ...registration,
        redirect_uris: [CALLBACK, address],
      });
      const { client_id: id = "refused" } = await registered.json<{ client_id?: string }>();

      const page = await browser.open(await new Client(id, address).request());
      const denied = await browser.open(
        await new Client(id, address).request({ code_challenge: undefined }),
      );

      expect([page.status, denied.status]).toEqual([400, 400]);
      expect(`${page.text}${denied.text}`).not.toContain(address.split(":", 1)[0]!);
    },
  );
});
