/**
 * Answering without scripts: a plain form, sent to the address of the link itself or with the link in a field. What
 * was typed comes back whatever happens.
 */
import { sha256 } from "../../../auth/hash.ts";
import { bearerOfLink, type LinkInput } from "../../../auth/links/links.ts";
import { post, read } from "../../../exchange/exchange.ts";
import { ERRORS, type MessError, type Outcome, refuse } from "../../../mess/errors.ts";
import type { JsonMap } from "../../../mess/json.ts";
import { fail, ok } from "../../../mess/result.ts";
import { decode, mediaType, readBytes } from "../../http/request-body.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../../http/route.ts";
import { FORM_ACTIONS, type FormAction, formPage } from "./form-page.ts";
import { openLink, shownLink } from "./open-link.ts";
import { anyQuery } from "./page.ts";

/** Bytes of a form: an answer in words. */
const MOST = 512 * 1024;
const FORM = "application/x-www-form-urlencoded";
const KEY = /^[\x21-\x7e]{1,200}$/;

interface Sent {
  link: { name: "token" | "code"; value: string };
  action: FormAction;
  text: string;
  key: string | undefined;
}

async function readSent({ request, query, param }: OpenCall): Promise<Outcome<Sent>> {
  if (mediaType(request) !== FORM)
    return refuse("unsupported_media_type", "this is no form", "Send the page's own form.");
  const bytes = await readBytes(request, MOST);
  const text = bytes.ok ? decode(bytes.value) : bytes;
  if (!text.ok) return text;
  const form = new URLSearchParams(text.value);
  const field = (name: string): string | undefined => form.get(name) ?? undefined;
  const code = field("code") ?? (param("code") || undefined);
  const token = field("token") ?? (typeof query["token"] === "string" ? query["token"] : "");
  const action = field("action") ?? "answer";
  const key = field("key");
  return ok({
    link: code === undefined ? { name: "token", value: token } : { name: "code", value: code },
    action: Object.hasOwn(FORM_ACTIONS, action) ? (action as FormAction) : "answer",
    // Browsers send line ends as CRLF.
    text: (field("text") ?? "").replaceAll("\r\n", "\n").trim(),
    key: key !== undefined && KEY.test(key) ? key : undefined,
  });
}

const respond = (text: string): JsonMap[] =>
  text === "" ? [] : [{ response: { content: [{ text }] } }];

/** What each action says; nothing where it needs words and has none. */
const BLOCKS: Readonly<Record<FormAction, (text: string) => JsonMap[]>> = {
  answer: respond,
  completed: (text) => [...respond(text), { status: { code: "completed" } }],
  claim: () => [{ status: { code: "claimed" } }],
  question: (text) =>
    text === "" ? [] : [{ status: { code: "needs_input", questions: [{ question: text }] } }],
  decline: (text) => [{ status: { code: "declined", ...(text === "" ? {} : { reason: text }) } }],
};

async function answer(call: OpenCall): Handled {
  const sent = await readSent(call);
  if (!sent.ok) return sent;
  const { name, value } = sent.value.link;
  const shown = shownLink.safeParse({ [name]: value });
  const link = await openLink(call.env, shown.success ? shown.data : {});
  if (!link.ok) return ok(await refused(link.error, sent.value));
  const said = await say(call, link.value, sent.value);
  return ok(
    await (said.ok
      ? arrived(call, link.value, sent.value, said.value)
      : refused(said.error, sent.value, true)),
  );
}

/** Says it in the thread; false where there was nothing to say yet. */
async function say(
  { env }: OpenCall,
  link: LinkInput,
  { action, text, key }: Sent,
): Promise<Outcome<boolean>> {
  const blocks = BLOCKS[action](text);
  if (blocks.length === 0) return ok(false);
  // The same words sent twice, by a second tap or a reload, are one answer.
  const once = key ?? (await sha256([link.jti, action, text].join("\n")));
  const posted = await post(env, bearerOfLink(link), {
    text: JSON.stringify({ MESS: blocks }),
    channel: "http",
    target: link.ref,
    key: `form-${once}`,
  });
  if (!posted.ok) return posted;
  const fault = posted.value.entries.find((entry) => "error" in entry);
  return fault && "error" in fault ? fail(fault.error) : ok(true);
}

async function arrived(
  { env }: OpenCall,
  link: LinkInput,
  sent: Sent,
  said: boolean,
): Promise<Response> {
  const view = await read(env, bearerOfLink(link), link.ref, Number.MAX_SAFE_INTEGER);
  return await formPage({
    status: 200,
    title: said ? "It arrived" : "Your answer",
    said: said ? "What you sent is part of the request now." : "Write your answer, then send it.",
    ...(view.ok ? { intent: view.value.envelope.intent, link: sent.link } : {}),
    key: crypto.randomUUID(),
  });
}

/** @param again the form is shown once more: the link itself is good */
function refused(error: MessError, sent?: Sent, again = false): Promise<Response> {
  return formPage({
    status: ERRORS[error.code],
    title: "It did not arrive",
    said: `Nothing was sent: ${error.message}.`,
    hint: error.hint,
    ...(sent ? { text: sent.text } : {}),
    ...(sent && again ? { link: sent.link } : {}),
    key: crypto.randomUUID(),
  });
}

const about = {
  method: "post",
  access: "open",
  produces: "text/html",
  body: { description: "text, action, and the link as token or code", types: [FORM] },
  query: anyQuery,
  handle: answer,
} as const;

export const formRoutes: readonly Route[] = [
  openRoute({ ...about, path: "/respond/form", summary: "An answer by a form without scripts" }),
  openRoute({ ...about, path: "/respond", summary: "The same, sent to a link's own address" }),
  openRoute({ ...about, path: "/r/{code}", summary: "The same, sent to a link's short address" }),
];
