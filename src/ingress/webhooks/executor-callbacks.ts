/**
 * Callbacks of robots and services: signed like the notices to them (Standard Webhooks), or with the callback token of
 * the notice. The body is a message as in `POST /mess`; a repeated `webhook-id` has no effect.
 */
import { getCurrent } from "../../auth/worker-secret.ts";
import { getHouseholdStub } from "../../stubs.ts";
import {
  authenticateCallback,
  authenticateSignature,
  type CallbackCaller,
} from "../../auth/callbacks/callback-caller.ts";
import { readBearer, refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import {
  deriveWebhookSecret,
  readFreshHeaders,
  readWebhookId,
} from "../../auth/callbacks/webhook-signatures.ts";
import { getConfig } from "../../config.ts";
import { postParsedMessages } from "../../exchange/exchange.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { parseMessages } from "../../mess/wire/parse.ts";
import { readMediaType, readBytes } from "../http/request-body.ts";
import { MESSAGE_MEDIA_TYPES, readMessage } from "../http/resources/threads/messages.ts";
import { MAX_MULTIPART_BYTES } from "../http/multipart.ts";
import { postQuerySchema } from "../http/parameters.ts";
import { buildPostResponse } from "../http/post-response.ts";
import {
  type HttpCall as MemberCall,
  type HandlerPromise,
  defineMemberRoute,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../http/route.ts";
import { fetchFiles } from "./fetch-files.ts";

interface AuthenticatedCallback {
  caller: CallbackCaller;
  /** A copy of the request with an unread body. */
  request: Request;
  key: string | undefined;
}

async function authenticateBySignature(
  call: NoHouseholdCall,
): Promise<Outcome<AuthenticatedCallback>> {
  const { request, env, param } = call;
  const headers = readFreshHeaders(request.headers, Date.now());
  // Check the signature headers before reading the body.
  if (!headers) return refuseUnauthenticated();
  const maxBytes =
    readMediaType(request) === "multipart/form-data" ? MAX_MULTIPART_BYTES : LIMITS.bodyBytes;
  const body = await readBytes(request, maxBytes);
  if (!body.ok) return body;
  const claimed = { household: param("household"), executor: param("executor") };
  const { secret } = getConfig(env);
  const caller = await authenticateSignature(env, secret, claimed, headers, body.value);
  if (!caller.ok) return caller;
  const { url, headers: sent } = request;
  const read = new Request(url, { method: "POST", headers: sent, body: body.value });
  return ok({ caller: caller.value, request: read, key: headers["webhook-id"] });
}

async function authenticateByToken(
  call: NoHouseholdCall,
  token: string,
): Promise<Outcome<AuthenticatedCallback>> {
  const { request, env, key, param } = call;
  const caller = await authenticateCallback(env, getConfig(env).secret, token);
  if (!caller.ok) return caller;
  const { household, actor } = caller.value.principal;
  if (household !== param("household") || actor !== param("executor"))
    return refuseUnauthenticated();
  return ok({ caller: caller.value, request, key: key ?? readWebhookId(request.headers) });
}

async function handleCallback(call: NoHouseholdCall): HandlerPromise {
  const token = readBearer(call.request);
  const called = await (token === undefined
    ? authenticateBySignature(call)
    : authenticateByToken(call, token));
  if (!called.ok) return called;
  const { caller, request, key } = called.value;
  const { principal } = caller;
  const raw = await readMessage(request, key);
  if (!raw.ok) return raw;
  const target = call.query["ref"] ?? principal.scope?.ref;
  const parsed = parseMessages(raw.value.text, typeof target === "string" ? { target } : {});
  if (!parsed.ok) return parsed;
  const messages = await fetchFiles(call.env, caller, parsed.value, key);
  if (!messages.ok) return messages;
  const options = { ...raw.value, channel: "webhook" };
  const posted = await postParsedMessages(call.env, principal, messages.value, options);
  return posted.ok ? ok(buildPostResponse(posted.value)) : posted;
}

async function readSecret({ env, principal, param }: MemberCall): HandlerPromise {
  const { household } = principal;
  const executor = param("id");
  const known = await getHouseholdStub(env, household).contacts.getCallbackCredentials(executor);
  if (!known)
    return refuse(
      "unknown_executor",
      "executor not found, or the secret of its webhook is not set",
      "Name an executor of this household, and set the secrets that its notify refers to.",
    );
  // A secret that the owner set is never shown again.
  if (known.secret !== undefined) return ok({ body: { executor, own: true } });
  const secret = await deriveWebhookSecret(getCurrent(getConfig(env).secret), household, executor);
  return ok({ body: { executor, own: false, secret } });
}

export const executorRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/api/v1/executors/{id}/webhook-secret",
    access: "owner",
    summary: "The secret that signs the webhooks to an executor and its callbacks",
    description:
      "The secret is derived, so each call returns the same value. If the executor's notify sets its own secret, that one is valid instead and is not shown.",
    handle: readSecret,
  }),
  defineNoHouseholdRoute({
    method: "post",
    path: "/hooks/executor/{household}/{executor}",
    access: "open",
    summary: "Receive a message of a robot or service about its task",
    description:
      "Signed by Standard Webhooks with the executor's secret, within five minutes, or with the callback token of its notice as bearer. Any MESS message of an executor; the same webhook-id counts once. A uri of the executor's own host in a response is fetched and stored.",
    query: postQuerySchema.omit({ session: true }),
    body: { description: "A MESS message, YAML or JSON", types: MESSAGE_MEDIA_TYPES },
    handle: handleCallback,
  }),
];
