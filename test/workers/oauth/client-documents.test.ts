/** Clients that are named by the address of their own description (CIMD), which the exchange fetches. */
import { exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFreshHousehold, ORIGIN, sendRequest } from "../support.ts";
import { CALLBACK, Client, openSignedIn } from "./support.ts";

const LOCAL_ORIGIN = "http://127.0.0.1:8787";

/** Addresses of this machine, of local networks, of the exchange, and in spellings that hide one. */
const LOCAL_ADDRESSES = [
  "https://localhost/client.json",
  "https://localhost:8787/client.json",
  "HTTPS://LOCALHOST/client.json",
  "https://localhost./client.json",
  "https://app.localhost/client.json",
  "https://127.0.0.1/client.json",
  "https://127.1/client.json",
  "https://2130706433/client.json",
  "https://0x7f000001/client.json",
  "https://017700000001/client.json",
  "https://0.0.0.0/client.json",
  "https://10.0.0.1/client.json",
  "https://172.16.0.1/client.json",
  "https://192.168.1.1/client.json",
  "https://169.254.169.254/latest/meta-data",
  "https://100.64.0.1/client.json",
  "https://[::1]/client.json",
  "https://[::ffff:127.0.0.1]/client.json",
  "https://[fd00::1]/client.json",
  "https://[fe80::1]/client.json",
  "https://router.local/client.json",
  "https://metadata.internal/client.json",
  "https://nas.lan/client.json",
  "https://printer/client.json",
  "https://example.org:22/client.json",
  "https://user:password@example.org/client.json",
  `${ORIGIN}/client.json`,
];

const fetched: string[] = [];

beforeEach(() => {
  fetched.length = 0;
  vi.stubGlobal("fetch", async (input: string | URL | Request) => {
    const { url } = new Request(input);
    fetched.push(url);
    return Response.json({
      client_id: url,
      client_name: "Published",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
    });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const buildAddress = (): string => `https://client-${crypto.randomUUID()}.example.org/client.json`;

const encode = (value: object): string =>
  btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const postToken = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  sendRequest("/oauth/token", { method: "POST", headers, body: new URLSearchParams(fields) });

/** Every call in which somebody names a client. */
const CALLS: readonly [name: string, send: (id: string) => Promise<Response>][] = [
  ["an authorization", async (id) => sendRequest(await new Client(id, CALLBACK).request())],
  ["a code", (id) => postToken({ grant_type: "authorization_code", code: "a:b:c", client_id: id })],
  [
    "a refresh",
    (id) => postToken({ grant_type: "refresh_token", refresh_token: "a:b:c", client_id: id }),
  ],
  ["a revocation", (id) => postToken({ token: "a:b:c", client_id: id })],
  [
    "a user name",
    (id) =>
      postToken(
        { grant_type: "refresh_token", refresh_token: "a:b:c" },
        { Authorization: `Basic ${btoa(`${encodeURIComponent(id)}:secret`)}` },
      ),
  ],
  [
    "an assertion",
    (id) =>
      postToken({
        grant_type: "refresh_token",
        refresh_token: "a:b:c",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: `${encode({ alg: "ES256" })}.${encode({ iss: id, sub: id })}.AAAA`,
      }),
  ],
];

describe("a client that is named by an address", () => {
  it("a client's published description is read, and its domain is shown", async () => {
    const id = buildAddress();
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);

    const page = await browser.open(await new Client(id, CALLBACK).request());

    expect(page.status).toBe(200);
    expect(page.text).toContain(new URL(id).hostname);
    expect(new Set(fetched)).toEqual(new Set([id]));
  });

  it.each(CALLS)(
    "a public address is fetched, so that the next test can fail: %s",
    async (_, send) => {
      const id = buildAddress();

      await send(id);

      expect(new Set(fetched)).toEqual(new Set([id]));
    },
  );

  it.each(CALLS)(
    "no address of this machine or a local network is fetched: %s",
    async (_, send) => {
      for (const id of LOCAL_ADDRESSES) {
        const response = await send(id);
        await response.text();

        expect(response.status, id).toBeGreaterThanOrEqual(400);
        expect(response.status, id).toBeLessThan(500);
      }

      expect(fetched).toEqual([]);
    },
  );

  it("a local exchange fetches no address, since a public name can have a private address", async () => {
    const request = (path: string, init: RequestInit = {}): Promise<Response> =>
      exports.default.fetch(new Request(`${LOCAL_ORIGIN}${path}`, init));
    const path = await new Client(buildAddress(), CALLBACK).request({
      resource: `${LOCAL_ORIGIN}/mcp`,
    });

    const page = await request(path);
    const metadata = await request("/.well-known/oauth-authorization-server");

    expect(page.status).toBe(400);
    expect(await metadata.json()).not.toMatchObject({
      client_id_metadata_document_supported: true,
    });
    expect(fetched).toEqual([]);
  });
});
