/**
 * The page for browsers without JavaScript: the request, the result of the last submit, and a form with the typed
 * text.
 */
import { html } from "hono/html";
import { PAGE_HEADERS } from "./page.ts";
import type { PlainRequest } from "./plain-request.ts";

/** Values of the form's `action` with the labels of their buttons. The first is the default. */
export const FORM_ACTIONS = {
  answer: "Send the answer",
  completed: "Send it, and I am done",
  claim: "I will do it",
  question: "Ask this question",
  decline: "I cannot do it",
} as const;

export type FormAction = keyof typeof FORM_ACTIONS;

export interface FormPage {
  status: number;
  title: string;
  /** The result of the last submit. */
  outcome: string;
  hint?: string;
  request?: PlainRequest;
  /** The typed text, if it was not accepted. */
  text?: string;
  /** The link, if another response is possible. */
  link?: { name: "token" | "code"; value: string };
  /** Idempotency key of the next response. */
  key: string;
}

export async function buildFormPage(page: FormPage): Promise<Response> {
  const { status, title, outcome, hint, request, text = "" } = page;
  const showsUnsentText = !page.link && text !== "";
  const body = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>${title}</title>
        <link rel="stylesheet" href="/respond/respond.css" />
      </head>
      <body>
        <main id="main">
          <h1>${title}</h1>
          <p role="status">${outcome}</p>
          ${hint === undefined ? "" : html`<p>${hint}</p>`} ${request ? buildRequest(request) : ""}
          ${
            showsUnsentText
              ? html`<label for="text">What you wrote</label
                  ><textarea id="text" rows="6" readonly>${text}</textarea>`
              : ""
          }
          ${page.link ? buildForm(page.link, page.key, text) : ""}
        </main>
      </body>
    </html>`;
  return new Response(body.toString(), { status, headers: PAGE_HEADERS });
}

const buildRequest = ({ intent, requestor, facts, texts, hasMore }: PlainRequest) =>
  html`<article class="request">
    <h2><bdi>${intent}</bdi></h2>
    <p>From <bdi>${requestor}</bdi></p>
    ${texts.map((text) => html`<p class="prose" dir="auto">${text}</p>`)}
    <dl class="facts">
      ${facts.map(
        ([label, value]) =>
          html`<dt>${label}</dt>
            <dd><bdi>${value}</bdi></dd>`,
      )}
    </dl>
    ${hasMore ? html`<p>Pictures, files and tables of the request need JavaScript.</p>` : ""}
  </article>`;

const buildForm = (link: NonNullable<FormPage["link"]>, key: string, text: string) =>
  html`<form class="plain-form" method="post" action="/respond/form">
    <input type="hidden" name="${link.name}" value="${link.value}" />
    <input type="hidden" name="key" value="${key}" />
    <label for="text">Your answer</label>
    <textarea id="text" name="text" rows="6" maxlength="100000">${text}</textarea>
    ${Object.entries(FORM_ACTIONS).map(
      ([action, label]) =>
        html`<button type="submit" name="action" value="${action}">${label}</button>`,
    )}
  </form>`;
