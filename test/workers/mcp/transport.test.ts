import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createFreshHousehold, ORIGIN, sendRequest } from "../support.ts";
import {
  LEGACY,
  buildLegacyRequest,
  MODERN,
  buildModernRequest,
  readReceived,
  callRpc,
} from "./support.ts";

const listNames = (tools: { name: string }[]) => tools.map(({ name }) => name);

describe("one MCP endpoint for two protocol versions", () => {
  it("the MCP endpoint responds to discovery of 2026-07-28 with capabilities and instructions", async () => {
    const { agent } = await createFreshHousehold();

    const { result } = await callRpc(agent, "server/discover");

    expect(result.supportedVersions).toContain(MODERN);
    expect(result.capabilities).toMatchObject({
      resources: { subscribe: true },
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
    expect(result.instructions.split(/\s+/).length).toBeLessThanOrEqual(240);
  });

  it("the MCP endpoint responds to a 2025 handshake with a session, which later requests need not send", async () => {
    const { agent } = await createFreshHousehold();

    const { response, messages } = await readReceived(
      await agent.fetch(
        "/mcp",
        buildLegacyRequest("initialize", {
          protocolVersion: LEGACY,
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        }),
      ),
    );

    expect(response.headers.get("Mcp-Session-Id")).toContain(LEGACY);
    expect(messages[0]?.result.protocolVersion).toBe(LEGACY);
    expect(messages[0]?.result.capabilities).toMatchObject({
      resources: { subscribe: true },
      logging: {},
    });
    expect(messages[0]?.result.capabilities.extensions).toBeUndefined();
  });

  it("the MCP endpoint offers the same tools in both versions", async () => {
    const { agent } = await createFreshHousehold();

    const modern = await callRpc(agent, "tools/list");
    const legacy = await readReceived(await agent.fetch("/mcp", buildLegacyRequest("tools/list")));

    expect(listNames(modern.result.tools)).toEqual(listNames(legacy.messages[0]?.result.tools));
  });

  it("the MCP endpoint refuses GET and DELETE without a session", async () => {
    const { agent } = await createFreshHousehold();

    const got = await agent.fetch("/mcp", { headers: { Accept: "text/event-stream" } });
    const deleted = await agent.fetch("/mcp", { method: "DELETE" });

    expect([got.status, deleted.status]).toEqual([405, 405]);
    expect([got.headers.get("Allow"), deleted.headers.get("Allow")]).toEqual([
      "POST, OPTIONS",
      "POST, OPTIONS",
    ]);
  });

  it.each([
    ["of 2025-11-25", buildLegacyRequest, -32_002],
    ["of 2026-07-28", buildModernRequest, -32_602],
  ])("a missing resource has the error code of the protocol %s", async (_era, build, code) => {
    const { agent } = await createFreshHousehold();

    for (const uri of ["thread://2020-01-01-001", "content://2020-01-01-001/a.png", "none://x"]) {
      const { messages } = await readReceived(
        await agent.fetch("/mcp", build("resources/read", { uri })),
      );

      expect(messages.at(-1)?.error?.code).toBe(code);
    }
    const { messages } = await readReceived(
      await agent.fetch("/mcp", build("resources/read", { uri: "mess://help" })),
    );
    expect(messages.at(-1)?.result.contents[0].text).toContain("MESS");
  });
});

describe("headers of existing clients", () => {
  it.each([
    ["*/*", buildLegacyRequest("tools/list")],
    ["*/*", buildModernRequest("tools/list")],
    ["application/json, */*;q=0.1", buildLegacyRequest("tools/list")],
  ])("the MCP endpoint serves a client that accepts %s", async (accept, request) => {
    const { agent } = await createFreshHousehold();
    const headers = { ...request.headers, Accept: accept };

    const { response, messages } = await readReceived(
      await agent.fetch("/mcp", { ...request, headers }),
    );

    expect(response.status).toBe(200);
    expect(messages.at(-1)?.result.tools).not.toHaveLength(0);
  });

  it("the MCP endpoint serves a client that does not say what it accepts", async () => {
    const { agent } = await createFreshHousehold();
    const { Accept: _accept, ...headers } = buildLegacyRequest("tools/list").headers;

    const response = await agent.fetch("/mcp", { ...buildLegacyRequest("tools/list"), headers });

    expect(response.status).toBe(200);
  });

  it.each([
    ["the version sent twice", `${LEGACY}, ${LEGACY}`, buildLegacyRequest("tools/list")],
    ["the newer version sent twice", `${MODERN}, ${MODERN}`, buildModernRequest("tools/list")],
    ["the older version with a body of the newer", LEGACY, buildModernRequest("tools/list")],
  ])("the MCP endpoint accepts %s", async (_what, version, request) => {
    const { agent } = await createFreshHousehold();

    const { messages } = await readReceived(
      await agent.fetch("/mcp", {
        ...request,
        headers: { ...request.headers, "MCP-Protocol-Version": version },
      }),
    );

    expect(messages[0]?.result.tools.length).toBeGreaterThan(5);
  });

  it("the MCP endpoint refuses two different versions in one request", async () => {
    const { agent } = await createFreshHousehold();
    const request = buildModernRequest(
      "tools/list",
      {},
      {
        headers: { "MCP-Protocol-Version": `${MODERN}, 2024-11-05` },
      },
    );

    const { response, messages } = await readReceived(await agent.fetch("/mcp", request));

    expect(response.status).toBe(400);
    expect(messages[0]?.error?.code).toBe(-32_020);
  });
});

describe("credentials and origins", () => {
  it.each([
    ["no key", {}, undefined],
    [
      "a key of an unknown household",
      { Authorization: `Bearer mess_nobody_${"0".repeat(64)}` },
      "invalid_token",
    ],
    ["a text that is not a key", { Authorization: "Bearer let me in" }, "invalid_token"],
  ])(
    "the MCP endpoint refuses %s, and names the place to sign in",
    async (_what, headers: object, error) => {
      const response = await sendRequest(
        "/mcp",
        buildModernRequest("tools/list", {}, { headers: { ...headers } }),
      );

      const challenge = response.headers.get("WWW-Authenticate");
      expect(response.status).toBe(401);
      expect(challenge).toMatch(/^Bearer /);
      expect(challenge).toContain(
        `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`,
      );
      expect(/error="([^"]+)"/.exec(challenge ?? "")?.[1]).toBe(error);
    },
  );

  it("the MCP endpoint refuses pages of other origins, and accepts programs and its own pages", async () => {
    const { agent } = await createFreshHousehold();
    const postWithHeaders = async (headers: Record<string, string>) =>
      (await agent.fetch("/mcp", buildModernRequest("tools/list", {}, { headers }))).status;

    expect(await postWithHeaders({ Origin: "https://evil.example" })).toBe(403);
    expect(await postWithHeaders({ Origin: "null" })).toBe(403);
    expect(await postWithHeaders({ Origin: ORIGIN })).toBe(200);
    expect(await postWithHeaders({ Origin: "http://localhost:6274" })).toBe(200);
    expect(await postWithHeaders({})).toBe(200);
  });

  it("the MCP endpoint accepts http only on this machine, whatever host a page names", async () => {
    const { agent } = await createFreshHousehold();
    const to = async (origin: string) => {
      const { method, headers, body } = buildModernRequest("tools/list");
      const { host } = new URL(origin);
      const who = { Host: host, Origin: origin, Authorization: `Bearer ${agent.key}` };
      const request = new Request(`${origin}/mcp`, {
        method,
        headers: { ...headers, ...who },
        body,
      });
      return (await exports.default.fetch(request)).status;
    };

    expect(await to("http://localhost:8787")).toBe(200);
    expect(await to("http://127.0.0.1:8787")).toBe(200);
    expect(await to("http://evil.example")).toBe(403);
    expect(await to("http://evil.example:8787")).toBe(403);
    expect(await to("https://mess.example")).toBe(200);
  });

  it("the MCP endpoint responds to a preflight without a key", async () => {
    const response = await sendRequest("/mcp", {
      method: "OPTIONS",
      headers: { Origin: "http://localhost:6274", "Access-Control-Request-Method": "POST" },
    });

    expect(response.ok).toBe(true);
    expect(response.headers.get("Access-Control-Allow-Headers")).toContain("Authorization");
    expect(response.headers.get("Access-Control-Expose-Headers")).toContain("WWW-Authenticate");
  });
});

describe("invalid bodies", () => {
  it.each([
    ["invalid JSON", "{", 400, -32_700],
    ["not a message", "[1, 2]", 400, -32_600],
    ["nothing", "", 400, -32_700],
    ["too deeply nested", "[".repeat(5_000) + "]".repeat(5_000), 400, -32_600],
    ["too large", JSON.stringify({ padding: "x".repeat(5 * 1024 * 1024) }), 413, -32_600],
  ])(
    "the MCP endpoint refuses a body without causing a defect: %s",
    async (_what, body, status, code) => {
      const { agent } = await createFreshHousehold();
      const { headers } = buildLegacyRequest("tools/list");

      const { response, messages } = await readReceived(
        await agent.fetch("/mcp", { method: "POST", headers, body }),
      );

      expect(response.status).toBe(status);
      expect(messages[0]?.error?.code).toBe(code);
    },
  );

  it("the MCP endpoint refuses a body of another type", async () => {
    const { agent } = await createFreshHousehold();
    const request = buildLegacyRequest("tools/list", {}, { "Content-Type": "text/plain" });

    expect((await agent.fetch("/mcp", request)).status).toBe(415);
  });
});
