/**
 * `/api/v1/presence`: members who are away, and get an offer only if no other executor is available, or who snoozed
 * their notices.
 */
import { getHouseholdStub } from "../../../../stubs.ts";
import * as z from "zod";
import { refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { memberIdSchema, readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const presenceBodySchema = z.strictObject({
  state: z.enum(["here", "away", "snoozed"]),
  until: boundedTextSchema(LIMITS.timeChars)
    .min(1)
    .describe(
      "An ISO 8601 time, or a duration such as 2h. Afterwards the member counts as present.",
    )
    .optional(),
  actor: memberIdSchema
    .describe("For owners: the member whose presence is set; the caller by default.")
    .optional(),
});

async function setPresence(call: HttpCall): HandlerPromise {
  const body = await readObject(call.request, presenceBodySchema);
  if (!body.ok) return body;
  const { household, actor: caller, role } = call.principal;
  const { actor = caller, state, until } = body.value;
  if (actor !== caller && role !== "owner") {
    return refuse("wrong_role", "only owners can change the presence of others", "Omit actor.");
  }
  const set = await getHouseholdStub(call.env, household).contacts.setPresence(actor, state, until);
  return set.ok ? ok({ body: { presence: set.value } }) : set;
}

async function listPresence({ env, principal }: HttpCall): HandlerPromise {
  return ok({
    body: { presence: await getHouseholdStub(env, principal.household).contacts.listPresence() },
  });
}

export const presenceRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "put",
    path: "/api/v1/presence",
    access: "member",
    summary: "Set a member's presence: here, or away or snoozed until a time",
    body: {
      description: "Whether the caller is present",
      types: TEXT_TYPES,
      schema: presenceBodySchema,
    },
    handle: setPresence,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/presence",
    access: "member",
    summary: "The current presence of members who reported it",
    handle: listPresence,
  }),
];
