/**
 * The frame of all sign-in and consent pages: one column for phones, no third-party script or asset. `html` escapes
 * all values.
 */
import { html } from "hono/html";
import type { PageTexts } from "../page-texts.ts";

export type Html = ReturnType<typeof html>;

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
};

export interface Page {
  texts: PageTexts;
  title: string;
  body: Html;
  status?: number;
  /**
   * Path of an automatic redirect. A form's response must not redirect by status: the CSP's `form-action` would block
   * it.
   */
  continueTo?: string;
  cookies?: readonly (string | undefined)[];
}

export async function buildPage({
  texts,
  title,
  body,
  status = 200,
  continueTo,
  cookies = [],
}: Page): Promise<Response> {
  const text = await html`<!doctype html>
    <html lang="${texts.language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        ${continueTo === undefined ? "" : html`<meta http-equiv="refresh" content="0;url=${continueTo}" />`}
        <title>${title} · MESS exchange</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/people.css" />
        <script src="/respond/early-preferences.js"></script>
        <script src="/vendor/simplewebauthn-browser.js" defer></script>
        <script src="/assets/people.js" type="module"></script>
      </head>
      <body>
        <main ${buildScriptTexts(texts)}>${body}</main>
      </body>
    </html>`;
  const headers = new Headers(PAGE_HEADERS);
  headers.append("Vary", "Accept-Language");
  for (const cookie of cookies) if (cookie !== undefined) headers.append("Set-Cookie", cookie);
  return new Response(text.toString(), { status, headers });
}

/** Texts that the page's script shows. */
const buildScriptTexts = ({ text }: PageTexts): Html =>
  html`data-cancelled="${text("js_cancelled")}" data-has-passkey="${text("js_has_passkey")}"
  data-waiting="${text("js_waiting")}" data-done="${text("js_done")}"
  data-choose="${text("js_choose")}"`;

/** Builds a page with one message. */
export const buildMessagePage = (
  texts: PageTexts,
  status: number,
  title: string,
  text: string | Html,
  link?: { href: string; label: string },
): Promise<Response> =>
  buildPage({
    texts,
    status,
    title,
    body: html`<h1>${title}</h1>
      <p>${text}</p>
      ${link ? html`<p class="actions"><a class="button" href="${link.href}">${link.label}</a></p>` : ""}`,
  });
