/**
 * `/inbox/messages`: signed-in owners see the messages of all sources of their household, and the drafts that wait for
 * them. One message or draft is changed by the routes below `/sources`, which also take a signed-in session.
 */
import * as z from "zod";
import { type SignedInPerson, authenticatePeople } from "../../../auth/people/browser-caller.ts";
import { buildSessionId } from "../../../auth/links/link-sessions.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { getConfig } from "../../../config.ts";
import {
  listInboxMessages,
  listWaitingDrafts,
  readMessageWithDrafts,
} from "../../../exchange/source-calls/list-inbox-messages.ts";
import { listSources } from "../../../exchange/source-calls/list-sources.ts";
import { searchSourceMessages } from "../../../exchange/source-calls/search-messages.ts";
import { defined } from "../../../mess/defined.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { ok } from "../../../mess/result.ts";
import { SOURCE_LIMITS, TIERS } from "../../../mess/sources/vocabulary.ts";
import { buildBody } from "../../http/build-body.ts";
import {
  flagSchema,
  householdQuerySchema,
  numberSchema,
  sessionSchema,
  shortTextSchema,
} from "../../http/parameters.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { findPerson } from "./find-person.ts";

/** `mail:120,alerts:7`: the cursor of each source that has more messages. */
const afterSchema = boundedTextSchema(3_000)
  .regex(/^[a-z0-9-]{1,32}:\d{1,15}(?:,[a-z0-9-]{1,32}:\d{1,15}){0,49}$/)
  .transform((text) =>
    Object.fromEntries(text.split(",").map((part) => part.split(":") as [string, string])),
  )
  .meta({ type: "string", description: "source:cursor pairs from next, separated by commas." });

const sourceSchema = boundedTextSchema(SOURCE_LIMITS.nameChars).exactOptional();
const tierSchema = z.enum(TIERS).exactOptional();
const limitSchema = numberSchema(1, SOURCE_LIMITS.pageMessages).default(
  SOURCE_LIMITS.defaultPageMessages,
);

const listQuerySchema = z.strictObject({
  session: sessionSchema,
  source: sourceSchema,
  tier: tierSchema,
  unseen: flagSchema,
  flagged: flagSchema,
  after: afterSchema.exactOptional(),
  limit: limitSchema,
});

const searchQuerySchema = z.strictObject({
  session: sessionSchema,
  q: shortTextSchema,
  source: sourceSchema,
  tier: tierSchema,
  limit: limitSchema,
});

async function listOwnSources({ env, request }: NoHouseholdCall): HandlerPromise {
  const people = await authenticatePeople(env, getConfig(env).secret, request);
  if (!people.ok) return people;
  if (people.value.length === 0) return refuseUnauthenticated();
  const owners = people.value.filter(({ role }) => role === "owner");
  const listed = await Promise.all(owners.map((person) => listForOwner(env, person)));
  const failed = listed.find((one) => !one.ok);
  if (failed) return failed;
  return ok({ body: { households: listed.flatMap((one) => (one.ok ? [one.value] : [])) } });
}

async function listForOwner(env: Env, owner: SignedInPerson): Promise<Outcome<object>> {
  const sources = await listSources(env, owner);
  if (!sources.ok) return sources;
  const session = await buildSessionId(owner.household);
  return ok({ session, name: owner.household_name, me: owner.actor, sources: sources.value });
}

async function listMessages(
  call: NoHouseholdCall<z.output<typeof listQuerySchema>>,
): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const { session: _session, unseen, flagged, ...query } = call.query;
  return buildBody(
    await listInboxMessages(call.env, person.value, {
      ...query,
      ...(unseen ? { seen: false } : {}),
      ...(flagged ? { flagged } : {}),
    }),
  );
}

async function searchMessages(
  call: NoHouseholdCall<z.output<typeof searchQuerySchema>>,
): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const { q: text, source, tier, limit } = call.query;
  const search = { text, limit, ...defined({ source, tier }) };
  return buildBody(await searchSourceMessages(call.env, person.value, search));
}

async function readMessage(call: NoHouseholdCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const { env, param } = call;
  return buildBody(await readMessageWithDrafts(env, person.value, param("source"), param("id")));
}

async function listDrafts(call: NoHouseholdCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const listed = await listWaitingDrafts(call.env, person.value);
  return listed.ok ? ok({ body: { drafts: listed.value } }) : listed;
}

const SHARED_ROUTE_FIELDS = { access: "open", method: "get" } as const;

export const inboxMessageRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/inbox/messages",
    summary: "The message sources of the signed-in owner; none for other members",
    query: householdQuerySchema,
    handle: listOwnSources,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/inbox/messages/list",
    summary: "The messages of all sources, newest first; for a signed-in owner",
    description: "Each source gives up to limit messages. next has a cursor for each with more.",
    query: listQuerySchema,
    handle: listMessages,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/inbox/messages/search",
    summary: "Search the messages of all sources, newest first; for a signed-in owner",
    query: searchQuerySchema,
    handle: searchMessages,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/inbox/messages/{source}/{id}",
    summary: "A message of a source with its drafts; for a signed-in owner",
    query: householdQuerySchema,
    handle: readMessage,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    path: "/inbox/drafts",
    summary: "The drafts that wait for an approval, for their time, or that failed",
    query: householdQuerySchema,
    handle: listDrafts,
  }),
];
