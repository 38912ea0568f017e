/** `POST /mess` and `GET /mess`: sends messages, and lists the caller's threads. */
import { defined } from "../../../../mess/defined.ts";
import type * as z from "zod";
import { listThreads, postMessages, type RawMessage } from "../../../../exchange/exchange.ts";
import { toListedEnvelope } from "../../../../exchange/lists/list-envelope.ts";
import type { Outcome } from "../../../../mess/errors.ts";
import { ok } from "../../../../mess/result.ts";
import { readMediaType, readText, TEXT_TYPES } from "../../request-body.ts";
import { readMultipart } from "../../multipart.ts";
import { listQuerySchema, postQuerySchema } from "../../parameters.ts";
import { buildPostResponse } from "../../post-response.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";
import { listTasks, checkNotMixed } from "./tasks.ts";

const MULTIPART_TYPE = "multipart/form-data";
export const MESSAGE_MEDIA_TYPES = [...TEXT_TYPES, MULTIPART_TYPE];

/** Reads the message of the call and the files sent with it. */
export async function readMessage(
  request: Request,
  key: string | undefined,
): Promise<Outcome<RawMessage>> {
  const read =
    readMediaType(request) === MULTIPART_TYPE
      ? await readMultipart(request)
      : await readText(request);
  if (!read.ok) return read;
  const parts = typeof read.value === "string" ? { text: read.value } : read.value;
  return ok({ ...parts, channel: "http", ...defined({ key }) });
}

async function postMessage(call: HttpCall<z.output<typeof postQuerySchema>>): HandlerPromise {
  const { request, env, principal, key, query } = call;
  const raw = await readMessage(request, key);
  if (!raw.ok) return raw;
  // Messages of a link that name no thread are about its own; any other thread is refused.
  const target = query.ref ?? principal.scope?.ref;
  const posted = await postMessages(env, principal, { ...raw.value, ...defined({ target }) });
  return posted.ok ? ok(buildPostResponse(posted.value)) : posted;
}

async function handleListThreads(call: HttpCall<z.output<typeof listQuerySchema>>): HandlerPromise {
  const { env, principal, query } = call;
  const mixedError = checkNotMixed(query);
  if (!mixedError.ok) return mixedError;
  if (query.for === "me") return await listTasks(call);
  const listed = await listThreads(env, principal, query);
  if (!listed.ok) return listed;
  const { threads, next_cursor } = listed.value;
  return ok({
    body: {
      threads: threads.map(toListedEnvelope),
      ...defined({ next_cursor }),
    },
  });
}

export const messageRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/mess",
    access: "visitor",
    summary: "Send any MESS message",
    query: postQuerySchema,
    description:
      "Requests create threads (201); all other messages are appended to the thread in re. The message refers to the files of a multipart body by file name.",
    body: { description: "A MESS message, YAML or JSON", types: MESSAGE_MEDIA_TYPES },
    status: 201,
    handle: postMessage,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess",
    access: "member",
    summary: "Threads in which the caller takes part; for owners, all of the household",
    description:
      "for=me returns the caller's tasks instead: threads offered to it or held by it, without the delay of the index. With since_cursor: threads changed since then, including finished ones. With wait: waits up to that many seconds while there are none. Returns {threads, cursor}.",
    query: listQuerySchema,
    handle: handleListThreads,
  }),
];
