/** `/sources/{source}/drafts`: drafts are written, revised and discarded here. Only people approve them, on pages. */
import type * as z from "zod";
import {
  createDraft,
  discardDraft,
  listDrafts,
  readDraft,
  requestDraftApproval,
  reviseDraft,
} from "../../../../exchange/source-calls/drafts.ts";
import { defined } from "../../../../mess/defined.ts";
import { buildBody } from "../../build-body.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HandlerPromise,
  type HttpCall,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";
import { draftChangeSchema, draftListSchema, newDraftSchema } from "./draft-fields.ts";

async function handleCreate({ env, principal, param, request, key }: HttpCall): HandlerPromise {
  const body = await readObject(request, newDraftSchema);
  if (!body.ok) return body;
  const draft = { ...body.value, ...defined({ key }) };
  return buildBody(await createDraft(env, principal, param("source"), draft));
}

async function handleList(call: HttpCall<z.output<typeof draftListSchema>>): HandlerPromise {
  const { env, principal, param, query } = call;
  return buildBody(await listDrafts(env, principal, param("source"), query));
}

const handleRead = async ({ env, principal, param }: HttpCall): HandlerPromise =>
  buildBody(await readDraft(env, principal, param("source"), param("id")));

async function handleRevise({ env, principal, param, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, draftChangeSchema);
  if (!body.ok) return body;
  return buildBody(await reviseDraft(env, principal, param("source"), param("id"), body.value));
}

const handleDiscard = async ({ env, principal, param }: HttpCall): HandlerPromise =>
  buildBody(await discardDraft(env, principal, param("source"), param("id")));

const handleRequest = async ({ env, principal, param }: HttpCall): HandlerPromise =>
  buildBody(await requestDraftApproval(env, principal, param("source"), param("id")));

export const sourceDraftRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/sources/{source}/drafts",
    access: "messages",
    summary: "Write a draft: an answer to a message, a message that is passed on, or a new one",
    description:
      "Nothing is sent before an owner approves it. With forward, the message is passed on to to, with its files.",
    body: { description: "The draft", types: TEXT_TYPES, schema: newDraftSchema },
    handle: handleCreate,
  }),
  defineMemberRoute({
    method: "get",
    path: "/sources/{source}/drafts",
    access: "messages",
    summary: "The drafts of a source, newest first",
    query: draftListSchema,
    handle: handleList,
  }),
  defineMemberRoute({
    method: "get",
    path: "/sources/{source}/drafts/{id}",
    access: "messages",
    summary: "A draft with its state and the digest of its revision",
    handle: handleRead,
  }),
  defineMemberRoute({
    method: "patch",
    path: "/sources/{source}/drafts/{id}",
    access: "messages",
    summary: "Revise a draft; revision is the one that the caller has read",
    body: { description: "What changes", types: TEXT_TYPES, schema: draftChangeSchema },
    handle: handleRevise,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/sources/{source}/drafts/{id}",
    access: "messages",
    summary: "Discard a draft",
    handle: handleDiscard,
  }),
  defineMemberRoute({
    method: "post",
    path: "/sources/{source}/drafts/{id}/request-approval",
    access: "messages",
    summary: "Ask an owner to approve a draft, through their channels",
    handle: handleRequest,
  }),
];
