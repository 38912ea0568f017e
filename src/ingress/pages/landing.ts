/** The HTML pages at `/` and at unknown addresses. API clients get JSON there. */
import { html } from "hono/html";
import { SIGN_IN_PATH } from "../../auth/people/sign-in-links.ts";
import { loadPageTexts, type PageBindings } from "./page-texts.ts";
import { buildMessagePage, buildPage } from "./sign-in/page.ts";

export async function buildHomePage(env: PageBindings, request: Request): Promise<Response> {
  const texts = await loadPageTexts(env, request);
  const { text } = texts;
  return await buildPage({
    texts,
    title: text("welcome"),
    body: html`<h1>MESS exchange</h1>
      <p>${text("home_what")}</p>
      <p>${text("home_link")}</p>
      <p class="actions">
        <a class="button" href="/inbox">${text("open_the_inbox")}</a>
        <a class="button plain" href="${SIGN_IN_PATH}">${text("sign_in")}</a>
      </p>
      <p>
        <a href="/openapi.json">${text("api_description")}</a> ·
        <a href="/skill/SKILL.md">${text("for_agents")}</a>
      </p>`,
  });
}

export async function buildNotFoundPage(env: PageBindings, request: Request): Promise<Response> {
  const texts = await loadPageTexts(env, request);
  const { text } = texts;
  return await buildMessagePage(texts, 404, text("not_found"), text("not_found_how"), {
    href: "/",
    label: text("go_home"),
  });
}
