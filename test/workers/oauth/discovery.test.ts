import { describe, expect, it } from "vitest";
import { ORIGIN, sendRequest } from "../support.ts";
import { callMcp } from "./support.ts";

describe("discovery", () => {
  it("discovery leads from a refused call to the endpoints of the authorization server", async () => {
    const refused = await callMcp(undefined, "tools/list", {});
    const challenge = refused.headers.get("WWW-Authenticate") ?? "";
    const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
    const resource = await (
      await sendRequest(metadata.slice(ORIGIN.length))
    ).json<{
      resource: string;
      authorization_servers: string[];
      scopes_supported: string[];
    }>();
    const server = await (await sendRequest("/.well-known/oauth-authorization-server")).json();

    expect(refused.status).toBe(401);
    expect(resource).toMatchObject({
      resource: `${ORIGIN}/mcp`,
      authorization_servers: [ORIGIN],
      scopes_supported: ["mess:ask"],
      bearer_methods_supported: ["header"],
    });
    expect(server).toMatchObject({
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/authorize`,
      token_endpoint: `${ORIGIN}/oauth/token`,
      registration_endpoint: `${ORIGIN}/oauth/register`,
      code_challenge_methods_supported: ["S256"],
      response_types_supported: ["code"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ["mess:answer", "mess:ask", "mess:join", "mess:manage"],
    });
  });

  it("discovery is readable from a page of another site", async () => {
    const paths = [
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/oauth-authorization-server",
    ];
    for (const path of paths) {
      const headers = { Origin: "https://inspector.test" };
      const preflight = await sendRequest(path, {
        method: "OPTIONS",
        headers: {
          ...headers,
          "Access-Control-Request-Method": "GET",
          "Access-Control-Request-Headers": "mcp-protocol-version",
        },
      });
      const read = await sendRequest(path, { headers });

      expect(preflight.status, path).toBe(204);
      expect(["*", headers.Origin]).toContain(read.headers.get("Access-Control-Allow-Origin"));
    }
  });

  it("discovery also works at the address without a path, as older clients expect", async () => {
    const response = await sendRequest("/.well-known/oauth-protected-resource");

    expect(await response.json()).toMatchObject({ resource: `${ORIGIN}/mcp` });
  });
});
