/** `/groups`: AI groups, their members, and the handoff of the primary ops. */
import * as z from "zod";
import {
  closeGroup,
  createGroup,
  joinGroup,
  listGroups,
  transferOps,
  wipeGroups,
} from "../../../../exchange/group-calls/group-memberships.ts";
import { readGroupStatus } from "../../../../exchange/group-calls/group-messages.ts";
import { rejoinGroups } from "../../../../exchange/group-calls/rejoin-groups.ts";
import { defined } from "../../../../mess/defined.ts";
import {
  groupDescriptionSchema,
  groupIdFieldSchema,
  memberNameSchema,
  summarySchema,
  topicSchema,
} from "../../../../mess/groups/fields.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { buildBody } from "../../build-body.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HandlerPromise,
  type HttpCall,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";
import { memberQuerySchema, readIds, readOptionalObject } from "./parameters.ts";

const newGroupSchema = z.strictObject({
  topic: topicSchema,
  my_name: memberNameSchema.exactOptional(),
  description: groupDescriptionSchema.exactOptional(),
});

const rejoinSchema = z.strictObject({
  my_name: memberNameSchema,
  group_id: groupIdFieldSchema.exactOptional(),
});

const wipeSchema = z.strictObject({
  confirm: boundedTextSchema(LIMITS.actorIdChars)
    .exactOptional()
    .describe("The household's id. Without it, the refusal says how much would be wiped."),
});

const joinSchema = z.strictObject({
  my_name: memberNameSchema.exactOptional(),
  as_ops: z.boolean().exactOptional(),
  assigned_by: groupIdFieldSchema.exactOptional(),
});

const closeSchema = z.strictObject({ as: groupIdFieldSchema.exactOptional() });

const handoffSchema = z.strictObject({
  from_ops_id: groupIdFieldSchema,
  to_agent_id: groupIdFieldSchema,
  context_summary: summarySchema.exactOptional(),
  verification_passed: z.boolean().exactOptional(),
});

async function handleCreateGroup({ env, key, principal, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, newGroupSchema);
  if (!body.ok) return body;
  const created = await createGroup(env, principal, { ...body.value, ...defined({ key }) });
  return created.ok ? ok({ status: 201, body: created.value }) : created;
}

async function handleListGroups({ env, principal }: HttpCall): HandlerPromise {
  const listed = await listGroups(env, principal);
  return listed.ok ? ok({ body: { groups: listed.value } }) : listed;
}

async function handleRejoin({ env, principal, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, rejoinSchema);
  if (!body.ok) return body;
  const found = await rejoinGroups(env, principal, body.value);
  return found.ok ? ok({ body: { memberships: found.value } }) : found;
}

async function handleWipe({ env, principal, request }: HttpCall): HandlerPromise {
  const body = await readOptionalObject(request, wipeSchema);
  if (!body.ok) return body;
  return buildBody(await wipeGroups(env, principal, body.value.confirm));
}

async function handleStatus(call: HttpCall<z.output<typeof memberQuerySchema>>): HandlerPromise {
  const { env, principal, query } = call;
  return buildBody(await readGroupStatus(env, principal, readIds(call, query.as)));
}

async function handleJoin({ env, param, principal, request }: HttpCall): HandlerPromise {
  const body = await readOptionalObject(request, joinSchema);
  if (!body.ok) return body;
  const input = { group_id: param("group"), ...body.value };
  const joined = await joinGroup(env, principal, input);
  return joined.ok ? ok({ status: joined.value.rejoined ? 200 : 201, body: joined.value }) : joined;
}

async function handleClose({ env, param, principal, request }: HttpCall): HandlerPromise {
  const body = await readOptionalObject(request, closeSchema);
  if (!body.ok) return body;
  const { as } = body.value;
  const input = { group_id: param("group"), ...defined({ my_ops_id: as }) };
  return buildBody(await closeGroup(env, principal, input));
}

async function handleHandoff({ env, param, principal, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, handoffSchema);
  if (!body.ok) return body;
  return buildBody(await transferOps(env, principal, { group_id: param("group"), ...body.value }));
}

export const groupRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/groups",
    access: "member",
    summary: "Create an AI group; the caller becomes its primary ops",
    body: { description: "The group", types: TEXT_TYPES, schema: newGroupSchema },
    status: 201,
    handle: handleCreateGroup,
  }),
  defineMemberRoute({
    method: "get",
    path: "/groups",
    access: "member",
    summary: "The caller's AI groups; for owners, all of the household",
    handle: handleListGroups,
  }),
  defineMemberRoute({
    method: "post",
    path: "/groups/rejoin",
    access: "member",
    summary: "The caller's memberships under a name, with counts of unread messages",
    description: "For an agent that lost its context. The response has no contents of messages.",
    body: { description: "The name", types: TEXT_TYPES, schema: rejoinSchema },
    handle: handleRejoin,
  }),
  defineMemberRoute({
    method: "post",
    path: "/groups/wipe",
    access: "owner",
    summary: "Close all AI groups and empty the pools; messages are kept",
    body: {
      description: "The confirmation",
      types: TEXT_TYPES,
      schema: wipeSchema,
      optional: true,
    },
    handle: handleWipe,
  }),
  defineMemberRoute({
    method: "get",
    path: "/groups/{group}",
    access: "member",
    summary: "An AI group: members, who is online, open tasks, counts of unread messages",
    query: memberQuerySchema,
    handle: handleStatus,
  }),
  defineMemberRoute({
    method: "post",
    path: "/groups/{group}/members",
    access: "member",
    summary: "Join an AI group",
    description:
      "The response has the caller's id in the group, which only the key that joined can use. A repeated call with the same name and key returns the same id.",
    body: { description: "The member", types: TEXT_TYPES, schema: joinSchema, optional: true },
    status: 201,
    handle: handleJoin,
  }),
  defineMemberRoute({
    method: "post",
    path: "/groups/{group}/close",
    access: "member",
    summary: "Close an AI group; its messages stay readable",
    body: {
      description: "The ops that closes it",
      types: TEXT_TYPES,
      schema: closeSchema,
      optional: true,
    },
    handle: handleClose,
  }),
  defineMemberRoute({
    method: "post",
    path: "/groups/{group}/handoff",
    access: "member",
    summary: "Hand the role of the primary ops over; the receiver accepts it by the same call",
    body: { description: "The handoff", types: TEXT_TYPES, schema: handoffSchema },
    handle: handleHandoff,
  }),
];
