import { afterEach, describe, expect, it, vi } from "vitest";
import { createFreshHousehold, ORIGIN } from "../support.ts";
import { Browser, CALLBACK, Client, Document, createSignInLink, openSignedIn } from "./support.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const decide = async (browser: Browser, fields: [string, string][]): Promise<Document> =>
  Document.of(await browser.submit("/authorize", new URLSearchParams(fields)));

describe("the consent page", () => {
  it("the consent page shows the client, its address and the person's households, none selected", async () => {
    const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
    const browser = await openSignedIn([villa, "ann", "owner"], [cabin, "ben", "agent"]);
    const client = await Client.register();

    const page = await browser.open(await client.request());

    expect(page.status).toBe(200);
    expect(page.text).toContain("<bdi>Claude</bdi>");
    expect(page.text).toContain("<strong>claude.ai</strong>");
    expect(page.offered.toSorted()).toEqual([villa.id, cabin.id].toSorted());
    expect(page.text).not.toContain("checked");
  });

  it("the consent page distinguishes households of the same name by their ids", async () => {
    const [villa, other] = [await createFreshHousehold(), await createFreshHousehold()];
    for (const { owner } of [villa, other])
      await owner.postBlocks({ config: { settings: { name: "<b>The villa</b>\u202E" } } });
    const browser = await openSignedIn([villa, "ann", "owner"], [other, "ann", "owner"]);

    const { text } = await browser.open(await (await Client.register()).request());

    for (const { id } of [villa, other])
      expect(text).toContain(`<bdi>&lt;b&gt;The villa&lt;/b&gt; (${id})</bdi>`);
  });

  it("the consent page offers no role beyond the person's role", async () => {
    const [villa, cabin, flat] = [
      await createFreshHousehold(),
      await createFreshHousehold(),
      await createFreshHousehold(),
    ];
    const browser = await openSignedIn(
      [villa, "ann", "owner"],
      [cabin, "ann", "agent"],
      [flat, "ann", "executor"],
    );

    const { text } = await browser.open(await (await Client.register()).request());

    const listOfferedRoles = (id: string) => {
      const list = new RegExp(`name="role-${id}"[^]*?</select>`).exec(text)?.[0] ?? "";
      return [...list.matchAll(/value="(\w+)"/g)].map(([, role]) => role);
    };
    expect(listOfferedRoles(villa.id)).toEqual(["executor", "agent", "member", "owner"]);
    expect(listOfferedRoles(cabin.id)).toEqual(["executor", "agent"]);
    expect(listOfferedRoles(flat.id)).toEqual(["executor"]);
  });

  it("the consent page escapes the client's own name, and shows hidden characters", async () => {
    const client = await Client.register({
      client_name: `<script>alert(1)</script>"'\u202E&\u200B`,
    });
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);
    const stranger = new Browser();

    const pages = [
      await browser.open(await client.request({ state: `"><script>x</script>` })),
      await stranger.open(await client.request({ state: `"><script>x</script>` })),
    ];

    for (const { text } of pages) {
      expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
      expect(text).not.toMatch(/<script>|\u202E|\u200B/);
    }
  });

  it("the consent page loads no scripts from other hosts, and cannot be framed", async () => {
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);

    const { headers, text } = await browser.open(await (await Client.register()).request());

    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toMatch(/unsafe|https:|\*/);
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(text).not.toMatch(/\son\w+=|style=|(src|href)="(https?:)?\/\//);
  });

  it("the consent page requires a sign-in first, and a sign-in link leads back to it", async () => {
    const home = await createFreshHousehold();
    const client = await Client.register();
    const request = await client.request();
    const browser = new Browser();

    const page = await browser.open(request);
    const url = await createSignInLink(home, "ann", "agent");
    const response = await browser.submit("/sign-in", { ...page.hidden(), token: url });

    expect(page.offered).toEqual([]);
    expect([response.status, response.headers.get("Location")]).toEqual([303, request]);
    expect((await browser.open(request)).offered).toEqual([home.id]);
  });

  it("the consent page shows the domain of a client with a metadata document, which is read once", async () => {
    const id = "https://app.agent.test/oauth/client.json";
    const fetched: string[] = [];
    vi.stubGlobal("fetch", async (input: RequestInfo) => {
      fetched.push(new Request(input).url);
      return Response.json({
        client_id: id,
        client_name: "Agent",
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: "none",
      });
    });
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);

    const page = await browser.open(await new Client(id, CALLBACK).request());

    expect(page.text).toContain("<strong>app.agent.test</strong>");
    expect(new Set(fetched)).toEqual(new Set([id]));
  });

  it("the consent page reports a client whose metadata document cannot be read", async () => {
    vi.stubGlobal("fetch", async () => new Response("gone", { status: 404 }));
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);

    const page = await browser.open(
      await new Client("https://app.agent.test/gone.json", CALLBACK).request(),
    );

    const unknown = await browser.open(await new Client("never-registered", CALLBACK).request());
    expect([page.status, page.offered]).toEqual([400, []]);
    expect(page.text).not.toContain(CALLBACK);
    expect(page.text).not.toBe(unknown.text);
  });
});

describe("an authorization request", () => {
  it.each([
    ["without PKCE", { code_challenge: undefined, code_challenge_method: undefined }],
    ["with plain PKCE", { code_challenge_method: "plain" }],
    ["with PKCE without a method", { code_challenge_method: undefined }],
    ["for another resource", { resource: "https://elsewhere.test/mcp" }],
    ["for a token instead of a code", { response_type: "token" }],
    ["without a response type", { response_type: undefined }],
  ])(
    "an authorization request %s is refused, and the person decides whether to return",
    async (_, changed) => {
      const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);

      const page = await browser.open(await (await Client.register()).request(changed));

      expect([page.status, page.headers.get("Location")]).toEqual([400, null]);
      expect(page.text).toMatch(
        /href="https:\/\/claude\.ai\/api\/mcp\/auth_callback\?error=(invalid|unsupported)_/,
      );
      expect(page.offered).toEqual([]);
    },
  );

  it("an authorization request of a client with a secret requires PKCE, too", async () => {
    const client = await Client.register({ token_endpoint_auth_method: "client_secret_post" });
    const browser = await openSignedIn([await createFreshHousehold(), "ann", "owner"]);

    const page = await browser.open(
      await client.request({ code_challenge: undefined, code_challenge_method: undefined }),
    );

    expect(page.status).toBe(400);
    expect(page.text).toContain("PKCE");
  });
});

describe("a decision on consent", () => {
  const createReady = async () => {
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann", "agent"]);
    const client = await Client.register();
    const page = await browser.open(await client.request());
    const handle = page.hidden()["handle"] ?? "";
    return { home, browser, client, handle };
  };

  it("a denied consent notifies the client, and grants nothing", async () => {
    const { home, browser, client, handle } = await createReady();

    const { next } = await decide(browser, [
      ["handle", handle],
      ["decision", "deny"],
      ["household", home.id],
    ]);

    expect(`${next.origin}${next.pathname}`).toBe(CALLBACK);
    expect(Object.fromEntries(next.searchParams)).toMatchObject({
      error: "access_denied",
      state: client.state,
      iss: ORIGIN,
    });
    expect(await home.owner.read("/api/v1/grants")).toEqual({ grants: [] });
  });

  it("a decision other than allow is a denial", async () => {
    const { browser, handle } = await createReady();

    const { next } = await decide(browser, [["handle", handle]]);

    expect(next.searchParams.get("error")).toBe("access_denied");
  });

  it("an allowed consent returns code, state and issuer, and the owner sees the grant", async () => {
    const { home, browser, client, handle } = await createReady();

    const { next } = await decide(browser, [
      ["handle", handle],
      ["decision", "allow"],
      ["household", home.id],
      [`role-${home.id}`, "agent"],
    ]);

    expect(Object.fromEntries(next.searchParams)).toEqual({
      code: expect.any(String),
      state: client.state,
      iss: ORIGIN,
    });
    const { grants } = await home.owner.read("/api/v1/grants");
    expect(grants).toEqual([
      expect.objectContaining({
        person: "ann",
        actor: "ann.claude.ai",
        role: "agent",
        client: "Claude",
        host: "claude.ai",
      }),
    ]);
  });

  it("a decision on consent is accepted once", async () => {
    const { home, browser, handle } = await createReady();
    const fields: [string, string][] = [
      ["handle", handle],
      ["decision", "allow"],
      ["household", home.id],
    ];
    await decide(browser, fields);

    const again = await decide(browser, fields);

    expect(again.status).toBe(400);
    expect((await home.owner.read("/api/v1/grants")).grants).toHaveLength(1);
  });

  it("a decision on consent is refused from another browser, or without the page", async () => {
    const { home, browser, handle } = await createReady();
    const other = await openSignedIn([home, "ben", "agent"]);
    const fields: [string, string][] = [
      ["handle", handle],
      ["decision", "allow"],
      ["household", home.id],
    ];

    const foreign = await decide(other, fields);
    const guessed = await decide(browser, [["handle", "guessed"], ...fields.slice(1)]);

    expect([foreign.status, guessed.status]).toEqual([400, 400]);
    expect(await home.owner.read("/api/v1/grants")).toEqual({ grants: [] });
  });

  it("a decision that names no household of the person grants nothing", async () => {
    const { home, browser, handle } = await createReady();
    const foreign = await createFreshHousehold();

    const page = await decide(browser, [
      ["handle", handle],
      ["decision", "allow"],
      ["household", foreign.id],
      [`role-${foreign.id}`, "agent"],
    ]);

    expect(page.status).toBe(400);
    for (const { owner } of [home, foreign])
      expect(await owner.read("/api/v1/grants")).toEqual({ grants: [] });
  });

  it.each([
    ["owner", []],
    ["everything", ["executor"]],
    ["", ["executor"]],
  ])("a consent for role %j grants at most the role of the person: %j", async (role, given) => {
    const { home, browser, handle } = await createReady();

    await decide(browser, [
      ["handle", handle],
      ["decision", "allow"],
      ["household", home.id],
      [`role-${home.id}`, role],
    ]);

    const { grants } = await home.owner.read("/api/v1/grants");
    expect(grants.map((grant: { role: string }) => grant.role)).toEqual(given);
  });

  it("a decision of a person who was removed in the meantime grants nothing", async () => {
    const { home, browser, handle } = await createReady();
    await home.owner.fetch("/api/v1/people/ann", { method: "DELETE" });

    const page = await decide(browser, [
      ["handle", handle],
      ["decision", "allow"],
      ["household", home.id],
      [`role-${home.id}`, "agent"],
    ]);

    expect(page.status).toBe(400);
    expect(await home.owner.read("/api/v1/grants")).toEqual({ grants: [] });
  });
});
