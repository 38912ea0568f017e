/** `/sources` and the messages of a source. */
import * as z from "zod";
import { listSources, readSourceStatus } from "../../../../exchange/source-calls/list-sources.ts";
import { searchSourceMessages } from "../../../../exchange/source-calls/search-messages.ts";
import {
  listSourceMessages,
  markSourceMessage,
  readSourceMessage,
  removeSourceMessage,
} from "../../../../exchange/source-calls/source-messages.ts";
import { waitForSourceMessage } from "../../../../exchange/source-calls/wait-for-message.ts";
import { defined } from "../../../../mess/defined.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import {
  MESSAGE_MARKS,
  SOURCE_LIMITS,
  SOURCE_MESSAGE_STATUSES,
  TIERS,
} from "../../../../mess/sources/vocabulary.ts";
import { buildBody } from "../../build-body.ts";
import { serveSourceFile } from "../../serve-source-file.ts";
import {
  flagSchema,
  listCursor,
  numberSchema,
  shortTextSchema,
  timeSchema,
} from "../../parameters.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HandlerPromise,
  type HttpCall,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";
import { MAX_WAIT_SECONDS } from "../../../../mess/wait-limits.ts";

const statusSchema = z.enum(SOURCE_MESSAGE_STATUSES).exactOptional();
const tierSchema = z.enum(TIERS).exactOptional();
const limitSchema = numberSchema(1, SOURCE_LIMITS.pageMessages).default(
  SOURCE_LIMITS.defaultPageMessages,
);

const listQuerySchema = z.strictObject({
  status: statusSchema,
  tier: tierSchema,
  seen: boundedTextSchema(LIMITS.wordChars).pipe(z.stringbool()).exactOptional(),
  flagged: flagSchema,
  unclassified: flagSchema,
  since: timeSchema.exactOptional(),
  until: timeSchema.exactOptional(),
  limit: limitSchema,
  cursor: listCursor,
});

const searchQuerySchema = z.strictObject({
  q: shortTextSchema.exactOptional(),
  source: boundedTextSchema(SOURCE_LIMITS.nameChars).exactOptional(),
  sender: boundedTextSchema(SOURCE_LIMITS.addressChars).exactOptional(),
  status: statusSchema,
  tier: tierSchema,
  since: timeSchema.exactOptional(),
  until: timeSchema.exactOptional(),
  limit: limitSchema,
  cursor: listCursor,
});

const waitQuerySchema = z.strictObject({
  after: boundedTextSchema(LIMITS.nameChars).exactOptional(),
  timeout: numberSchema(0, MAX_WAIT_SECONDS).default(30),
});

const markSchema = z.strictObject({ mark: z.enum(MESSAGE_MARKS) });

async function handleSources({ env, principal }: HttpCall): HandlerPromise {
  const listed = await listSources(env, principal);
  return listed.ok ? ok({ body: { sources: listed.value } }) : listed;
}

const handleStatus = async ({ env, principal, param }: HttpCall): HandlerPromise =>
  buildBody(await readSourceStatus(env, principal, param("source")));

async function handleList(call: HttpCall<z.output<typeof listQuerySchema>>): HandlerPromise {
  const { env, principal, param, query } = call;
  const { flagged, unclassified, since: from, until: to, ...rest } = query;
  const conditions = {
    ...rest,
    ...(flagged ? { flagged } : {}),
    ...(unclassified ? { unclassified } : {}),
    ...defined({ from, to }),
  };
  return buildBody(await listSourceMessages(env, principal, param("source"), conditions));
}

async function handleSearch(call: HttpCall<z.output<typeof searchQuerySchema>>): HandlerPromise {
  const { env, principal, query } = call;
  const { q: text, since: from, until: to, ...rest } = query;
  const search = { ...rest, ...defined({ text, from, to }) };
  return buildBody(await searchSourceMessages(env, principal, search));
}

async function handleWait(call: HttpCall<z.output<typeof waitQuerySchema>>): HandlerPromise {
  const { env, principal, param, query, request } = call;
  const { after, timeout } = query;
  return buildBody(
    await waitForSourceMessage(
      env,
      principal,
      param("source"),
      after,
      timeout * 1_000,
      request.signal,
    ),
  );
}

const handleRead = async ({ env, principal, param }: HttpCall): HandlerPromise =>
  buildBody(await readSourceMessage(env, principal, param("source"), param("id")));

async function handleMark({ env, principal, param, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, markSchema);
  if (!body.ok) return body;
  const { mark } = body.value;
  return buildBody(await markSourceMessage(env, principal, param("source"), param("id"), mark));
}

async function handleRemove({ env, principal, param }: HttpCall): HandlerPromise {
  const removed = await removeSourceMessage(env, principal, param("source"), param("id"));
  return removed.ok ? ok({ body: { deleted: param("id") } }) : removed;
}

const handleRaw = (call: HttpCall): HandlerPromise => serveSourceFile(call, "raw");

/** Another text than a number names no attachment. */
const handleAttachment = (call: HttpCall): HandlerPromise => {
  const index = call.param("index");
  return serveSourceFile(call, /^\d{1,4}$/.test(index) ? Number(index) : -1);
};

export const sourceMessageRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/sources",
    access: "messages",
    summary: "The message sources that the caller may read, with their status",
    handle: handleSources,
  }),
  defineMemberRoute({
    method: "get",
    path: "/sources/{source}",
    access: "messages",
    summary: "The status of a message source: counts of messages, and its last problem",
    handle: handleStatus,
  }),
  defineMemberRoute({
    method: "get",
    path: "/sources/{source}/messages",
    access: "messages",
    summary: "The messages of a source, newest first",
    description:
      "since and until limit the time of arrival. unclassified: only those that wait for a classifier. The texts were written by strangers.",
    query: listQuerySchema,
    handle: handleList,
  }),
  defineMemberRoute({
    method: "get",
    path: "/sources/{source}/wait",
    access: "messages",
    summary: "Wait for a message of a source",
    description:
      "Returns {id} of the first message after the one with the id of after, or {} when timeout, in seconds, has passed. Without after, the next message that arrives.",
    query: waitQuerySchema,
    handle: handleWait,
  }),
  defineMemberRoute({
    method: "get",
    path: "/sources/{source}/messages/{id}",
    access: "messages",
    summary: "A message with its headers and body; reading does not mark it as seen",
    handle: handleRead,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/sources/{source}/messages/{id}",
    access: "messages",
    summary:
      "Delete a message for good, with its files and its drafts that were not sent; for owners",
    handle: handleRemove,
  }),
  defineMemberRoute({
    method: "post",
    path: "/sources/{source}/messages/{id}/mark",
    access: "messages",
    summary: `Mark a message: ${MESSAGE_MARKS.join(", ")}`,
    body: { description: "The mark", types: TEXT_TYPES, schema: markSchema },
    handle: handleMark,
  }),
  defineMemberRoute({
    method: "get",
    path: "/sources/{source}/messages/{id}/raw",
    access: "messages",
    summary: "The message as it arrived",
    produces: "application/octet-stream",
    handle: handleRaw,
  }),
  defineMemberRoute({
    method: "get",
    path: "/sources/{source}/messages/{id}/attachments/{index}",
    access: "messages",
    summary: "An attachment of a message, whole or a range of it",
    produces: "application/octet-stream",
    handle: handleAttachment,
  }),
  defineMemberRoute({
    method: "get",
    path: "/messages/search",
    access: "messages",
    summary: "Search the messages of the sources that the caller may read, newest first",
    description:
      "q: all words must occur in the sender, the subject or the body, the last one also as the beginning of a word. sender: an exact address.",
    query: searchQuerySchema,
    handle: handleSearch,
  }),
];
