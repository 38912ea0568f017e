/** `/pools`: agents and ops that wait to be claimed for a group. */
import * as z from "zod";
import {
  claimFromPool,
  listPool,
  readAgentStatus,
  registerInPool,
  releaseToPool,
} from "../../../../exchange/group-calls/group-memberships.ts";
import { defined } from "../../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import {
  groupCapabilitiesSchema,
  groupCapabilitySchema,
  groupIdFieldSchema,
  memberNameSchema,
  summarySchema,
  terminalInfoSchema,
} from "../../../../mess/groups/fields.ts";
import {
  isPoolId,
  POOL_IDS,
  POOL_STATUSES,
  type PoolId,
} from "../../../../mess/groups/vocabulary.ts";
import { ok } from "../../../../mess/result.ts";
import { buildBody } from "../../build-body.ts";
import { flagSchema, numberSchema } from "../../parameters.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HandlerPromise,
  type HttpCall,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const registrationSchema = z.strictObject({
  name: memberNameSchema,
  capabilities: groupCapabilitiesSchema.exactOptional(),
  terminal_info: terminalInfoSchema.exactOptional(),
});

const claimSchema = z.strictObject({
  ops_id: groupIdFieldSchema,
  agent_id: groupIdFieldSchema.exactOptional(),
  capability: groupCapabilitySchema.exactOptional(),
  target_group_id: groupIdFieldSchema.exactOptional(),
  task: summarySchema
    .exactOptional()
    .describe("The text of the task, or the id of a task that was given back."),
});

const poolQuerySchema = z.strictObject({ status: z.enum(POOL_STATUSES).exactOptional() });
const releaseQuerySchema = z.strictObject({
  epoch: numberSchema(1, Number.MAX_SAFE_INTEGER).exactOptional(),
  remove: flagSchema,
});

function readPool({ param }: Pick<HttpCall, "param">): Outcome<PoolId> {
  const pool = param("pool");
  return isPoolId(pool)
    ? ok(pool)
    : refuse("not_found", "there is no such pool", "Use one of the two pools.", {
        valid: POOL_IDS,
      });
}

async function handleRegister(call: HttpCall): HandlerPromise {
  const { env, principal, request } = call;
  const pool = readPool(call);
  if (!pool.ok) return pool;
  const body = await readObject(request, registrationSchema);
  if (!body.ok) return body;
  const entry = await registerInPool(env, principal, { pool: pool.value, ...body.value });
  return entry.ok ? ok({ status: 201, body: entry.value }) : entry;
}

async function handleListPool(call: HttpCall<z.output<typeof poolQuerySchema>>): HandlerPromise {
  const { env, principal, query } = call;
  const pool = readPool(call);
  if (!pool.ok) return pool;
  const listed = await listPool(env, principal, { pool: pool.value, ...query });
  return listed.ok ? ok({ body: { agents: listed.value } }) : listed;
}

async function handleClaim(call: HttpCall): HandlerPromise {
  const { env, key, principal, request } = call;
  const pool = readPool(call);
  if (!pool.ok) return pool;
  const body = await readObject(request, claimSchema);
  if (!body.ok) return body;
  const input = { pool: pool.value, ...body.value, ...defined({ key }) };
  const claimed = await claimFromPool(env, principal, input);
  return claimed.ok ? ok({ status: 201, body: claimed.value }) : claimed;
}

async function handleRelease(call: HttpCall<z.output<typeof releaseQuerySchema>>): HandlerPromise {
  const { env, param, principal, query } = call;
  const pool = readPool(call);
  if (!pool.ok) return pool;
  const { epoch, remove } = query;
  const input = { agent_id: param("agent"), remove, ...defined({ epoch }) };
  return buildBody(await releaseToPool(env, principal, input));
}

async function handleAgentStatus({ env, param, principal }: HttpCall): HandlerPromise {
  return buildBody(await readAgentStatus(env, principal, param("agent")));
}

export const poolRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/pools/{pool}/agents",
    access: "member",
    summary: "Register in the pool `agents` or `ops`",
    description:
      "The response has the caller's id. Wait for an assignment with GET /groups/{pool}/wait.",
    body: { description: "The agent or ops", types: TEXT_TYPES, schema: registrationSchema },
    status: 201,
    handle: handleRegister,
  }),
  defineMemberRoute({
    method: "get",
    path: "/pools/{pool}/agents",
    access: "member",
    summary: "The agents or ops of a pool with their status",
    query: poolQuerySchema,
    handle: handleListPool,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/pools/{pool}/agents/{agent}",
    access: "member",
    summary: "Release an agent back to its pool; with remove=true, remove it",
    description: "With the epoch of a claim, a later claim stays as it is.",
    query: releaseQuerySchema,
    handle: handleRelease,
  }),
  defineMemberRoute({
    method: "post",
    path: "/pools/{pool}/claims",
    access: "member",
    summary: "Claim an agent for a group, with a task",
    description:
      "Without agent_id and capability, the agent that has waited longest. An agent is claimed once, also by simultaneous calls.",
    body: { description: "The claim", types: TEXT_TYPES, schema: claimSchema },
    status: 201,
    handle: handleClaim,
  }),
  defineMemberRoute({
    method: "get",
    path: "/agents/{agent}",
    access: "member",
    summary: "Whether an agent or ops is online, and its groups",
    handle: handleAgentStatus,
  }),
];
