/** Each address of the MCP server is a protected resource of its own. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { MCP_PATHS } from "../../../src/auth/oauth/resources.ts";
import { ENGLISH } from "../../../src/ingress/pages/english-texts.ts";
import { createFreshHousehold, ORIGIN, sendRequest } from "../support.ts";
import { callMcp, Client, isOpening, openSignedIn, readError } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

const connectTo = async (path: string) => {
  const home = await createFreshHousehold();
  const browser = await openSignedIn([home, "ann", "owner"]);
  const client = await Client.register({}, path);
  return { home, browser, client, tokens: await client.tokens(browser, { [home.id]: "agent" }) };
};

it.each(MCP_PATHS)("a refused call to %s leads to the metadata of that address", async (path) => {
  const refused = await callMcp(undefined, "tools/list", {}, path);
  const challenge = refused.headers.get("WWW-Authenticate") ?? "";
  const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  const response = await sendRequest(metadata.slice(ORIGIN.length));

  expect(refused.status).toBe(401);
  expect(metadata).toBe(`${ORIGIN}/.well-known/oauth-protected-resource${path}`);
  expect(await response.json()).toMatchObject({
    resource: `${ORIGIN}${path}`,
    authorization_servers: [ORIGIN],
  });
});

it("the metadata of each address has a name of its own", async () => {
  const names = await Promise.all(
    MCP_PATHS.map(async (path) => {
      const response = await sendRequest(`/.well-known/oauth-protected-resource${path}`);
      return (await response.json<{ resource_name: string }>()).resource_name;
    }),
  );

  expect(new Set(names).size).toBe(MCP_PATHS.length);
});

it.each(MCP_PATHS)("a token for %s opens no other address", async (path) => {
  const { tokens } = await connectTo(path);

  const opened = await Promise.all(MCP_PATHS.map((one) => isOpening(tokens.access_token, one)));

  expect(tokens.resource).toBe(`${ORIGIN}${path}`);
  expect(opened).toEqual(MCP_PATHS.map((one) => (one === path ? 200 : 401)));
});

it("an API key opens every address", async () => {
  const { agent } = await createFreshHousehold();

  const opened = await Promise.all(MCP_PATHS.map((path) => isOpening(agent.key, path)));

  expect(opened).toEqual(MCP_PATHS.map(() => 200));
});

it("a code for one address gives no token for another", async () => {
  const home = await createFreshHousehold();
  const browser = await openSignedIn([home, "ann", "owner"]);
  const client = await Client.register({}, "/mcp/groups");
  const back = await client.connect(browser, { [home.id]: "agent" });
  const code = back.searchParams.get("code") ?? "";

  const response = await client.exchange(code, { resource: `${ORIGIN}/mcp/all` });

  expect(await readError(response)).toBe("400 invalid_target");
});

it("a person connects the same client to two addresses, and neither grant replaces the other", async () => {
  const { home, browser, client, tokens } = await connectTo("/mcp");
  const second = new Client(client.id, client.callback, "/mcp/groups");

  const more = await second.tokens(browser, { [home.id]: "agent" });

  expect(await isOpening(tokens.access_token, "/mcp")).toBe(200);
  expect(await isOpening(more.access_token, "/mcp/groups")).toBe(200);
  expect((await home.owner.read("/api/v1/grants")).grants).toHaveLength(2);
});

it("a client that connects to the same address again replaces its grant there only", async () => {
  const { home, browser, client, tokens } = await connectTo("/mcp");
  const groups = new Client(client.id, client.callback, "/mcp/groups");
  const first = await groups.tokens(browser, { [home.id]: "agent" });
  const again = new Client(client.id, client.callback, "/mcp/groups");

  const second = await again.tokens(browser, { [home.id]: "agent" });

  expect(await isOpening(first.access_token, "/mcp/groups")).toBe(401);
  expect(await isOpening(second.access_token, "/mcp/groups")).toBe(200);
  expect(await isOpening(tokens.access_token, "/mcp")).toBe(200);
});

it("one client connects to one address for two households, and neither grant replaces the other", async () => {
  const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
  const browser = await openSignedIn([villa, "ann", "owner"], [cabin, "ben", "owner"]);
  const client = await Client.register();
  const second = new Client(client.id, client.callback);
  const forVilla = await client.tokens(browser, { [villa.id]: "agent" });

  const forCabin = await second.tokens(browser, { [cabin.id]: "agent" });
  const statuses = [await isOpening(forVilla.access_token), await isOpening(forCabin.access_token)];
  const refreshed = await client.refresh(forVilla.refresh_token);
  const { grants } = await villa.owner.read("/api/v1/grants");
  const ended = await villa.owner.fetch(`/api/v1/grants/${grants[0].id}`, { method: "DELETE" });

  expect([...statuses, refreshed.status, ended.status]).toEqual([200, 200, 200, 200]);
  expect(await isOpening(forVilla.access_token)).toBe(401);
  expect(await isOpening(forCabin.access_token)).toBe(200);
  expect((await cabin.owner.read("/api/v1/grants")).grants).toHaveLength(1);
});

it("a grant for two households replaces the grants for each of them", async () => {
  const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
  const browser = await openSignedIn([villa, "ann", "owner"], [cabin, "ben", "owner"]);
  const client = await Client.register();
  const connect = (roles: Record<string, string>) =>
    new Client(client.id, client.callback).tokens(browser, roles);
  const earlier = [await connect({ [villa.id]: "agent" }), await connect({ [cabin.id]: "agent" })];

  const both = await connect({ [villa.id]: "agent", [cabin.id]: "agent" });
  // After the time for which isolates cache grants.
  vi.setSystemTime(Date.now() + 31_000);
  const opened = await Promise.all(
    [...earlier, both].map(({ access_token }) => isOpening(access_token)),
  );

  expect(opened).toEqual([401, 401, 200]);
});

it("the consent page of each address says what the client gets access to, in every language", async () => {
  const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);
  const client = await Client.register();
  const read = async (path: string, language: string) => {
    const request = await new Client(client.id, client.callback, path).request();
    const page = await browser.fetch(request, { headers: { "Accept-Language": language } });
    return await page.text();
  };
  const dictionaries = await Promise.all(
    ["ar", "de", "es", "fr", "pt", "tr"].map(async (language) => {
      const file = await env.ASSETS.fetch(`${ORIGIN}/assets/lang/${language}.json`);
      return [language, await file.json<Record<string, string>>()] as const;
    }),
  );

  for (const [language, texts] of [["en", ENGLISH] as const, ...dictionaries])
    for (const [path, key] of [
      ["/mcp", "access_requests"],
      ["/mcp/groups", "access_groups"],
      ["/mcp/messages", "access_messages"],
      ["/mcp/all", "access_all"],
    ] as const)
      expect(await read(path, language)).toContain(texts[key]);
});

it("a client that names no address gets a token for /mcp", async () => {
  const home = await createFreshHousehold();
  const browser = await openSignedIn([home, "ann", "owner"]);
  const client = await Client.register();
  const page = await browser.open(await client.request({ resource: undefined }));
  const fields = new URLSearchParams({
    handle: page.hidden()["handle"] ?? "",
    decision: "allow",
    household: home.id,
    [`role-${home.id}`]: "agent",
  });
  const answer = await browser.submit("/authorize", fields);
  const next = /content="0;url=([^"]+)"/.exec(await answer.text())?.[1] ?? "";
  const code = new URL(next.replaceAll("&amp;", "&")).searchParams.get("code") ?? "";

  const response = await client.exchange(code);

  expect(await response.json()).toMatchObject({ resource: `${ORIGIN}/mcp` });
});

it.each([
  ["/mcp", 404],
  ["/mcp/groups", 401],
  ["/mcp/messages", 401],
  ["/mcp/all", 404],
])(
  "a token for %s is authenticated at a missing file of a request with %i",
  async (path, status) => {
    const { tokens } = await connectTo(path);

    const response = await sendRequest("/mess/2026-01-01-001-x/attachments/a.png", {
      headers: { Authorization: `Bearer ${tokens.access_token}` },
    });

    expect(response.status).toBe(status);
  },
);
