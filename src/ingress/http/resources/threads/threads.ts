/** Reads of one thread: the whole, after a cursor, on the next change, one message, the route of a request. */
import { isStillLive } from "../../../../auth/live-credential.ts";
import { refuseUnauthenticated } from "../../../../auth/unauthenticated.ts";
import { toAuditSource } from "../../../../auth/audit-source.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import type * as z from "zod";
import { readContext } from "../../../../exchange/read-context.ts";
import { readThreadText, waitForThreadText } from "../../../../exchange/read-thread-text.ts";
import { withThread } from "../../../../exchange/with-thread.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { buildMessageDocument } from "../../../../mess/messe-af/write.ts";
import { parseMessages } from "../../../../mess/wire/parse.ts";
import { ok } from "../../../../mess/result.ts";
import { writeDocuments } from "../../../../mess/wire/serialize.ts";
import { readText, TEXT_TYPES } from "../../request-body.ts";
import { sessionQuerySchema, threadQuerySchema, waitQuerySchema } from "../../parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";
import { buildEarlierThread, buildThreadResponse } from "../../thread-body.ts";

async function handleReadThread(
  call: HttpCall<z.output<typeof threadQuerySchema>>,
): HandlerPromise {
  const { env, principal, format } = call;
  const { cursor: after, limit } = call.query;
  const thread = await readThreadText(env, principal, call.param("ref"), format, { after, limit });
  return thread.ok ? ok(buildThreadResponse(call, thread.value)) : thread;
}

async function waitForThread(call: HttpCall<z.output<typeof waitQuerySchema>>): HandlerPromise {
  const { env, principal, format } = call;
  const { cursor, timeout } = call.query;
  const ref = call.param("ref");
  const thread = await waitForThreadText(env, principal, ref, format, cursor, timeout * 1_000);
  return thread.ok ? ok(buildThreadResponse(call, thread.value)) : thread;
}

async function readMessage(call: HttpCall): HandlerPromise {
  const name = call.param("message");
  const found = await withThread(
    call.env,
    call.principal,
    call.param("ref"),
    undefined,
    ({ stub }) => stub.readMessage(call.principal, name),
  );
  if (!found.ok) return found;
  const messages = found.value.map(buildMessageDocument);
  return ok({ body: { messages }, yaml: () => writeDocuments(messages) });
}

async function readRoute(call: HttpCall): HandlerPromise {
  const found = await withThread(
    call.env,
    call.principal,
    call.param("ref"),
    undefined,
    async ({ stub, ref }) => {
      const route = await stub.getRoute(call.principal);
      return route.ok ? ok({ ...route.value, ref }) : route;
    },
  );
  if (!found.ok) return found;
  if (call.principal.scope === undefined) {
    const { ref, ...route } = found.value;
    const position = await getHouseholdStub(
      call.env,
      call.principal.household,
    ).threads.getQueuePosition(ref);
    return ok({ body: { ...route, ...(position === null ? {} : { queue_position: position }) } });
  }
  // A link shows the members that the thread was offered to, and nobody else of the household.
  const { later: _later, ref: _ref, ...route } = found.value;
  return ok({ body: { ...route, passed_over: [] } });
}

async function previewRoute({ request, env, principal }: HttpCall): HandlerPromise {
  const text = await readText(request);
  if (!text.ok) return text;
  const parsed = parseMessages(text.value, {});
  if (!parsed.ok) return parsed;
  const [message, ...others] = parsed.value;
  const [block] = message?.blocks ?? [];
  if (block?.type !== "request" || others.length > 0)
    return refuse(
      "bad_shape",
      "the body must have exactly one request",
      "Send one request, in any form that POST /mess accepts.",
    );
  return ok({
    body: await getHouseholdStub(env, principal.household).threads.previewRoute(
      block.body,
      principal.actor,
    ),
  });
}

async function handleReadContext({ env, principal, param }: HttpCall): HandlerPromise {
  const threads = await readContext(env, principal, param("ref"));
  return threads.ok
    ? ok({ body: { threads: threads.value.map((one) => buildEarlierThread(param("ref"), one)) } })
    : threads;
}

/** A member who may not see the thread gets the same refusal as for an unknown one. */
async function checkMayDelete({ env, principal, param }: HttpCall): Promise<Outcome<true>> {
  if (principal.role === "owner")
    return (await isStillLive(env, principal)) ? ok(true) : refuseUnauthenticated();
  const seen = await withThread(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.checkUpload(principal),
  );
  return seen.ok ? refuse("wrong_role", "only owners delete a thread", "Ask an owner.") : seen;
}

async function deleteThread(call: HttpCall): HandlerPromise {
  const allowed = await checkMayDelete(call);
  if (!allowed.ok) return allowed;
  const { threads } = getHouseholdStub(call.env, call.principal.household);
  const deleted = await threads.deleteThread(call.param("ref"), toAuditSource(call.principal));
  return deleted.ok ? ok({ body: { deleted: deleted.value.ref, at: deleted.value.at } }) : deleted;
}

export const threadRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/mess/route",
    access: "member",
    summary: "The route that a request would get now, with the reasons; nothing is stored",
    body: { description: "One request, YAML or JSON", types: TEXT_TYPES },
    handle: previewRoute,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}",
    access: "visitor",
    summary: "The thread: MESSE-AF in YAML, {envelope, messages} in JSON",
    description:
      "cursor: only messages after this position are returned. limit: the approximate number of messages to return; if there are more, the Link header has the address of the next page.",
    query: threadQuerySchema,
    handle: handleReadThread,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/mess/{ref}",
    access: "member",
    summary: "Permanently delete the thread with its messages, files, links and notices",
    description:
      "A repeated call with the full ref returns the same response. Members who could see the thread get thread_deleted from then on.",
    handle: deleteThread,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/wait",
    access: "visitor",
    summary: "Wait for a change of the thread after the cursor, or for the timeout",
    description: "timeout is in seconds. Without a cursor, waits for the next change.",
    query: waitQuerySchema,
    handle: waitForThread,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/messages/{message}",
    access: "visitor",
    summary: "One message of the thread with its ack",
    query: sessionQuerySchema,
    handle: readMessage,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/route",
    access: "visitor",
    summary: "The thread's route: its candidates, and why others were passed over",
    query: sessionQuerySchema,
    handle: readRoute,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/context",
    access: "visitor",
    summary: "The earlier threads to which the request refers, with their answers and files",
    description: "Empty once the thread has ended.",
    query: sessionQuerySchema,
    handle: handleReadContext,
  }),
];
