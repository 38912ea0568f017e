/** `/api/v1/exchanges/{exchange}/requests`: requests for the MESS clients that exist. */
import * as z from "zod";
import { createRequest } from "../../../../exchange/client-calls/create-request.ts";
import { updateRequest } from "../../../../exchange/client-calls/update-request.ts";
import { listThreads, readThread } from "../../../../exchange/exchange.ts";
import { toListedEnvelope } from "../../../../exchange/lists/list-envelope.ts";
import { defined } from "../../../../mess/defined.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { ok } from "../../../../mess/result.ts";
import { EXCHANGE_REQUESTS_PATH } from "../../call-key.ts";
import { listCursor, numberSchema, statusesSchema } from "../../parameters.ts";
import { parseWithSchema, readJsonMap } from "../../request-body.ts";
import {
  defineMemberRoute,
  type HandlerPromise,
  type HttpCall,
  type HttpRoute,
} from "../../route.ts";
import { serveFile } from "../threads/attachments.ts";
import { showRequest, showThread } from "./show-request.ts";
import { chooseStatusStyle, statusStyleSchema, writeStatus } from "./status-style.ts";

const JSON_TYPES = ["application/json"];
const REQUEST_PATH = `${EXCHANGE_REQUESTS_PATH}/{ref}` as const;

const styleQuerySchema = z.strictObject({ status_style: statusStyleSchema });
type StyleQuery = z.output<typeof styleQuerySchema>;

const listQuerySchema = z.strictObject({
  status: statusesSchema.exactOptional(),
  limit: numberSchema(1, 200).default(200),
  cursor: listCursor,
  status_style: statusStyleSchema,
});

/** Further fields are ignored: nobody sets an executor or a ref. */
const updateSchema = z.object({
  status: boundedTextSchema(LIMITS.statusChars).min(1).optional(),
  mess: z
    .union([z.array(z.json()).min(1), z.record(boundedTextSchema(LIMITS.nameChars), z.json())])
    .optional(),
  message: boundedTextSchema(LIMITS.textBytes).optional(),
});

async function listRequests(call: HttpCall<z.output<typeof listQuerySchema>>): HandlerPromise {
  const { env, principal, request, query } = call;
  const { status_style, ...filter } = query;
  const listed = await listThreads(env, principal, filter);
  if (!listed.ok) return listed;
  const written = new URL(request.url).searchParams.get("status") ?? undefined;
  const style = chooseStatusStyle(request, status_style, written);
  const { threads, next_cursor } = listed.value;
  return ok({
    body: {
      threads: threads.map((thread) => showRequest(toListedEnvelope(thread), style)),
      ...defined({ next_cursor }),
    },
  });
}

async function postRequest(call: HttpCall<StyleQuery>): HandlerPromise {
  const { env, principal, request, key, query } = call;
  const body = await readJsonMap(request);
  if (!body.ok) return body;
  const created = await createRequest(env, principal, body.value, key);
  if (!created.ok) return created;
  const { ref, status } = created.value;
  const style = chooseStatusStyle(request, query.status_style);
  return ok({
    status: 201,
    body: { ...created.value, status: writeStatus(status, style) },
    headers: { Location: `${new URL(request.url).pathname}/${ref}` },
  });
}

async function readRequest(call: HttpCall<StyleQuery>): HandlerPromise {
  const { env, principal, request, query, param } = call;
  const thread = await readThread(env, principal, param("ref"));
  if (!thread.ok) return thread;
  const style = chooseStatusStyle(request, query.status_style);
  const base = `/api/v1/exchanges/${principal.household}`;
  return ok({ body: { thread: showThread(thread.value, style, base) } });
}

async function patchRequest(call: HttpCall<StyleQuery>): HandlerPromise {
  const { env, principal, request, query, param } = call;
  const body = await readJsonMap(request);
  if (!body.ok) return body;
  const update = parseWithSchema(updateSchema, body.value, "bad_field");
  if (!update.ok) return update;
  const updated = await updateRequest(env, principal, param("ref"), update.value);
  if (!updated.ok) return updated;
  const { ref, status } = updated.value;
  const style = chooseStatusStyle(request, query.status_style, update.value.status);
  return ok({ body: { ref, status: writeStatus(status, style) } });
}

const downloadFile = ({ env, principal, request, param }: HttpCall): HandlerPromise =>
  serveFile(env, request, { principal, ref: param("ref"), file: param("name") });

export const exchangeRequestRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: EXCHANGE_REQUESTS_PATH,
    access: "exchange",
    summary: "Requests that the caller sees, for MESS clients: {threads}",
    description: "status: one or several, in any spelling. `next_cursor` leads to the next page.",
    query: listQuerySchema,
    handle: listRequests,
  }),
  defineMemberRoute({
    method: "post",
    path: EXCHANGE_REQUESTS_PATH,
    access: "exchange",
    summary: "Create a request: {ref, status}",
    query: styleQuerySchema,
    body: {
      description:
        "{intent, context, priority, requires, response_hint or response_hints, id} and the other fields of a request",
      types: JSON_TYPES,
    },
    status: 201,
    handle: postRequest,
  }),
  defineMemberRoute({
    method: "get",
    path: REQUEST_PATH,
    access: "exchange",
    summary: "One request with its messages: {thread}",
    query: styleQuerySchema,
    handle: readRequest,
  }),
  defineMemberRoute({
    method: "patch",
    path: REQUEST_PATH,
    access: "exchange",
    summary: "Report a status, send messages, or cancel: {ref, status}",
    description:
      "status: as executor claimed, in_progress, completed, rejected and the others; cancelled also as requestor. mess: further blocks of the same message, such as {response: {content}}. message: the text of the status; alone, a followup.",
    query: styleQuerySchema,
    body: { description: "{status, mess, message}", types: JSON_TYPES, schema: updateSchema },
    handle: patchRequest,
  }),
  defineMemberRoute({
    method: "get",
    path: `${REQUEST_PATH}/attachments/{name}`,
    access: "exchange",
    summary: "A file of the request",
    produces: "application/octet-stream",
    handle: downloadFile,
  }),
];
