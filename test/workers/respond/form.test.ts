import { ENGLISH } from "../../../src/ingress/pages/english-texts.ts";
import { describe, expect, it } from "vitest";
import { t } from "../../support/page-texts.ts";
import { createFreshHousehold, sendRequest } from "../support.ts";
import { createLink, openScene } from "./support.ts";

const buildForm = (
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) =>
  sendRequest(path, {
    method: "POST",
    body: new URLSearchParams(fields).toString(),
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Origin: "null",
      ...headers,
    },
  });

async function buildContents(agent: { read: (path: string) => Promise<unknown> }, ref: string) {
  const { messages } = (await agent.read(`/mess/${ref}`)) as {
    messages: { from: string; MESS: Record<string, unknown>[] }[];
  };
  return messages.filter(({ from }) => from === "ann").map(({ MESS }) => MESS);
}

/** The result of the submission, as screen readers announce it. */
const readStatusText = (page: string): string =>
  /<p role="status">([^<]+)</.exec(page)?.[1] ?? "no status";

describe("the form without scripts", () => {
  it.each([
    [
      "/respond/form with a token",
      (token: string) => buildForm("/respond/form", { token, text: "green" }),
    ],
    [
      "its link's address",
      (token: string, _code: string, ref: string) =>
        buildForm(`/respond?ref=${ref}&token=${token}&exchange=https%3A%2F%2Fevil.example`, {
          text: "green",
        }),
    ],
    [
      "/respond/form with a code",
      (_token: string, code: string) => buildForm("/respond/form", { code, text: "green" }),
    ],
    [
      "its short address",
      (_token: string, code: string) => buildForm(`/r/${code}`, { text: "green" }),
    ],
  ])("the form without scripts answers by %s", async (_by, answer) => {
    const { agent, ref, link } = await openScene();

    const response = await answer(link.token, link.code, ref);

    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain("look at the basil");
    // The page no longer contains the answer that was sent.
    expect(page).toMatch(/<textarea [^>]*name="text"[^>]*><\/textarea>/);
    expect(await buildContents(agent, ref)).toEqual([
      [{ response: { content: [{ text: "green" }] } }],
    ]);
  });

  it.each([
    [{ action: "claim" }, [{ status: { code: "claimed" } }]],
    [{ action: "completed" }, [{ status: { code: "completed" } }]],
    [
      { action: "completed", text: "a\r\nb" },
      [{ response: { content: [{ text: "a\nb" }] } }, { status: { code: "completed" } }],
    ],
    [{ action: "decline", text: "rain" }, [{ status: { code: "declined", reason: "rain" } }]],
    [
      { action: "question", text: "which?" },
      [
        {
          status: {
            code: "needs_input",
            questions: [expect.objectContaining({ question: "which?" })],
          },
        },
      ],
    ],
    [{ action: "elsewise", text: "green" }, [{ response: { content: [{ text: "green" }] } }]],
  ])("the form without scripts sends %j as a message", async (fields, blocks) => {
    const { agent, ref, link } = await openScene();

    expect((await buildForm("/respond/form", { token: link.token, ...fields })).status).toBe(200);

    expect(await buildContents(agent, ref)).toEqual([blocks]);
  });

  it("the form without scripts shows the questions of the request with their options", async () => {
    const question = { field: "roof", question: "How is the roof?", options: ["good", "leaky"] };
    const { link } = await openScene({ response_hint: [{ choice: question }, "image"] });

    const page = await (await buildForm("/respond/form", { token: link.token, text: "" })).text();

    expect(page).toContain("How is the roof? good, leaky");
  });

  it("the form without scripts is not shown again after a decline", async () => {
    const { link } = await openScene();

    const sent = await buildForm("/respond/form", { token: link.token, action: "decline" });

    const page = await sent.text();
    expect(page).toContain(ENGLISH.sent_declined);
    expect(page).not.toContain("<form");
  });

  it("the form without scripts sends the same answer once, however often it is submitted", async () => {
    const { agent, ref, link } = await openScene();
    const answer = { token: link.token, text: "green" };

    for (let n = 0; n < 3; n++) expect((await buildForm("/respond/form", answer)).status).toBe(200);
    await buildForm("/respond/form", { ...answer, key: "another" });

    expect(await buildContents(agent, ref)).toHaveLength(2);
  });

  it("the form without scripts shows the request again if the text is empty, and sends nothing", async () => {
    const { agent, ref, link } = await openScene();

    const answer = async (text: string) =>
      (await buildForm("/respond/form", { token: link.token, text })).text();

    const page = await answer(" ");

    expect(page).toContain("look at the basil");
    expect(page).toContain("<textarea");
    expect(await buildContents(agent, ref)).toEqual([]);
    expect(readStatusText(page)).not.toBe(readStatusText(await answer("green")));
  });

  it("the form without scripts keeps the text of a refused answer, and runs no script in it", async () => {
    const attack = '</textarea><script>alert(1)</script><img src=x onerror="alert(2)">';
    const { agent, ref, link } = await openScene({ intent: attack });
    await agent.fetch(`/mess/${ref}/links/${link.jti}`, { method: "DELETE" });
    const second = await createLink(agent, ref, "ann", { permissions: ["claim"] });

    const dead = await buildForm("/respond/form", { token: link.token, text: attack });
    const barred = await buildForm("/respond/form", { token: second.token, text: attack });
    const shown = await buildForm("/respond/form", { token: second.token });
    const unknown = await buildForm("/respond/form", { token: '"><script>', text: attack });

    expect([dead.status, barred.status, shown.status, unknown.status]).toEqual([
      410, 403, 200, 401,
    ]);
    for (const response of [dead, barred, shown, unknown]) {
      const page = await response.text();
      expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
      expect(page).not.toMatch(/<script|<img/);
      expect(response.headers.get("Content-Security-Policy")).toMatch(
        /^default-src 'none'; script-src 'self';/,
      );
      expect(response.headers.get("Cache-Control")).toBe("no-store");
    }
    expect(await buildContents(agent, ref)).toEqual([]);
  });

  it("the form without scripts is in the browser's language, with a name and a place in their own direction", async () => {
    const { link } = await openScene({
      intent: "look <b>",
      constraints: { location: "kitchen" },
      confirm_before: true,
    });
    const open = async (language: string, fields: Record<string, string> = {}) =>
      await (
        await buildForm(
          "/respond/form",
          { token: link.token, ...fields },
          { "Accept-Language": language },
        )
      ).text();

    const [arabic, portuguese, unknown] = await Promise.all(
      ["ar-EG", "pt-BR", "ja"].map((one) => open(one)),
    );
    const refused = await open("ar", { token: "none", text: "x" });

    expect(arabic).toContain('<html lang="ar" dir="rtl">');
    expect(arabic).toContain(t("send_answer", {}, "ar"));
    expect(arabic).toContain(t("place", {}, "ar"));
    expect(arabic).toMatch(/<bdi>kitchen<\/bdi>/);
    expect(arabic).toContain("look &lt;b&gt;");
    expect(portuguese).toContain('<html lang="pt" dir="ltr">');
    expect(portuguese).toContain(t("act_completed", {}, "pt"));
    expect(unknown).toContain('<html lang="en" dir="ltr">');
    expect(refused).toContain('dir="rtl"');
    for (const page of [arabic, refused]) expect(page).not.toMatch(/>[^<]*\b(?:the|sent|answer)\b/);
  });

  it("the page behind a link says in the browser's language what it can do without scripts", async () => {
    const open = async (path: string, language: string) =>
      await (
        await sendRequest(path, { headers: { Accept: "text/html", "Accept-Language": language } })
      ).text();

    const [respond, inbox, english] = await Promise.all([
      open("/r/none", "ar"),
      open("/inbox", "de"),
      open("/r/none", "en"),
    ]);

    expect(respond).toMatch(
      /<html lang="ar" dir="rtl"[^]*<noscript>[^]*من دون JavaScript[^]*<\/noscript>/,
    );
    expect(respond).not.toMatch(/>(?:Show the request|Inbox)</);
    expect(inbox).toMatch(/<noscript>[^]*braucht JavaScript[^]*<\/noscript>/);
    expect(english).toContain("Show the request");
  });

  it("the form without scripts accepts only a small body", async () => {
    const { link } = await openScene();

    const large = await buildForm("/respond/form", {
      token: link.token,
      text: "x".repeat(600_000),
    });
    const other = await sendRequest("/respond/form", { method: "POST", body: '{"text": "x"}' });

    expect([large.status, other.status]).toEqual([413, 415]);
  });
});

describe("the respond page", () => {
  it("the respond page is the same for every address, and never cached", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("look", { requires: ["look"] });
    const { url, short_url } = await createLink(agent, ref);
    const paths = [url, short_url].map((one) => one.slice(new URL(one).origin.length));

    const pages = await Promise.all(
      ["/respond", "/r/none", `/respond?request=${ref}&token=x&exchange=y`, ...paths].map(
        async (path) => {
          const response = await sendRequest(path, { headers: { Accept: "text/html" } });
          expect(response.status).toBe(200);
          expect(Object.fromEntries(response.headers)).toMatchObject({
            "cache-control": "no-store",
            "content-type": "text/html; charset=utf-8",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
          });
          expect(response.headers.get("Content-Security-Policy")).toBe(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'; worker-src 'self'; frame-src blob:; require-trusted-types-for 'script'; trusted-types dompurify mess-worker",
          );
          return await response.text();
        },
      ),
    );

    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toMatch(/<noscript>.*<form[^>]* method="post".* type="submit"/s);
  });
});
