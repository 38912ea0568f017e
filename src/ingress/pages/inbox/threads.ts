/**
 * `GET /inbox/threads`: the threads of the inbox, for the signed-in person or for the links that the browser has
 * opened.
 */
import type { WorkerSecret } from "../../../auth/worker-secret.ts";
import * as z from "zod";
import { getHouseholdStub } from "../../../stubs.ts";
import { type SignedInPerson, authenticatePeople } from "../../../auth/people/browser-caller.ts";
import { readLinkSessions, buildSessionId } from "../../../auth/links/link-sessions.ts";
import type { LinkInput } from "../../../auth/links/links.ts";
import type { Principal } from "../../../auth/principal.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { getConfig } from "../../../config.ts";
import {
  INBOX_GROUPS,
  type InboxFilter,
  type InboxGroup,
  type InboxThread,
  listInbox,
  readNames,
  readLinkedThreads,
} from "../../../exchange/lists/list-inbox.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { inboxQuerySchema } from "../../http/parameters.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";

type InboxCall = NoHouseholdCall<z.output<typeof inboxQuerySchema>>;

interface ListedGroups {
  threads: InboxThread[];
  /** The cursor of each group for the next page. */
  next: Partial<Record<InboxGroup, string>>;
  /** Whether the index responded. */
  complete: boolean;
}

async function readInbox({ env, request, query }: InboxCall): HandlerPromise {
  const { secret } = getConfig(env);
  const people = await authenticatePeople(env, secret, request);
  if (!people.ok) return people;
  const links = await listOpenLinks(secret, request, people.value);
  if (people.value.length === 0 && links.length === 0) return refuseUnauthenticated();
  const { group, ...filter } = query;
  const groups = group === undefined ? INBOX_GROUPS : [group];
  const [listed, linked] = await Promise.all([
    listGroups(env, people.value, groups, filter),
    // Links give few threads, all on the first page.
    readLinkedThreads(env, filter.cursor === undefined ? links : []),
  ]);
  if (!listed.ok) return listed;
  const terms = (filter.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const matching = linked.threads.filter(
    (thread) =>
      groups.includes(thread.group) &&
      terms.every((term) => thread.intent.toLowerCase().includes(term)),
  );
  const { threads, next, complete } = listed.value;
  return ok({
    body: {
      households: await Promise.all(people.value.map((one) => toPageHousehold(env, one))),
      threads: await toPageThreads(env, [...threads, ...matching]),
      ended: await Promise.all(
        linked.ended.map(async ({ household, ...one }) => ({
          ...one,
          session: await buildSessionId(household),
        })),
      ),
      next,
      complete,
    },
  });
}

/** Active links, except those of signed-in members, who see these threads anyway. */
async function listOpenLinks(
  secret: WorkerSecret,
  request: Request,
  people: readonly Principal[],
): Promise<LinkInput[]> {
  const links = await readLinkSessions(secret, request);
  return links.filter(
    ({ expired, household, executor }) =>
      !expired && !people.some((one) => one.household === household && one.actor === executor),
  );
}

/** The groups of the index. If it is unavailable, only threads of links are listed and `complete` is false. */
async function listGroups(
  env: Env,
  people: readonly Principal[],
  groups: readonly InboxGroup[],
  filter: InboxFilter,
): Promise<Outcome<ListedGroups>> {
  const listed: ListedGroups = { threads: [], next: {}, complete: true };
  if (people.length === 0) return ok(listed);
  const pages = await Promise.all(groups.map((group) => listInbox(env, people, group, filter)));
  for (const [index, page] of pages.entries()) {
    if (page.ok) {
      listed.threads.push(...page.value.threads);
      const { next_cursor } = page.value;
      if (next_cursor !== undefined) listed.next[groups[index]!] = next_cursor;
    } else if (page.error.code === "index_unavailable") listed.complete = false;
    else return page;
  }
  return ok(listed);
}

async function toPageHousehold(
  env: Env,
  { household, household_name, actor }: SignedInPerson,
): Promise<object> {
  const [session, names, availability] = await Promise.all([
    buildSessionId(household),
    readNames(env, household),
    getHouseholdStub(env, household).contacts.getAvailability(actor),
  ]);
  return {
    session,
    name: household_name,
    me: actor,
    my_name: names.get(actor) ?? actor,
    availability,
  };
}

/** Threads in the page's form: households by session id, members by display name. */
async function toPageThreads(env: Env, threads: readonly InboxThread[]): Promise<object[]> {
  const households = [...new Set(threads.map(({ household }) => household))];
  const known = new Map(
    await Promise.all(
      households.map(
        async (one) =>
          [one, { session: await buildSessionId(one), names: await readNames(env, one) }] as const,
      ),
    ),
  );
  return threads.map(({ household, requestor, executor, ...thread }) => {
    const { session, names } = known.get(household)!;
    const toMember = (id: string) => ({ id, name: names.get(id) ?? id });
    return {
      ...thread,
      session,
      requestor: toMember(requestor),
      executor: executor === null ? null : toMember(executor),
    };
  });
}

export const threadRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/inbox/threads",
    access: "open",
    summary:
      "The threads of the signed-in person, or of the links that this browser has opened, in groups",
    description:
      "complete is false if the index is unavailable: then only the threads of links are listed. next has a cursor for each group with more threads.",
    query: inboxQuerySchema,
    handle: readInbox,
  }),
];
