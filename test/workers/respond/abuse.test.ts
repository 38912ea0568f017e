import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { deriveBits } from "../../../src/auth/hash.ts";
import { MAX_LINK_SECONDS, makeLink } from "../../../src/auth/links/links.ts";
import { ROUTES } from "../../../src/ingress/http/routes.ts";
import { ORIGIN, sendRequest } from "../support.ts";
import { Browser, createLink, openScene, type Scene, SECRET } from "./support.ts";

/** All data that a visit could have changed. */
async function record({ agent, owner, ref }: Scene): Promise<unknown> {
  return [
    await agent.read(`/mess/${ref}`),
    await agent.read(`/mess/${ref}/links`),
    await owner.read("/api/v1/events"),
  ];
}

const PREVIEWERS = [
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "Slack-ImgProxy (+https://api.slack.com/robots)",
  "TelegramBot (like TwitterBot)",
  "facebookexternalhit/1.1",
  "facebookcatalog/1.0",
  "WhatsApp/2.23.20.0",
  "Twitterbot/1.0",
  "LinkedInBot/1.0 (compatible; Mozilla/5.0)",
  "Discordbot/2.0",
  "SkypeUriPreview Preview/0.5",
  "Mozilla/5.0 (compatible; Microsoft Office SafeLinks)",
  "MicrosoftPreview/2.0",
  "Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 Safari/601.2.4 facebookexternalhit/1.1 Facebot",
  "Applebot/0.1",
  "Googlebot/2.1",
  "Google-PageRenderer",
  "bingbot/2.0",
  "Viber/13.3.0",
  "ProofpointURLDefense/1.0",
  "Barracuda Sentinel (EE)",
];

describe("a visit of a link previewer", () => {
  it("a link preview changes nothing, uses nothing up, and gets no session", async () => {
    const scene = await openScene();
    const { ref, link } = scene;
    const addresses = [
      link.url.slice(ORIGIN.length),
      link.short_url.slice(ORIGIN.length),
      `/thread/${ref}?token=${link.token}`,
      `/respond/form?token=${link.token}`,
      `/respond/session?token=${link.token}`,
      `/respond/renew?token=${link.token}`,
      `/respond/state?ref=${ref}`,
    ];
    const before = await record(scene);

    let visits = 0;
    for (const agent of PREVIEWERS)
      for (const method of ["GET", "HEAD", "OPTIONS"])
        for (const address of addresses) {
          const response = await sendRequest(address, { method, headers: { "User-Agent": agent } });
          expect(response.headers.getSetCookie()).toEqual([]);
          await response.text();
          visits++;
        }

    expect(visits).toBe(20 * 3 * addresses.length);
    expect(await record(scene)).toEqual(before);
    expect((await new Browser().open({ token: link.token })).status).toBe(204);
    expect((await new Browser().open({ code: link.code })).status).toBe(204);
  });
});

type Fault = (scene: Scene) => Promise<string>;

/** A correctly signed token with one invalid part. */
const buildForgery =
  (
    claims: (now: number) => Record<string, unknown>,
    header: Record<string, unknown> = {},
    key?: Uint8Array,
  ): Fault =>
  async ({ id, ref, link }) => {
    const now = Math.floor(Date.now() / 1_000);
    const token = new SignJWT({
      household: id,
      ref,
      permissions: ["respond", "claim", "decline"],
      sub: "ann",
      jti: link.jti,
      iss: "mess",
      aud: "mess:link",
      iat: now,
      exp: now + 3_600,
      ...claims(now),
    });
    token.setProtectedHeader({ alg: "HS256", typ: "mess-link+jwt", ...header });
    return await token.sign(key ?? new Uint8Array(await deriveBits(SECRET, "mess link")));
  };

const returnEmpty = () => ({});

const FAULTS: Readonly<Record<string, Fault>> = {
  "no text": async () => "..",
  "half of it": async ({ link }) => link.token.slice(0, link.token.length / 2),
  "another signature": async ({ link }) =>
    `${link.token.slice(0, link.token.lastIndexOf(".") + 1)}${"A".repeat(43)}`,
  "another content": async ({ link }) => {
    const [head, , signature] = link.token.split(".");
    const content = btoa(JSON.stringify({ sub: "owner" })).replaceAll("=", "");
    return [head, content, signature].join(".");
  },
  "no algorithm": async ({ link }) => {
    const none = btoa(JSON.stringify({ alg: "none", typ: "mess-link+jwt" })).replaceAll("=", "");
    return `${none}.${link.token.split(".")[1]}.`;
  },
  "another algorithm": buildForgery(returnEmpty, { alg: "HS384" }, new Uint8Array(48)),
  "another key": buildForgery(returnEmpty, {}, new Uint8Array(32)),
  "the secret as the key": buildForgery(returnEmpty, {}, new TextEncoder().encode(SECRET)),
  "another type": buildForgery(returnEmpty, { typ: "JWT" }),
  "another audience": buildForgery(() => ({ aud: "mess:session" })),
  "another issuer": buildForgery(() => ({ iss: "other" })),
  "its time over": buildForgery((now) => ({ iat: now - 7_200, exp: now - 1 })),
  "a life too long": buildForgery((now) => ({ exp: now + MAX_LINK_SECONDS + 60 })),
  "times in milliseconds": buildForgery((now) => ({ exp: (now + 60) * 1_000 })),
  "a beginning ahead": buildForgery((now) => ({ iat: now + 600 })),
  "no id": buildForgery(() => ({ jti: undefined })),
  "an id that was never given": buildForgery(() => ({ jti: crypto.randomUUID() })),
  "an id that was revoked": async ({ agent, ref }) => {
    const { token, jti } = await createLink(agent, ref);
    await agent.fetch(`/mess/${ref}/links/${jti}`, { method: "DELETE" });
    return token;
  },
  "another executor's name": buildForgery(() => ({ sub: "ben" })),
  "another thread's": async ({ agent }) =>
    (await createLink(agent, await agent.createThread("look elsewhere", { requires: ["look"] })))
      .token,
  "another household's": async () => {
    // A serial that this household has not reached, since every household has a first thread of the day.
    const { agent } = await openScene();
    return (await createLink(agent, await agent.createThread("look", { requires: ["look"] })))
      .token;
  },
  "a browser's session": async ({ id, ref, link }) =>
    await makeLink(
      SECRET,
      {
        household: id,
        ref,
        executor: "ann",
        permissions: ["respond"],
        jti: link.jti,
        expires: Math.floor(Date.now() / 1_000) + 60,
      },
      "session",
    ),
};

/** Every route for links, including those with a link in the body. */
const OPENED = ROUTES.filter(
  ({ access, path }) => access === "visitor" || access === "link" || path.startsWith("/respond/"),
).filter(({ path, method }) => path !== "/respond/session" || method === "post");

function findAddress(path: string, ref: string): string {
  const filled = path
    .replace("{ref}", ref)
    .replace("{message}", "claim-001")
    .replace("{name}", "att-001-image-x.png")
    .replace("{id}", crypto.randomUUID());
  return path.includes("{ref}") || path.endsWith("/form") || /session|renew/.test(path)
    ? filled
    : `${filled}?ref=${ref}`;
}

function buildBody(path: string, token: string): { type: string; text: string } {
  if (path.endsWith("/form"))
    return {
      type: "application/x-www-form-urlencoded",
      text: new URLSearchParams({ token, action: "claim" }).toString(),
    };
  const text = path.startsWith("/respond/")
    ? { token }
    : { MESS: [{ status: { code: "claimed" } }] };
  return { type: "application/json", text: JSON.stringify(text) };
}

const REFUSED = [401, 403, 404, 410];

describe("invalid tokens of links", () => {
  it("the tests of invalid tokens cover every route for links", () => {
    expect(OPENED.length).toBeGreaterThan(15);
    expect(Object.keys(FAULTS).length).toBeGreaterThanOrEqual(16);
  });

  it.each(Object.entries(FAULTS))(
    "an invalid token of a link gives no access: %s",
    async (fault, make) => {
      const elsewhere = ["another thread's", "another household's"].includes(fault);
      const scene = await openScene();
      const { ref } = scene;
      const token = await make(scene);
      const before = await record(scene);

      for (const { method, path } of OPENED) {
        // An inactive link may still be used to request a new one.
        if (path === "/respond/renew") continue;
        // If no ref is named, a link of another thread is valid: it gives access to that thread.
        if (elsewhere && /form|session/.test(path)) continue;
        const { type, text } = buildBody(path, token);
        const init = {
          method: method.toUpperCase(),
          headers: { "Content-Type": type, "Upload-Offset": "0" },
          ...(method === "get" ? {} : { body: text }),
        };
        const address = findAddress(path, ref);
        const headers = { ...init.headers, Authorization: `Bearer ${token}` };
        const response = await sendRequest(address, { ...init, headers });
        await response.text();
        expect(REFUSED, `${method} ${path}`).toContain(response.status);
        expect(response.headers.getSetCookie()).toEqual([]);
        if (path !== "/thread/{ref}") continue;
        const asked = await sendRequest(`${address}?token=${token}`, init);
        await asked.text();
        expect(REFUSED, `${method} ${path} ?token`).toContain(asked.status);
      }

      expect(await record(scene)).toEqual(before);
    },
  );

  it.each(Object.entries(FAULTS).filter(([fault]) => fault !== "a browser's session"))(
    "an invalid token of a link gives no access as a cookie: %s",
    async (_fault, make) => {
      const scene = await openScene();
      const { ref, browser } = scene;
      const token = await make(scene);
      const before = await record(scene);
      for (const name of browser.cookies.keys()) browser.cookies.set(name, token);

      for (const { method, path, access } of OPENED) {
        if (access === "open") continue;
        const { type, text } = buildBody(path, token);
        const response = await browser.fetch(findAddress(path, ref), {
          method: method.toUpperCase(),
          headers: { "Content-Type": type, "Upload-Offset": "0" },
          ...(method === "get" ? {} : { body: text }),
        });
        await response.text();
        expect(response.status, `${method} ${path}`).toBe(401);
      }

      expect(await record(scene)).toEqual(before);
    },
  );
});
