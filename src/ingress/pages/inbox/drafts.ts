/**
 * `/inbox/drafts`: a signed-in owner approves a draft of a message source, or takes the approval back. These calls take
 * no key: what is sent in the household's name needs a person.
 */
import { approveDraft, undoApproval } from "../../../exchange/source-calls/drafts.ts";
import { defined } from "../../../mess/defined.ts";
import { buildBody } from "../../http/build-body.ts";
import { householdQuerySchema } from "../../http/parameters.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import { approvalSchema } from "../../http/resources/sources/draft-fields.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { findPerson } from "./find-person.ts";

async function handleApprove(call: NoHouseholdCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const body = await readObject(call.request, approvalSchema);
  if (!body.ok) return body;
  const { digest, send_at } = body.value;
  const approval = { draft: call.param("id"), digest, ...defined({ send_at }) };
  return buildBody(await approveDraft(call.env, person.value, call.param("source"), approval));
}

async function handleUndo(call: NoHouseholdCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  return buildBody(
    await undoApproval(call.env, person.value, call.param("source"), call.param("id")),
  );
}

const SHARED_ROUTE_FIELDS = {
  access: "open",
  method: "post",
  query: householdQuerySchema,
} as const;

export const inboxDraftRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/inbox/drafts/{source}/{id}/approve",
    summary: "Approve the revision of a draft with this digest; for a signed-in owner",
    description: "send_at: when to send it, within a year. Until then it can be undone.",
    body: { description: "The approval", types: TEXT_TYPES, schema: approvalSchema },
    handle: handleApprove,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/inbox/drafts/{source}/{id}/undo",
    summary: "Take the approval of a draft back while it has not been sent",
    handle: handleUndo,
  }),
];
