/**
 * Responses without JavaScript: a plain form, sent to the link's own address or with the link in a field. The page
 * always shows the typed text again.
 */
import { hashSha256 } from "../../../auth/hash.ts";
import { toLinkPrincipal, type LinkInput } from "../../../auth/links/links.ts";
import { admitCaller } from "../../../auth/suspension.ts";
import { readThread, sendMessages } from "../../../exchange/exchange.ts";
import { readNames } from "../../../exchange/lists/list-inbox.ts";
import type { ThreadView } from "../../../contracts/thread-views.ts";
import { defined } from "../../../mess/defined.ts";
import { isMap, type JsonMap } from "../../../mess/json.ts";
import { readDraftText } from "../../../mess/wire/answer-draft.ts";
import { ERRORS, type MessError, type Outcome, refuse } from "../../../mess/errors.ts";
import type { BlockInput } from "../../../mess/wire/schema.ts";
import { fail, ok } from "../../../mess/result.ts";
import { readUtf8, readMediaType, readBytes } from "../../http/request-body.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { FORM_ACTIONS, type FormAction, buildFormPage } from "./form-page.ts";
import { loadPageTexts, type PageTexts } from "../page-texts.ts";
import { openLink, linkInputSchema } from "./open-link.ts";
import { looseQuerySchema } from "./page.ts";
import { describeRequest } from "./plain-request.ts";

/** Maximum bytes of a form: a text response. */
const MAX_FORM_BYTES = 512 * 1024;
const FORM_TYPE = "application/x-www-form-urlencoded";
const KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;

interface FormSubmission {
  link: { name: "token" | "code"; value: string };
  action: FormAction;
  text: string;
  key: string | undefined;
}

async function readSubmission({
  request,
  query,
  param,
}: NoHouseholdCall): Promise<Outcome<FormSubmission>> {
  if (readMediaType(request) !== FORM_TYPE)
    return refuse("unsupported_media_type", "the body is not a form", "Send the form of the page.");
  const bytes = await readBytes(request, MAX_FORM_BYTES);
  const text = bytes.ok ? readUtf8(bytes.value) : bytes;
  if (!text.ok) return text;
  const form = new URLSearchParams(text.value);
  const getField = (name: string): string | undefined => form.get(name) ?? undefined;
  const code = getField("code") ?? (param("code") || undefined);
  const token = getField("token") ?? (typeof query["token"] === "string" ? query["token"] : "");
  const action = getField("action") ?? "answer";
  const key = getField("key");
  return ok({
    link: code === undefined ? { name: "token", value: token } : { name: "code", value: code },
    action: Object.hasOwn(FORM_ACTIONS, action) ? (action as FormAction) : "answer",
    // Browsers send line ends as CRLF.
    text: (getField("text") ?? "").replaceAll("\r\n", "\n").trim(),
    key: key !== undefined && KEY_PATTERN.test(key) ? key : undefined,
  });
}

const buildResponseBlocks = (text: string): BlockInput[] =>
  text === "" ? [] : [{ type: "response", body: { content: [{ text }] } }];

/** Builds the blocks of each action; none if the action needs a text and there is none. */
const BLOCKS_BY_ACTION: Readonly<Record<FormAction, (text: string) => BlockInput[]>> = {
  answer: buildResponseBlocks,
  completed: (text) => [
    ...buildResponseBlocks(text),
    { type: "status", body: { code: "completed" } },
  ],
  claim: () => [{ type: "status", body: { code: "claimed" } }],
  question: (text) =>
    text === ""
      ? []
      : [{ type: "status", body: { code: "needs_input", questions: [{ question: text }] } }],
  decline: (text) => [
    { type: "status", body: { code: "declined", ...(text === "" ? {} : { reason: text }) } },
  ],
};

async function handleForm(call: NoHouseholdCall): HandlerPromise {
  const sent = await readSubmission(call);
  if (!sent.ok) return sent;
  const { name, value } = sent.value.link;
  const address = linkInputSchema.safeParse({ [name]: value });
  const link = await openLink(call.env, address.success ? address.data : {});
  const texts = await loadPageTexts(call.env, call.request);
  if (!link.ok) return ok(await buildRefusedPage(texts, link.error, sent.value));
  const posted = await postForm(call, link.value, sent.value);
  return ok(
    await (posted.ok
      ? buildArrivedPage(call, texts, link.value, sent.value, posted.value)
      : buildRefusedPage(texts, posted.error, sent.value, true)),
  );
}

/** Appends the message to the thread; false if there is no text to send yet. */
async function postForm(
  { env }: NoHouseholdCall,
  link: LinkInput,
  { action, text, key }: FormSubmission,
): Promise<Outcome<boolean>> {
  const blocks = BLOCKS_BY_ACTION[action](text);
  if (blocks.length === 0) return ok(false);
  // The same text sent twice, by a second tap or a reload, counts as one response.
  const idempotencyKey = key ?? (await hashSha256([link.jti, action, text].join("\n")));
  const bearer = toLinkPrincipal(link);
  const admitted = await admitCaller(env, bearer);
  if (!admitted.ok) return admitted;
  const posted = await sendMessages(env, bearer, {
    messages: [{ blocks }],
    channel: "http",
    target: link.ref,
    key: `form-${idempotencyKey}`,
  });
  if (!posted.ok) return posted;
  const failedEntry = posted.value.entries.find((entry) => "error" in entry);
  return failedEntry && "error" in failedEntry ? fail(failedEntry.error) : ok(true);
}

async function buildArrivedPage(
  { env }: NoHouseholdCall,
  texts: PageTexts,
  link: LinkInput,
  sent: FormSubmission,
  wasPosted: boolean,
): Promise<Response> {
  const isDeclined = wasPosted && sent.action === "decline";
  const [view, names] = await Promise.all([
    readThread(env, toLinkPrincipal(link), link.ref),
    readNames(env, link.household),
  ]);
  return await buildFormPage({
    texts,
    status: 200,
    title: texts.text(wasPosted ? "form_sent" : "form_title"),
    outcome: texts.text(isDeclined ? "sent_declined" : wasPosted ? "form_sent_how" : "form_read"),
    ...(view.ok ? { request: describeRequest(view.value, names) } : {}),
    ...(view.ok && !isDeclined ? { link: sent.link } : {}),
    ...defined({ text: view.ok && !wasPosted ? findDraft(view.value.messages) : undefined }),
    key: crypto.randomUUID(),
  });
}

/** The requestor's draft, which the form starts with. */
function findDraft(messages: ThreadView["messages"]): string | undefined {
  const blocks = messages.flatMap(({ MESS }) => MESS as readonly JsonMap[]);
  const request = blocks.map((block) => block["request"]).find(isMap);
  return request && readDraftText(request);
}

/** @param canRetry whether to show the form again, because the link itself is valid */
function buildRefusedPage(
  texts: PageTexts,
  { code, retry_after }: MessError,
  sent: FormSubmission,
  canRetry = false,
): Promise<Response> {
  return buildFormPage({
    texts,
    status: ERRORS[code],
    title: texts.text("form_unsent"),
    outcome: texts.find(`why_${code}`) ?? texts.text("form_failed"),
    ...defined({ retryAfter: retry_after }),
    text: sent.text,
    ...(canRetry ? { link: sent.link } : {}),
    key: crypto.randomUUID(),
  });
}

const SHARED_ROUTE_FIELDS = {
  method: "post",
  access: "open",
  produces: "text/html",
  body: { description: "text, action, and the link as token or code", types: [FORM_TYPE] },
  query: looseQuerySchema,
  handle: handleForm,
} as const;

export const formRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/respond/form",
    summary: "An answer by a form without scripts",
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/respond",
    summary: "The same, sent to a link's own address",
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/r/{code}",
    summary: "The same, sent to a link's short address",
  }),
];
