/** `/api/v1`: sign-in links for people, and the OAuth clients that they have authorized. */
import { getLinkOrigin } from "../../../../config.ts";
import { OPERATOR_SOURCE, toAuditSource } from "../../../../auth/audit-source.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import * as z from "zod";
import { HOUSEHOLD_ID_PATTERN } from "../../../../auth/known-households.ts";
import { ROLES } from "../../../../auth/principal.ts";
import { makeSignInLink } from "../../../../auth/people/sign-in-links.ts";
import type { AuditSource } from "../../../../contracts/audit.ts";
import type { Invitation } from "../../../../contracts/identity.ts";
import { log } from "../../../../log.ts";
import { refuse } from "../../../../mess/errors.ts";
import { ok } from "../../../../mess/result.ts";
import { endAccess } from "./end-access.ts";
import { memberIdSchema, readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../route.ts";

const linkBodySchema = z.strictObject({
  actor: memberIdSchema,
  role: z.enum(ROLES).exactOptional(),
});
const ownerLinkBodySchema = z.strictObject({ actor: memberIdSchema.default("owner") });

async function createSignInLink(
  { env, request }: NoHouseholdCall,
  household: string,
  invitation: Omit<Invitation, "hash">,
  by: AuditSource,
): HandlerPromise {
  const { url, hash } = await makeSignInLink(getLinkOrigin(env, request), household);
  const { identity } = getHouseholdStub(env, household);
  const invited = await identity.invite({ ...invitation, hash }, by);
  if (!invited.ok) return invited;
  const { actor: person, role, expires } = invited.value;
  log("sign_in_link_made", { household, actor: person, role });
  return ok({ status: 201, body: { url, actor: person, role, expires } });
}

async function createMemberLink(call: HttpCall): HandlerPromise {
  const body = await readObject(call.request, linkBodySchema);
  if (!body.ok) return body;
  const { household, credential } = call.principal;
  const invitation = { ...body.value, ...(credential ? { made_with: credential } : {}) };
  return await createSignInLink(call, household, invitation, toAuditSource(call.principal));
}

async function createOwnerLink(call: NoHouseholdCall): HandlerPromise {
  const body = await readObject(call.request, ownerLinkBodySchema);
  if (!body.ok) return body;
  const household = call.param("id");
  if (!HOUSEHOLD_ID_PATTERN.test(household))
    return refuse("not_found", "household not found", "Create the household first.");
  const invitation = { ...body.value, by_operator: true as const };
  return await createSignInLink(call, household, invitation, OPERATOR_SOURCE);
}

async function listPeople({ env, principal }: HttpCall): HandlerPromise {
  const people = await getHouseholdStub(env, principal.household).identity.listPeople();
  return people.ok ? ok({ body: { people: people.value } }) : people;
}

async function removePerson(call: HttpCall): HandlerPromise {
  const person = call.param("actor");
  const removed = await endAccess(call, (identity, by) => identity.removePerson(person, by));
  if (!removed.ok) return removed;
  log("person_removed", { household: call.principal.household, actor: person });
  return ok({ body: { removed: person } });
}

async function listGrants({ env, principal }: HttpCall): HandlerPromise {
  const grants = await getHouseholdStub(env, principal.household).identity.listGrants();
  return grants.ok ? ok({ body: { grants: grants.value } }) : grants;
}

async function revokeGrant(call: HttpCall): HandlerPromise {
  const id = call.param("id");
  const revoked = await endAccess(call, (identity, by) => identity.revokeGrant(id, by));
  if (!revoked.ok) return revoked;
  log("grant_revoked", { household: call.principal.household, grant: id });
  return ok({ body: { revoked: id } });
}

const LINK_DESCRIPTION =
  "The link works once, within 15 minutes. Opening it shows a page and changes nothing. A new link for the same person invalidates the previous one.";

export const peopleRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/api/v1/households/{id}/sign-in-links",
    access: "operator",
    summary: "A one-time link with which an owner of the household signs in",
    description: LINK_DESCRIPTION,
    body: { description: "The owner to sign in", types: TEXT_TYPES, schema: ownerLinkBodySchema },
    status: 201,
    handle: createOwnerLink,
  }),
  defineMemberRoute({
    method: "post",
    path: "/api/v1/sign-in-links",
    access: "owner",
    summary: "A one-time link with which a person signs in",
    description: `${LINK_DESCRIPTION} A new member needs a role; existing members keep theirs.`,
    body: { description: "The member to sign in", types: TEXT_TYPES, schema: linkBodySchema },
    status: 201,
    handle: createMemberLink,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/people",
    access: "owner",
    summary: "The people who can sign in",
    handle: listPeople,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/api/v1/people/{actor}",
    access: "owner",
    summary: "End a person's passkeys, sessions and grants in this household",
    description:
      "Keys of programs that the person let sign in end, too. Other API keys of the same member are not affected; revoke them separately.",
    handle: removePerson,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/grants",
    access: "owner",
    summary: "The OAuth clients that people of this household authorized",
    handle: listGrants,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/api/v1/grants/{id}",
    access: "owner",
    summary: "Revoke a client's access to this household; it ends within 30 seconds",
    handle: revokeGrant,
  }),
];
