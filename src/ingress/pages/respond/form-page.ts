/**
 * The page for browsers without JavaScript: the request, the result of the last submit, and a form with the typed
 * text.
 */
import { html } from "hono/html";
import type { PageTexts } from "../page-texts.ts";
import { PAGE_HEADERS } from "./page.ts";
import type { PlainRequest } from "./plain-request.ts";

/** Values of the form's `action` with the texts of their buttons. The first is the default. */
export const FORM_ACTIONS = {
  answer: "send_answer",
  completed: "act_completed",
  claim: "act_claim",
  question: "act_needs_input",
  decline: "act_decline",
} as const;

export type FormAction = keyof typeof FORM_ACTIONS;

export interface FormPage {
  texts: PageTexts;
  status: number;
  title: string;
  /** The result of the last submit. */
  outcome: string;
  /** Seconds after which the answer may be sent again. */
  retryAfter?: number;
  request?: PlainRequest;
  /** The typed text, if it was not accepted. */
  text?: string;
  /** The link, if another response is possible. */
  link?: { name: "token" | "code"; value: string };
  /** Idempotency key of the next response. */
  key: string;
}

export async function buildFormPage(page: FormPage): Promise<Response> {
  const { texts, status, title, outcome, retryAfter, request, text = "" } = page;
  const showsUnsentText = !page.link && text !== "";
  const body = await html`<!doctype html>
    <html lang="${texts.language}" dir="${texts.direction}">
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
          ${request ? buildRequest(texts, request) : ""}
          ${
            showsUnsentText
              ? html`<label for="text">${texts.text("your_words")}</label
                  ><textarea id="text" rows="6" dir="auto" readonly>${text}</textarea>`
              : ""
          }
          ${page.link ? buildForm(texts, page.link, page.key, text) : ""}
        </main>
      </body>
    </html>`;
  const headers = new Headers(PAGE_HEADERS);
  headers.set("Vary", "Accept-Language");
  if (retryAfter !== undefined) headers.set("Retry-After", String(retryAfter));
  return new Response(body.toString(), { status, headers });
}

const buildRequest = (
  { text: translate, rich }: PageTexts,
  { intent, requestor, needsApproval, facts, texts, hasMore }: PlainRequest,
) =>
  html`<article class="request">
    <h2 dir="auto">${intent}</h2>
    <p>${rich("by", { name: requestor })}</p>
    ${needsApproval ? html`<p>${rich("approval_first", { name: requestor })}</p>` : ""}
    ${texts.map((text) => html`<p class="prose" dir="auto">${text}</p>`)}
    <dl class="facts">
      ${facts.map(
        ([label, value]) =>
          html`<dt>${translate(label)}</dt>
            <dd><bdi>${value}</bdi></dd>`,
      )}
    </dl>
    ${hasMore ? html`<p>${translate("form_more")}</p>` : ""}
  </article>`;

const buildForm = (
  { text: translate }: PageTexts,
  link: NonNullable<FormPage["link"]>,
  key: string,
  text: string,
) =>
  html`<form class="plain-form" method="post" action="/respond/form">
    <input type="hidden" name="${link.name}" value="${link.value}" />
    <input type="hidden" name="key" value="${key}" />
    <label for="text">${translate("your_answer")}</label>
    <textarea id="text" name="text" rows="6" dir="auto" maxlength="100000">${text}</textarea>
    ${Object.entries(FORM_ACTIONS).map(
      ([action, label]) =>
        html`<button type="submit" name="action" value="${action}">${translate(label)}</button>`,
    )}
  </form>`;
