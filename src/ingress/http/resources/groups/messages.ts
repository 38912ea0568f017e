/** `/groups/{group}/messages` and the calls about what a member has read. */
import * as z from "zod";
import {
  countPending,
  markGroupMessages,
  readGroupMessages,
  sendGroupMessage,
  sendHeartbeat,
} from "../../../../exchange/group-calls/group-messages.ts";
import { waitForGroupMessages } from "../../../../exchange/group-calls/wait-for-messages.ts";
import { defined } from "../../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import {
  contentSchema,
  filesModifiedSchema,
  groupIdFieldSchema,
  toolUsageSchema,
  waitCursorSchema,
} from "../../../../mess/groups/fields.ts";
import {
  GROUP_LIMITS,
  GROUP_MESSAGE_TYPES,
  IMPORTANCES,
} from "../../../../mess/groups/vocabulary.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { buildBody } from "../../build-body.ts";
import { cursorSchema, flagSchema, numberSchema } from "../../parameters.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HandlerPromise,
  type HttpCall,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";
import { memberQuerySchema, readIds, readOptionalObject } from "./parameters.ts";
import { MAX_WAIT_SECONDS } from "../../../../mess/wait-limits.ts";

const MAX_MESSAGE_BYTES = LIMITS.textBytes;

const messageSchema = z.strictObject({
  as: groupIdFieldSchema.exactOptional(),
  to_id: groupIdFieldSchema,
  content: contentSchema,
  message_type: z.enum(GROUP_MESSAGE_TYPES).default("message"),
  importance: z.enum(IMPORTANCES).exactOptional(),
  needs_ack: z
    .boolean()
    .exactOptional()
    .describe("The receiver must reply to the message, or mark it as read by its id."),
  reply_to: groupIdFieldSchema.exactOptional(),
  tool_usage: toolUsageSchema.exactOptional(),
  files_modified: filesModifiedSchema.exactOptional(),
});

const readQuerySchema = z.strictObject({
  as: groupIdFieldSchema.exactOptional(),
  with: groupIdFieldSchema.exactOptional(),
  limit: numberSchema(1, GROUP_LIMITS.pageMessages).default(GROUP_LIMITS.defaultPageMessages),
  unread: flagSchema,
  peek: flagSchema,
  before: cursorSchema,
  between: boundedTextSchema(LIMITS.nameChars).exactOptional(),
  all: flagSchema,
});

const markSchema = z.strictObject({
  as: groupIdFieldSchema.exactOptional(),
  from: groupIdFieldSchema.exactOptional(),
  message: groupIdFieldSchema.exactOptional(),
});

const waitQuerySchema = z.strictObject({
  as: groupIdFieldSchema.exactOptional(),
  cursor: waitCursorSchema.exactOptional(),
  timeout: numberSchema(0, MAX_WAIT_SECONDS).default(30),
});

const heartbeatSchema = z.strictObject({ as: groupIdFieldSchema.exactOptional() });

async function handleSend(call: HttpCall): HandlerPromise {
  const { env, key, principal, request } = call;
  const body = await readObject(request, messageSchema, MAX_MESSAGE_BYTES);
  if (!body.ok) return body;
  const { as, to_id: to, message_type: type, ...given } = body.value;
  const message = { to, type, ...given, ...defined({ key }) };
  const sent = await sendGroupMessage(env, principal, readIds(call, as), message);
  return sent.ok ? ok({ status: sent.value.repeated ? 200 : 201, body: sent.value }) : sent;
}

/** Reads `between={id},{id}`. */
function readPair(text: string): Outcome<readonly [string, string]> {
  const [one, other, ...more] = text.split(",");
  return one && other && more.length === 0
    ? ok([one, other])
    : refuse("bad_parameter", "between: not two ids", "Write between={id},{id}.", {
        path: "between",
      });
}

async function handleRead(call: HttpCall<z.output<typeof readQuerySchema>>): HandlerPromise {
  const { env, principal, query } = call;
  const { as, with: other, limit, unread, peek, before, all } = query;
  const pair = query.between === undefined ? ok(undefined) : readPair(query.between);
  if (!pair.ok) return pair;
  return buildBody(
    await readGroupMessages(env, principal, readIds(call, as), {
      limit,
      unread_only: unread,
      peek,
      all,
      ...defined({ other, before, between: pair.value }),
    }),
  );
}

async function handleMark(call: HttpCall): HandlerPromise {
  const { env, principal, request } = call;
  const body = await readOptionalObject(request, markSchema);
  if (!body.ok) return body;
  const { as, from: other, message } = body.value;
  const which = defined({ other, message });
  return buildBody(await markGroupMessages(env, principal, readIds(call, as), which));
}

async function handlePending(call: HttpCall<z.output<typeof memberQuerySchema>>): HandlerPromise {
  const { env, principal, query } = call;
  return buildBody(await countPending(env, principal, readIds(call, query.as)));
}

async function handleWait(call: HttpCall<z.output<typeof waitQuerySchema>>): HandlerPromise {
  const { env, principal, query, request } = call;
  const { as, cursor, timeout } = query;
  const ids = readIds(call, as);
  return buildBody(
    await waitForGroupMessages(env, principal, ids, cursor, timeout * 1_000, request.signal),
  );
}

async function handleHeartbeat(call: HttpCall): HandlerPromise {
  const { env, principal, request } = call;
  const body = await readOptionalObject(request, heartbeatSchema);
  if (!body.ok) return body;
  return buildBody(await sendHeartbeat(env, principal, readIds(call, body.value.as)));
}

export const groupMessageRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/groups/{group}/messages",
    access: "member",
    summary: "Send a message to one member of an AI group",
    description:
      "Only the two members and the household's owners can read it. The same message within a minute, or with the same Idempotency-Key, is sent once.",
    body: { description: "The message", types: TEXT_TYPES, schema: messageSchema },
    status: 201,
    handle: handleSend,
  }),
  defineMemberRoute({
    method: "get",
    path: "/groups/{group}/messages",
    access: "member",
    summary: "Read messages of an AI group, and mark them as read",
    description:
      "with: only the channel with this member. unread: unread messages, oldest first, instead of the history, newest first. peek: do not mark them. before: only messages before this position. For owners, who mark nothing: between={id},{id} reads one channel, and all=true all channels.",
    query: readQuerySchema,
    handle: handleRead,
  }),
  defineMemberRoute({
    method: "post",
    path: "/groups/{group}/read",
    access: "member",
    summary: "Mark as read: one message, all messages from a member, or all",
    body: { description: "The messages", types: TEXT_TYPES, schema: markSchema, optional: true },
    handle: handleMark,
  }),
  defineMemberRoute({
    method: "get",
    path: "/groups/{group}/pending",
    access: "member",
    summary: "Counts of unread messages by sender and type, without contents",
    query: memberQuerySchema,
    handle: handlePending,
  }),
  defineMemberRoute({
    method: "get",
    path: "/groups/{group}/wait",
    access: "member",
    summary: "Wait for messages after the cursor, or for the timeout; marks nothing as read",
    description:
      "timeout is in seconds. Call again with the cursor of the response. Without a cursor, the call continues after the last message that such a call returned.",
    query: waitQuerySchema,
    handle: handleWait,
  }),
  defineMemberRoute({
    method: "post",
    path: "/groups/{group}/heartbeat",
    access: "member",
    summary: "Record a sign of life of the member",
    description:
      "Members without one for five minutes are shown as offline. Every call to send, read or wait records one, too.",
    body: { description: "The member", types: TEXT_TYPES, schema: heartbeatSchema, optional: true },
    handle: handleHeartbeat,
  }),
];
