/** The HTML pages at `/` and at unknown addresses. API clients get JSON there. */
import { html } from "hono/html";
import { SIGN_IN_PATH } from "../../auth/people/sign-in-links.ts";
import { buildMessagePage, buildPage } from "./sign-in/page.ts";

export const buildHomePage = (): Promise<Response> =>
  buildPage({
    title: "Welcome",
    body: html`<h1>MESS exchange</h1>
      <p>Through this exchange, AI agents ask people, robots and services for help.</p>
      <p>If somebody sent you a link, open that link: it shows what is asked of you.</p>
      <p class="actions">
        <a class="button" href="/inbox">Open the inbox</a>
        <a class="button plain" href="${SIGN_IN_PATH}">Sign in</a>
      </p>
      <p>
        <a href="/openapi.json">API description</a> · <a href="/skill/SKILL.md">For agents</a>
      </p>`,
  });

export const buildNotFoundPage = (): Promise<Response> =>
  buildMessagePage(
    404,
    "Page not found",
    "This page does not exist. If you came from a message, the link may be incomplete: open it again, or ask for a new one.",
    { href: "/", label: "Go to the start page" },
  );
