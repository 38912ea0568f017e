/** `/thread/{ref}`: what the bearer of a link, or a member, sees of a thread and says to it. */
import { post, read } from "../../../exchange/exchange.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { parseMessages } from "../../../mess/wire/parse.ts";
import { ok } from "../../../mess/result.ts";
import { MESSAGE_TYPES, readMessage } from "./messages.ts";
import { linkQuery } from "../parameters.ts";
import { postedBody, postedStatus } from "../post-response.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";
import { threadBody } from "../thread-body.ts";

/** Refuses what is no message to a thread: it would go past the address that it was sent to. */
export function staysHere(text: string, target: string): Outcome<true> {
  const parsed = parseMessages(text, { target });
  if (!parsed.ok) return parsed;
  return parsed.value.every(({ re }) => re !== undefined)
    ? ok(true)
    : refuse(
        "bad_shape",
        "requests, queries and configuration belong to no thread",
        "Send them to POST /mess.",
      );
}

async function openLink(call: Call): Handled {
  const view = await read(call.env, call.principal, call.param("ref"));
  return view.ok ? ok(threadBody(view.value)) : view;
}

async function answerLink(call: Call): Handled {
  const raw = await readMessage(call.request, call.key);
  if (!raw.ok) return raw;
  const target = call.param("ref");
  const meant = staysHere(raw.value.text, target);
  if (!meant.ok) return meant;
  const posted = await post(call.env, call.principal, { ...raw.value, target });
  if (!posted.ok) return posted;
  const { entries } = posted.value;
  const [first] = entries;
  const status = postedStatus(posted.value);
  const said = first && "ack" in first ? { ack: first.ack } : {};
  const all = entries.length > 1 ? postedBody(posted.value).body : {};
  return ok({ status, body: { ok: status !== 207, ...said, ...all } });
}

export const linkBearerRoutes: readonly Route[] = [
  memberRoute({
    method: "get",
    path: "/thread/{ref}",
    access: "link",
    summary: "The thread, for the bearer of a link",
    query: linkQuery,
    handle: openLink,
  }),
  memberRoute({
    method: "post",
    path: "/thread/{ref}",
    access: "link",
    summary: "Say something in the thread, as the executor that the link speaks for",
    query: linkQuery,
    body: { description: "A MESS message, YAML or JSON", types: MESSAGE_TYPES },
    handle: answerLink,
  }),
];
