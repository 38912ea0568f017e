/** A browser with a link: it stores cookies and sends the headers of the exchange's own pages. */
import {
  buildAddressHeader,
  type Answered,
  type Caller,
  expectOkJson,
  createFreshHousehold,
  sendRequest,
  type TestHousehold,
} from "../support.ts";

export const SECRET = "test-secret-of-at-least-thirty-two-bytes";

export interface Link {
  token: string;
  code: string;
  jti: string;
  url: string;
  short_url: string;
}

export async function createLink(
  giver: Caller,
  ref: string,
  executor = "ann",
  more: object = {},
): Promise<Link> {
  const body = await expectOkJson(await giver.post(`/mess/${ref}/links`, { executor, ...more }));
  const { url, short_url, jti } = body as Link;
  return {
    token: new URL(url).searchParams.get("token")!,
    code: new URL(short_url).pathname.slice("/r/".length),
    jti,
    url,
    short_url,
  };
}

export const buildJsonInit = (
  body: unknown,
  headers: Record<string, string> = {},
): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", ...buildAddressHeader(), ...headers },
});

export class Browser {
  readonly cookies = new Map<string, string>();
  /** A separate address for each test, since calls are limited by address. */
  readonly address = `2001:db8:0:${crypto.randomUUID().slice(0, 4)}::1`;
  /** Headers of every call; set them to {} for a page of another site. */
  headers: Record<string, string> = { "X-MESS-Client": "respond" };

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(this.headers)) headers.set(name, value);
    headers.set("CF-Connecting-IP", this.address);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "") headers.set("Cookie", cookie);
    const response = await sendRequest(path, { ...init, headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/Max-Age=0(?:;|$)/.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, buildJsonInit(body, headers));
  }

  async open(shown: { token: string } | { code: string }): Promise<Response> {
    return await this.post("/respond/session", shown);
  }

  async readState(ref: string): Promise<Answered> {
    return await expectOkJson(await this.fetch(`/respond/state?ref=${ref}`));
  }

  appendBlocks(ref: string, ...blocks: object[]): Promise<Response> {
    return this.post(`/mess?ref=${ref}`, { MESS: blocks });
  }
}

export interface Scene extends TestHousehold {
  ref: string;
  link: Link;
  browser: Browser;
}

/** A thread that Ann may claim, and her browser with a session for it. */
export async function openScene(request: object = {}, more: object = {}): Promise<Scene> {
  const household = await createFreshHousehold();
  const ref = await household.agent.createThread("look at the basil", {
    requires: ["look"],
    ...request,
  });
  const link = await createLink(household.agent, ref, "ann", more);
  const browser = new Browser();
  const response = await browser.open({ token: link.token });
  if (response.status !== 204) throw new Error(await response.text());
  return { ...household, ref, link, browser };
}
