/** `/thread/{ref}`: the thread as seen by the bearer of a link or by a member, and their messages to it. */
import { postParsedMessages } from "../../../../exchange/exchange.ts";
import { readThreadText } from "../../../../exchange/read-thread-text.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { parseMessages } from "../../../../mess/wire/parse.ts";
import type { Message } from "../../../../mess/wire/schema.ts";
import { ok } from "../../../../mess/result.ts";
import { MESSAGE_MEDIA_TYPES, readMessage } from "./messages.ts";
import { linkQuerySchema } from "../../parameters.ts";
import { buildPostResponse, getPostStatus } from "../../post-response.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";
import { buildThreadResponse } from "../../thread-body.ts";

/** Refuses messages that do not belong to this thread: they would bypass the address they were sent to. */
export function parseForThread(text: string, target: string): Outcome<Message[]> {
  const parsed = parseMessages(text, { target });
  if (!parsed.ok) return parsed;
  return parsed.value.every(({ re }) => re !== undefined)
    ? parsed
    : refuse(
        "bad_shape",
        "requests, queries and configuration cannot be sent to a thread",
        "Send them to POST /mess.",
      );
}

async function readByLink(call: HttpCall): HandlerPromise {
  const { env, principal, format } = call;
  const thread = await readThreadText(env, principal, call.param("ref"), format, {});
  return thread.ok ? ok(buildThreadResponse(call, thread.value)) : thread;
}

async function postByLink(call: HttpCall): HandlerPromise {
  const raw = await readMessage(call.request, call.key);
  if (!raw.ok) return raw;
  const target = call.param("ref");
  const parsed = parseForThread(raw.value.text, target);
  if (!parsed.ok) return parsed;
  const posted = await postParsedMessages(call.env, call.principal, parsed.value, raw.value);
  if (!posted.ok) return posted;
  const { entries } = posted.value;
  const [first] = entries;
  const status = getPostStatus(posted.value);
  const acknowledged = first && "ack" in first ? { ack: first.ack } : {};
  const all = entries.length > 1 ? buildPostResponse(posted.value).body : {};
  return ok({ status, body: { ok: status !== 207, ...acknowledged, ...all } });
}

export const linkBearerRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/thread/{ref}",
    access: "link",
    summary: "The thread, for the bearer of a link",
    query: linkQuerySchema,
    handle: readByLink,
  }),
  defineMemberRoute({
    method: "post",
    path: "/thread/{ref}",
    access: "link",
    summary: "Send a message to the thread, as the executor of the link",
    query: linkQuerySchema,
    body: { description: "A MESS message, YAML or JSON", types: MESSAGE_MEDIA_TYPES },
    handle: postByLink,
  }),
];
