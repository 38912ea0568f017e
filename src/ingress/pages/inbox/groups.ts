/**
 * `/inbox/groups`: signed-in people see the AI groups of their household and read along; owners write to all members.
 */
import * as z from "zod";
import { type SignedInPerson, authenticatePeople } from "../../../auth/people/browser-caller.ts";
import { buildSessionId } from "../../../auth/links/link-sessions.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { getConfig } from "../../../config.ts";
import { listGroups } from "../../../exchange/group-calls/group-memberships.ts";
import { announceToGroup, showGroup } from "../../../exchange/group-calls/show-group.ts";
import { defined } from "../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { contentSchema } from "../../../mess/groups/fields.ts";
import { isPoolId } from "../../../mess/groups/vocabulary.ts";
import { refuseGroupNotFound } from "../../../mess/groups/refusals.ts";
import { ok } from "../../../mess/result.ts";
import { householdQuerySchema, numberSchema } from "../../http/parameters.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import { streamGroupEvents } from "../../streams/group-events.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { findPerson } from "./find-person.ts";

type HouseholdCall = NoHouseholdCall<z.output<typeof householdQuerySchema>>;

const pageQuerySchema = z.strictObject({
  ...householdQuerySchema.shape,
  before: numberSchema(1, Number.MAX_SAFE_INTEGER)
    .describe("Only messages before this position: the next older page.")
    .exactOptional(),
});
const announcementSchema = z.strictObject({ text: contentSchema });

async function listOwnGroups({ env, request }: HouseholdCall): HandlerPromise {
  const people = await authenticatePeople(env, getConfig(env).secret, request);
  if (!people.ok) return people;
  if (people.value.length === 0) return refuseUnauthenticated();
  const listed = await Promise.all(people.value.map((person) => listForPerson(env, person)));
  const failed = listed.find((one) => !one.ok);
  if (failed) return failed;
  return ok({ body: { groups: listed.flatMap((one) => (one.ok ? one.value : [])) } });
}

async function listForPerson(env: Env, person: SignedInPerson): Promise<Outcome<object[]>> {
  const { household, household_name, role } = person;
  const groups = await listGroups(env, person);
  if (!groups.ok) return groups;
  const session = await buildSessionId(household);
  return ok(
    groups.value.map(({ my_ids: _ids, ...group }) => ({
      session,
      household: household_name,
      ...group,
      may_announce: role === "owner" && group.status === "open",
    })),
  );
}

async function readGroup(call: NoHouseholdCall<z.output<typeof pageQuerySchema>>): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const { before } = call.query;
  const shown = await showGroup(call.env, person.value, call.param("group"), defined({ before }));
  if (!shown.ok) return shown;
  const { page, ...group } = shown.value;
  const may_announce = person.value.role === "owner" && group.status === "open";
  return ok({ body: { group: { ...group, may_announce }, ...page } });
}

async function watchGroup(call: HouseholdCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  if (isPoolId(call.param("group"))) return refuseGroupNotFound();
  const { env, param, request } = call;
  return await streamGroupEvents({ env, param, request, principal: person.value });
}

async function announce(call: HouseholdCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  if (call.key === undefined) return refuseMissingKey();
  const read = await readObject(call.request, announcementSchema);
  if (!read.ok) return read;
  const sent = await announceToGroup(call.env, person.value, call.param("group"), {
    content: read.value.text,
    key: call.key,
  });
  return sent.ok ? ok({ body: sent.value }) : sent;
}

const refuseMissingKey = () =>
  refuse(
    "missing_field",
    "the header Idempotency-Key is missing",
    "Send a new random key with each message, and the same key when you repeat the call.",
    { path: "Idempotency-Key" },
  );

const SHARED_ROUTE_FIELDS = { access: "open", query: householdQuerySchema } as const;

export const inboxGroupRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    method: "get",
    path: "/inbox/groups",
    summary: "The AI groups of the signed-in person; all groups for an owner",
    handle: listOwnGroups,
  }),
  defineNoHouseholdRoute({
    access: "open",
    method: "get",
    path: "/inbox/groups/{group}",
    summary: "An AI group with its members, open tasks and messages, newest first",
    query: pageQuerySchema,
    handle: readGroup,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    method: "get",
    path: "/inbox/groups/{group}/events",
    summary: "A stream of the messages of an AI group that the signed-in person may read",
    produces: "text/event-stream",
    handle: watchGroup,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    method: "post",
    path: "/inbox/groups/{group}/announcements",
    summary: "Send a message of a signed-in owner to all members of an AI group",
    body: { description: "The text", types: TEXT_TYPES, schema: announcementSchema },
    handle: announce,
  }),
];
