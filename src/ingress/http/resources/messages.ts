/** `POST /mess` and `GET /mess`: what is said to the exchange, and the caller's threads. */
import type * as z from "zod";
import { unauthenticated } from "../../../auth/unauthenticated.ts";
import { list, post, type RawMessage } from "../../../exchange/exchange.ts";
import { listedEnvelope } from "../../../exchange/list-envelope.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { mediaType, readText, TEXT_TYPES } from "../request-body.ts";
import { readMultipart } from "../multipart.ts";
import { listQuery, sayQuery } from "../parameters.ts";
import { postedBody } from "../post-response.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";
import { listTasks, mixedQuery } from "./tasks.ts";

const MULTIPART = "multipart/form-data";
export const MESSAGE_TYPES = [...TEXT_TYPES, MULTIPART];

/** The message of the call, with the files that came beside it. */
export async function readMessage(
  request: Request,
  key: string | undefined,
): Promise<Outcome<RawMessage>> {
  const read =
    mediaType(request) === MULTIPART ? await readMultipart(request) : await readText(request);
  if (!read.ok) return read;
  const parts = typeof read.value === "string" ? { text: read.value } : read.value;
  return ok({ ...parts, channel: "http", ...(key === undefined ? {} : { key }) });
}

async function say(call: Call<z.output<typeof sayQuery>>): Handled {
  const { request, env, principal, key, query } = call;
  // A link speaks in its thread only, and says which.
  if (principal.scope && query.ref === undefined) return unauthenticated();
  const raw = await readMessage(request, key);
  if (!raw.ok) return raw;
  const target = query.ref === undefined ? {} : { target: query.ref };
  const posted = await post(env, principal, { ...raw.value, ...target });
  return posted.ok ? ok(postedBody(posted.value)) : posted;
}

async function listThreads(call: Call<z.output<typeof listQuery>>): Handled {
  const { env, principal, query } = call;
  const mixed = mixedQuery(query);
  if (!mixed.ok) return mixed;
  if (query.for === "me") return await listTasks(call);
  const listed = await list(env, principal, query);
  if (!listed.ok) return listed;
  const { threads, next_cursor } = listed.value;
  return ok({
    body: {
      threads: threads.map(listedEnvelope),
      ...(next_cursor === undefined ? {} : { next_cursor }),
    },
  });
}

export const messageRoutes: readonly Route[] = [
  memberRoute({
    method: "post",
    path: "/mess",
    access: "visitor",
    summary: "Say something: any MESS message",
    query: sayQuery,
    description:
      "Requests make threads (201), all other messages go to the thread in re. Files that come in a multipart body are named in the message by their file name.",
    body: { description: "A MESS message, YAML or JSON", types: MESSAGE_TYPES },
    status: 201,
    handle: say,
  }),
  memberRoute({
    method: "get",
    path: "/mess",
    access: "member",
    summary: "Threads that the caller takes part in; an owner sees the household's",
    description:
      "for=me gives the caller's tasks instead: threads that were offered to it or that it holds, from the household itself. With since_cursor those that have changed since, finished ones too; with wait it waits up to that many seconds while there are none. Answers {threads, cursor}.",
    query: listQuery,
    handle: listThreads,
  }),
];
