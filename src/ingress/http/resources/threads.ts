/** Reading one thread: whole, after a cursor, once it changes, one message of it, its route. */
import { householdStub } from "../../../stubs.ts";
import type * as z from "zod";
import { read, wait } from "../../../exchange/exchange.ts";
import { reach } from "../../../exchange/with-thread.ts";
import { refuse } from "../../../mess/errors.ts";
import { messageDocument } from "../../../mess/messe-af/write.ts";
import { parseMessages } from "../../../mess/wire/parse.ts";
import { ok } from "../../../mess/result.ts";
import { writeDocuments } from "../../../mess/wire/serialize.ts";
import { readText, TEXT_TYPES } from "../request-body.ts";
import { sessionQuery, threadQuery, waitQuery } from "../parameters.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";
import { threadBody } from "../thread-body.ts";

async function readThread(call: Call<z.output<typeof threadQuery>>): Handled {
  const view = await read(call.env, call.principal, call.param("ref"), call.query.cursor);
  return view.ok ? ok(threadBody(view.value)) : view;
}

async function waitForThread(call: Call<z.output<typeof waitQuery>>): Handled {
  const { cursor, timeout } = call.query;
  const view = await wait(call.env, call.principal, call.param("ref"), cursor, timeout * 1_000);
  return view.ok ? ok(threadBody(view.value)) : view;
}

async function readMessage(call: Call): Handled {
  const name = call.param("message");
  const found = await reach(call.env, call.principal, call.param("ref"), undefined, ({ stub }) =>
    stub.message(call.principal, name),
  );
  if (!found.ok) return found;
  const messages = found.value.map(messageDocument);
  return ok({ body: { messages }, yaml: () => writeDocuments(messages) });
}

async function readRoute(call: Call): Handled {
  const found = await reach(call.env, call.principal, call.param("ref"), undefined, ({ stub }) =>
    stub.route(call.principal),
  );
  return found.ok ? ok({ body: found.value }) : found;
}

async function tryRoute({ request, env, principal }: Call): Handled {
  const text = await readText(request);
  if (!text.ok) return text;
  const parsed = parseMessages(text.value, {});
  if (!parsed.ok) return parsed;
  const [message, ...others] = parsed.value;
  const [block] = message?.blocks ?? [];
  if (block?.type !== "request" || others.length > 0)
    return refuse(
      "bad_shape",
      "a route is found for exactly one request",
      "Send one request, in any form that POST /mess accepts.",
    );
  return ok({
    body: await householdStub(env, principal.household).dryRun(block.body, principal.actor),
  });
}

export const threadRoutes: readonly Route[] = [
  memberRoute({
    method: "post",
    path: "/mess/route",
    access: "member",
    summary: "Whom a request would go to now, and why; nothing is stored",
    body: { description: "One request, YAML or JSON", types: TEXT_TYPES },
    handle: tryRoute,
  }),
  memberRoute({
    method: "get",
    path: "/mess/{ref}",
    access: "visitor",
    summary: "The thread: MESSE-AF in YAML, {envelope, messages} in JSON",
    query: threadQuery,
    handle: readThread,
  }),
  memberRoute({
    method: "get",
    path: "/mess/{ref}/wait",
    access: "visitor",
    summary: "The thread once it has changed after the cursor, or when the time is over",
    description: "timeout is in seconds. Without a cursor the next change is waited for.",
    query: waitQuery,
    handle: waitForThread,
  }),
  memberRoute({
    method: "get",
    path: "/mess/{ref}/messages/{message}",
    access: "visitor",
    summary: "One message of the thread with its ack",
    query: sessionQuery,
    handle: readMessage,
  }),
  memberRoute({
    method: "get",
    path: "/mess/{ref}/route",
    access: "visitor",
    summary: "Whom the thread was offered to, and why others were passed over",
    query: sessionQuery,
    handle: readRoute,
  }),
];
