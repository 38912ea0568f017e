/** Each address of the MCP server is a protected resource of its own. */
import { expect, it } from "vitest";
import { MCP_PATHS } from "../../../src/auth/oauth/resources.ts";
import { createFreshHousehold, ORIGIN, sendRequest } from "../support.ts";
import { callMcp, Client, isOpening, openSignedIn, readError } from "./support.ts";

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

  expect(opened).toEqual([200, 200, 200]);
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
