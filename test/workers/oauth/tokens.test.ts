import { afterEach, describe, expect, it, vi } from "vitest";
import { expectOkJson, createFreshHousehold, ORIGIN, waitUntil } from "../support.ts";
import {
  callTool,
  CALLBACK,
  Client,
  callMcp,
  connectNewClient,
  isOpening,
  openSignedIn,
  readError,
  type Tokens,
} from "./support.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

describe("an authorization code", () => {
  const obtainCode = async () => {
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann", "owner"]);
    const client = await Client.register();
    const back = await client.connect(browser, { [home.id]: "agent" });
    return { home, client, code: back.searchParams.get("code") ?? "" };
  };

  it("a code is exchanged for tokens that are valid for an hour and for the MCP server only", async () => {
    const { client, code: given } = await obtainCode();

    const tokens = await expectOkJson(await client.exchange(given));

    expect(tokens).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: "bearer",
      expires_in: 3_600,
      scope: "mess:answer mess:ask",
      resource: `${ORIGIN}/mcp`,
    });
  });

  it.each([
    ["without the verifier", { code_verifier: "" }],
    ["with another verifier", { code_verifier: "x".repeat(43) }],
    ["for another address", { redirect_uri: `${CALLBACK}/` }],
    ["for another resource", { resource: "https://elsewhere.test/mcp" }],
    ["by another client", { client_id: "another" }],
  ])("a code is not exchanged %s", async (_, changed) => {
    const { client, code: given } = await obtainCode();

    const response = await client.exchange(given, changed);

    expect(await readError(response)).toMatch(/^40[01] invalid_/);
  });

  it("a code works once, and a second use revokes its tokens", async () => {
    const { client, code: given } = await obtainCode();
    const tokens = await expectOkJson(await client.exchange(given));

    const again = await client.exchange(given);

    expect(await readError(again)).toBe("400 invalid_grant");
    expect(await isOpening(tokens.access_token)).toBe(401);
  });

  it("a code whose grant was revoked before gives no tokens", async () => {
    const { home, client, code: given } = await obtainCode();
    await home.owner.fetch("/api/v1/people/ann", { method: "DELETE" });

    expect(await readError(await client.exchange(given))).toBe("400 invalid_grant");
  });
});

describe("an access token", () => {
  it("an access token lets its client create requests as a separate member, so that they can be offered to its person", async () => {
    const { home, tokens } = await connectNewClient();

    const asked = await callTool(tokens.access_token, "mess_observe", {
      intent: "is the stove off?",
      requires: ["look"],
      wait_seconds: 0,
    });

    expect(asked).toMatch(/\bann\b(?!\.claude)/);
    await waitUntil(async () =>
      expect((await home.owner.read("/mess")).threads).toMatchObject([
        { intent: "is the stove off?", requestor: "ann.claude.ai" },
      ]),
    );
  });

  it("an access token for answering only lets its client act as its person", async () => {
    const { home, tokens } = await connectNewClient("executor");
    const ref = await home.agent.createThread("look at the stove", { requires: ["look"] });

    const asked = await callTool(tokens.access_token, "mess_observe", { intent: "look" });
    const claimed = await callTool(tokens.access_token, "mess", {
      message: `MESS: [{ status: { re: ${ref}, code: claimed } }]`,
    });

    expect(asked).toContain("wrong_role");
    expect(claimed).toContain(ref);
    expect((await home.agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
  });

  it("an access token does not manage the household unless its person allowed that", async () => {
    const { tokens } = await connectNewClient("agent");
    const { tokens: managing } = await connectNewClient("owner");
    const message = "MESS: [{ config: { settings: { name: New name } } }]";

    expect(await callTool(tokens.access_token, "mess", { message })).toContain("wrong_role");
    expect(await callTool(managing.access_token, "mess", { message })).not.toContain("wrong_role");
  });

  it("an access token is limited by its scope, whatever the role of the grant", async () => {
    const { client, tokens } = await connectNewClient("owner");

    const narrow = await expectOkJson(
      await client.token({
        grant_type: "refresh_token",
        refresh_token: tokens.refresh_token,
        scope: "mess:answer",
      }),
    );

    expect(narrow.scope).toBe("mess:answer");
    expect(await callTool(narrow.access_token, "mess_observe", { intent: "look" })).toContain(
      "wrong_role",
    );
  });

  it("an access token gives no access to another household, however it is named", async () => {
    const { tokens } = await connectNewClient();
    const foreign = await createFreshHousehold();
    const ref = await foreign.agent.createThread("water the secret orchid");

    const answers = [
      await callTool(tokens.access_token, "mess_status", {}),
      await callTool(tokens.access_token, "mess_status", { re: ref }),
      await callTool(tokens.access_token, "mess_status", { re: ref, exchange: foreign.id }),
      await callTool(tokens.access_token, "mess_observe", { intent: "look", exchange: foreign.id }),
    ];

    expect(answers.join("\n")).not.toContain("orchid");
    expect(answers[3]).toMatch(/bad_parameter|exchange/);
  });

  it("an access token gives access only to the MCP server", async () => {
    const { home, tokens } = await connectNewClient("owner");

    const response = await home.owner.fetch("/api/v1/keys", {
      headers: { Authorization: `Bearer ${tokens.access_token}` },
    });

    expect(response.status).toBe(401);
  });

  it("an access token that is expired, replaced, invalid or unknown gets the same refusal", async () => {
    const { client, tokens } = await connectNewClient();
    const expired = tokens.access_token;
    const [user, grant] = expired.split(":");
    const candidates = [
      `${expired}x`,
      expired.slice(0, -1),
      `${user}:${grant}:${"A".repeat(32)}`,
      `${user}:other:${"A".repeat(32)}`,
      tokens.refresh_token,
      client.id,
      "mess_home_x",
      "::",
      "a:b:c:d",
    ];
    vi.setSystemTime(Date.now() + 61 * MINUTE_MS);

    const refusals = await Promise.all(
      [expired, ...candidates].map(async (token) => {
        const response = await callMcp(token, "tools/list", {});
        return [response.status, response.headers.get("WWW-Authenticate"), await response.text()];
      }),
    );

    expect(refusals[0]).toEqual([
      401,
      expect.stringContaining(
        `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`,
      ),
      expect.stringContaining('"error":"invalid_token"'),
    ]);
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
  });

  it("API keys are still accepted beside access tokens", async () => {
    const { home } = await connectNewClient();

    expect(await isOpening(home.agent.key)).toBe(200);
  });
});

describe("a refresh token", () => {
  it("a refresh token is replaced each time", async () => {
    const { client, tokens } = await connectNewClient();

    const second = (await expectOkJson(await client.refresh(tokens.refresh_token))) as Tokens;
    const third = (await expectOkJson(await client.refresh(second.refresh_token))) as Tokens;

    const all = [tokens, second, third].map(({ refresh_token }) => refresh_token);
    expect(new Set(all).size).toBe(3);
    expect(await isOpening(third.access_token)).toBe(200);
  });

  it("a refresh token that is used again after its successor ends the grant with all its tokens", async () => {
    const { home, client, tokens } = await connectNewClient();
    const second = (await expectOkJson(await client.refresh(tokens.refresh_token))) as Tokens;
    const third = (await expectOkJson(await client.refresh(second.refresh_token))) as Tokens;

    const stale = await client.refresh(tokens.refresh_token);

    expect(await readError(stale)).toBe("400 invalid_grant");
    for (const { access_token } of [tokens, second, third])
      expect(await isOpening(access_token)).toBe(401);
    for (const { refresh_token } of [third, second, tokens])
      expect(await readError(await client.refresh(refresh_token))).toBe("400 invalid_grant");
    expect((await home.owner.read("/api/v1/grants")).grants).toEqual([]);
  });

  it("a refresh token that is used again a minute later ends the grant, although its successor is unused", async () => {
    const { client, tokens } = await connectNewClient();
    const second = (await expectOkJson(await client.refresh(tokens.refresh_token))) as Tokens;
    vi.setSystemTime(Date.now() + MINUTE_MS + 1);

    const late = await client.refresh(tokens.refresh_token);

    expect(await readError(late)).toBe("400 invalid_grant");
    expect(await isOpening(second.access_token)).toBe(401);
    expect(await readError(await client.refresh(second.refresh_token))).toBe("400 invalid_grant");
  });

  it("a refresh token that nobody got ends no grant", async () => {
    const { client, tokens } = await connectNewClient();
    const [user, grant] = tokens.refresh_token.split(":");

    for (const token of [`${user}:${grant}:${"A".repeat(32)}`, `${user}:${grant}:`, "x", ""])
      expect(await readError(await client.refresh(token))).toMatch(/^400 invalid_/);

    expect(await isOpening(tokens.access_token)).toBe(200);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it("a grant that ended by a refresh token that was used again can be given again", async () => {
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann", "owner"]);
    const client = await Client.register();
    const tokens = await client.tokens(browser, { [home.id]: "agent" });
    await client.refresh(tokens.refresh_token);
    vi.setSystemTime(Date.now() + MINUTE_MS + 1);
    await client.refresh(tokens.refresh_token);

    const given = await client.tokens(browser, { [home.id]: "agent" });

    expect(await isOpening(given.access_token)).toBe(200);
    expect((await client.refresh(given.refresh_token)).status).toBe(200);
  });

  it("a refresh token may be used again by a client that lost the response", async () => {
    const { client, tokens } = await connectNewClient();
    await client.refresh(tokens.refresh_token);

    const again = await client.refresh(tokens.refresh_token);

    expect(again.status).toBe(200);
  });

  it("a refresh token is valid for 90 days after its last use", async () => {
    const { client, tokens } = await connectNewClient();
    const begin = Date.now();
    vi.setSystemTime(begin + 80 * DAY_MS);
    const second = (await expectOkJson(await client.refresh(tokens.refresh_token))) as Tokens;
    vi.setSystemTime(begin + 160 * DAY_MS);
    const third = (await expectOkJson(await client.refresh(second.refresh_token))) as Tokens;
    vi.setSystemTime(begin + 251 * DAY_MS);

    expect(await readError(await client.refresh(third.refresh_token))).toMatch(/^40[01] invalid_/);
  });

  it("a refresh token is refused from another client", async () => {
    const { tokens } = await connectNewClient();
    const other = await Client.register();

    expect(await readError(await other.refresh(tokens.refresh_token))).toMatch(/^40[01] invalid_/);
  });

  it("a refresh token can be revoked by its client, with the access that it gave", async () => {
    const { client, tokens } = await connectNewClient();

    const given = await client.token({ token: tokens.refresh_token });

    expect(given.status).toBe(200);
    expect(await isOpening(tokens.access_token)).toBe(401);
    expect(await readError(await client.refresh(tokens.refresh_token))).toBe("400 invalid_grant");
  });
});
