/** A connector like Claude's and a person with a real browser: from the first refusal to the result of a tool. */
import { type AddressInfo, createServer } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  type OAuthClientProvider,
  UnauthorizedError,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createClient as api } from "../../scripts/lib/client.ts";
import { launchBrowser } from "../support/browser.ts";
import { type SharedExchange, joinExchange } from "../support/exchange-process.ts";

const CALLBACK = "https://claude.ai/api/mcp/auth_callback";

let stack: SharedExchange;
let browser: Browser;
/** Passkeys are bound to a host name and do not work with an IP address. */
let origin: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([joinExchange(), launchBrowser()]);
  origin = stack.ready.origin.replace("127.0.0.1", "localhost");
});

afterAll(async () => {
  await browser.close();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});

/** The state of a connector. The person's browser is redirected to `sentTo`. */
class Connector implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: "Claude",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  kept: OAuthTokens | undefined;
  sentTo: URL | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = "";

  clientInformation = () => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed) => void (this.#client = client);
  tokens = () => this.kept;
  saveTokens = (tokens: OAuthTokens) => void (this.kept = tokens);
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  redirectToAuthorization = (url: URL) => void (this.sentTo = url);
  invalidateCredentials = () => void (this.kept = undefined);

  transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: this });
  }

  /** Tries to connect, which redirects the person to `sentTo`. */
  async begin(): Promise<StreamableHTTPClientTransport> {
    const transport = this.transport();
    await expect(new Client(INFO).connect(transport)).rejects.toThrow(UnauthorizedError);
    return transport;
  }

  /** Calls a tool over a separate connection; returns its text. */
  async call(name: string, args: Record<string, unknown>): Promise<string> {
    const client = new Client(INFO);
    await client.connect(this.transport());
    try {
      const { content } = await client.callTool({ name, arguments: args });
      return (content as { text?: string }[]).map(({ text }) => text ?? "").join("\n");
    } finally {
      await client.close();
    }
  }
}

const INFO = { name: "connector", version: "1" };

interface Person {
  page: Page;
  /** Errors that the browser reported: blocked scripts, failed loads. */
  complaints: string[];
}

/** A phone with a passkey provider; the test responds for claude.ai. */
async function buildPerson(options: BrowserContextOptions = {}): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
  contexts.push(context);
  await context.route("https://claude.ai/**", (route) => route.fulfill({ body: "back at Claude" }));
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (line) => {
    if (line.type() === "error") complaints.push(line.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, complaints };
}

const createOwnerClient = () => api(stack.ready.origin, stack.ready.keys.owner);

async function createSignInLink(actor: string, role: string): Promise<string> {
  const { url } = await createOwnerClient().post<{ url: string }>("/api/v1/sign-in-links", {
    actor,
    role,
  });
  return url.replace(stack.ready.origin, origin);
}

async function readCode(page: Page): Promise<string> {
  await page.waitForURL(`${CALLBACK}?**`);
  return new URL(page.url()).searchParams.get("code") ?? "";
}

const listGrants = async (): Promise<{ id: string; actor: string; role: string }[]> =>
  (
    await createOwnerClient().get<{ grants: { id: string; actor: string; role: string }[] }>(
      "/api/v1/grants",
    )
  ).grants;

describe("a connector", () => {
  it("a connector gets from its first refusal to a tool's result through a person with a passkey", async () => {
    const { page, complaints } = await buildPerson();
    await page.goto(await createSignInLink("mia", "owner"));
    expect(page.url()).toBe(`${origin}/sign-in`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Add a passkey on this device" }).click();
    await page.getByRole("button", { name: "Add another passkey" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();

    const connector = new Connector();
    const transport = await connector.begin();
    await page.goto(String(connector.sentTo));
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Let Claude act for you?" }).waitFor();
    const role = page.getByRole("combobox", { name: "It may, in home" });
    const offered = await role.getByRole("option").allInnerTexts();
    await page.getByRole("button", { name: "Allow" }).click();
    await transport.finishAuth(await readCode(page));
    const asked = await connector.call("mess_observe", {
      intent: "is the garage door shut?",
      requires: ["check-visual"],
      wait_seconds: 0,
    });

    expect(connector.sentTo?.searchParams.get("code_challenge_method")).toBe("S256");
    expect(offered.map((text) => text.trim())).toEqual([
      "Answer in my name",
      "Ask, and read answers",
      "Ask, and answer in my name",
      "Everything, settings too",
    ]);
    expect(asked).toContain("asked ann-phone");
    expect(await listGrants()).toMatchObject([{ actor: "mia.claude.ai", role: "agent" }]);
    expect(complaints).toEqual([]);

    connector.kept = { ...connector.kept!, access_token: "was:lost:somewhere" };
    const before = connector.kept;
    expect(await connector.call("mess_status", {})).toContain("garage door");
    expect(connector.kept.access_token).not.toBe(before.access_token);
    expect(connector.kept.refresh_token).not.toBe(before.refresh_token);

    const [grant] = await listGrants();
    const revoked = await fetch(`${origin}/api/v1/grants/${grant?.id}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${stack.ready.keys.owner}` },
    });
    connector.sentTo = undefined;
    expect(revoked.status).toBe(200);
    await expect(connector.call("mess_status", {})).rejects.toThrow(UnauthorizedError);
    expect(String(connector.sentTo)).toContain("/authorize?");
  });

  it("access is allowed and denied by keyboard alone", async () => {
    const { page } = await buildPerson();
    const connector = new Connector();
    const transport = await connector.begin();
    await page.goto(await createSignInLink("noa", "agent"));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();

    const press = async (name: string) => {
      await page.goto(String(connector.sentTo));
      const button = page.getByRole("button", { name });
      for (let n = 0; n < 10; n++) {
        await page.keyboard.press("Tab");
        if (await button.evaluate((one) => one === document.activeElement)) break;
      }
      await page.keyboard.press("Enter");
      await page.waitForURL(`${CALLBACK}?**`);
      return new URL(page.url()).searchParams;
    };
    const denied = await press("Deny");
    const allowed = await press("Allow");
    await transport.finishAuth(allowed.get("code") ?? "");

    expect(denied.get("error")).toBe("access_denied");
    expect(await connector.call("mess_status", {})).toBeTruthy();
  });

  it("access is allowed without scripts, by a sign-in link that is pasted", async () => {
    const { page } = await buildPerson({ javaScriptEnabled: false });
    const connector = new Connector();
    const transport = await connector.begin();
    await page.goto(String(connector.sentTo));

    await page.getByText("I have a sign-in link").click();
    await page
      .getByLabel("Paste the whole link")
      .fill(`See you! ${await createSignInLink("oli", "agent")} .`);
    await page.getByRole("button", { name: "Sign in with the link" }).click();
    await page.getByRole("checkbox", { name: stack.ready.household }).check();
    await page.getByRole("button", { name: "Allow" }).click();
    await transport.finishAuth(await readCode(page));

    expect(await connector.call("mess_capabilities", {})).toContain("take-photo");
  });

  it("a connector gets no access if the person chose no household", async () => {
    const { page } = await buildPerson();
    await page.goto(await createSignInLink("pia", "agent"));
    await page.getByRole("button", { name: "Sign in" }).click();
    const connector = new Connector();
    await connector.begin();
    await page.goto(String(connector.sentTo));

    await page.getByRole("checkbox", { name: stack.ready.household }).uncheck();
    await page.getByRole("button", { name: "Allow" }).click();

    await expect.poll(() => page.getByRole("alert").innerText()).toContain("Choose at least one");
    expect(page.url()).toContain("/authorize?");
  });
});

describe("a client that is named by an address", () => {
  it("a local start opens no connection to the address of a client on this machine", async () => {
    let connections = 0;
    const canary = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => {
      canary.listen(0, "127.0.0.1", resolve);
    });
    const { port } = canary.address() as AddressInfo;
    const parameters = {
      response_type: "code",
      redirect_uri: CALLBACK,
      resource: `${origin}/mcp`,
      code_challenge: "a".repeat(43),
      code_challenge_method: "S256",
    };

    for (const host of ["127.0.0.1", "localhost", "[::1]"])
      for (const at of [`${host}:${port}`, host]) {
        const client_id = `https://${at}/client.json`;
        const query = new URLSearchParams({ ...parameters, client_id }).toString();
        expect((await fetch(`${origin}/authorize?${query}`)).status, client_id).toBe(400);
        const token = { grant_type: "refresh_token", refresh_token: "a:b:c", client_id };
        const body = new URLSearchParams(token);
        const refused = await fetch(`${origin}/oauth/token`, { method: "POST", body });
        expect(refused.status, client_id).toBe(401);
      }
    await new Promise((resolve) => {
      canary.close(resolve);
    });

    expect(connections).toBe(0);
  });
});

describe("pages for people", () => {
  it.each(["light", "dark"] as const)(
    "the sign-in pages fit a small phone and have enough contrast, in %s",
    async (colorScheme) => {
      const { page } = await buildPerson({ colorScheme, viewport: { width: 320, height: 568 } });
      await page.goto(await createSignInLink(`quin-${colorScheme}`, "owner"));
      await page.getByRole("button", { name: "Sign in" }).click();
      const connector = new Connector();
      await connector.begin();
      await page.goto(String(connector.sentTo));

      const allow = await page.getByRole("button", { name: "Allow" }).boundingBox();
      const measured = await page.evaluate(() => {
        const readColorChannels = (color: string) =>
          (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
        const computeLuminance = (color: string) => {
          const [r = 0, g = 0, b = 0] = readColorChannels(color).map((value) => {
            const part = value / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const findBackground = (element: Element): string => {
          const { backgroundColor } = getComputedStyle(element);
          const clear = backgroundColor === "rgba(0, 0, 0, 0)";
          return clear && element.parentElement
            ? findBackground(element.parentElement)
            : backgroundColor;
        };
        const contrasts = [...document.querySelectorAll("h1, p, label, span, button, select")].map(
          (element) => {
            const [one, other] = [
              computeLuminance(getComputedStyle(element).color),
              computeLuminance(findBackground(element)),
            ];
            return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
          },
        );
        return { wide: document.documentElement.scrollWidth, contrast: Math.min(...contrasts) };
      });

      expect(measured.wide).toBeLessThanOrEqual(320);
      expect(measured.contrast).toBeGreaterThanOrEqual(4.5);
      expect(allow?.height).toBeGreaterThanOrEqual(44);
      expect((allow?.y ?? 0) + (allow?.height ?? 0)).toBeLessThanOrEqual(568);
    },
  );
});
