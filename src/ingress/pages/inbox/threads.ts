/** `GET /inbox/threads`: what the inbox shows, for who is signed in, or for the links that the browser has opened. */
import * as z from "zod";
import { type Person, signedIn } from "../../../auth/people/browser-caller.ts";
import { linkSessionsOf, sessionId } from "../../../auth/links/link-sessions.ts";
import type { LinkInput } from "../../../auth/links/links.ts";
import type { Principal } from "../../../auth/principal.ts";
import { unauthenticated } from "../../../auth/unauthenticated.ts";
import { configOf } from "../../../config.ts";
import {
  INBOX_GROUPS,
  type InboxFilter,
  type InboxGroup,
  type InboxThread,
  listInbox,
  namesIn,
  readLinked,
} from "../../../exchange/list-inbox.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { inboxQuery } from "../../http/parameters.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../../http/route.ts";

type Call = OpenCall<z.output<typeof inboxQuery>>;

interface Listed {
  threads: InboxThread[];
  /** Where each group goes on. */
  next: Partial<Record<InboxGroup, string>>;
  /** The index answered. */
  complete: boolean;
}

async function readInbox({ env, request, query }: Call): Handled {
  const { secret } = configOf(env);
  const people = await signedIn(env, secret, request);
  if (!people.ok) return people;
  const links = await openLinks(secret, request, people.value);
  if (people.value.length === 0 && links.length === 0) return unauthenticated();
  const { group, ...filter } = query;
  const groups = group === undefined ? INBOX_GROUPS : [group];
  const [listed, linked] = await Promise.all([
    listGroups(env, people.value, groups, filter),
    // A link's threads are few, and all on the first page.
    readLinked(env, filter.cursor === undefined ? links : []),
  ]);
  if (!listed.ok) return listed;
  const words = (filter.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const matching = linked.threads.filter(
    (thread) =>
      groups.includes(thread.group) &&
      words.every((word) => thread.intent.toLowerCase().includes(word)),
  );
  const { threads, next, complete } = listed.value;
  return ok({
    body: {
      households: await Promise.all(people.value.map((one) => shownHousehold(one))),
      threads: await shownThreads(env, [...threads, ...matching]),
      ended: await Promise.all(
        linked.ended.map(async ({ household, ...one }) => ({
          ...one,
          session: await sessionId(household),
        })),
      ),
      next,
      complete,
    },
  });
}

/** Links that still open something, but for those of members who are signed in: these see their threads anyway. */
async function openLinks(
  secret: string,
  request: Request,
  people: readonly Principal[],
): Promise<LinkInput[]> {
  const links = await linkSessionsOf(secret, request);
  return links.filter(
    ({ expired, household, executor }) =>
      !expired && !people.some((one) => one.household === household && one.actor === executor),
  );
}

/** The groups of the index. Where it is down, what the links open is still there, and the page is told. */
async function listGroups(
  env: Env,
  people: readonly Principal[],
  groups: readonly InboxGroup[],
  filter: InboxFilter,
): Promise<Outcome<Listed>> {
  const listed: Listed = { threads: [], next: {}, complete: true };
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

const shownHousehold = async ({ household, household_name, actor }: Person) => ({
  session: await sessionId(household),
  name: household_name,
  me: actor,
});

/** Threads as the page gets them: households by their session, members by their names. */
async function shownThreads(env: Env, threads: readonly InboxThread[]): Promise<object[]> {
  const households = [...new Set(threads.map(({ household }) => household))];
  const known = new Map(
    await Promise.all(
      households.map(
        async (one) =>
          [one, { session: await sessionId(one), names: await namesIn(env, one) }] as const,
      ),
    ),
  );
  return threads.map(({ household, requestor, executor, ...thread }) => {
    const { session, names } = known.get(household)!;
    const member = (id: string) => ({ id, name: names.get(id) ?? id });
    return {
      ...thread,
      session,
      requestor: member(requestor),
      executor: executor === null ? null : member(executor),
    };
  });
}

export const threadRoutes: readonly Route[] = [
  openRoute({
    method: "get",
    path: "/inbox/threads",
    access: "open",
    summary:
      "The threads of who is signed in, or of the links that this browser has opened, in groups",
    description:
      "complete is false where the index does not answer: then only what links open is there. next holds a cursor for each group that goes on.",
    query: inboxQuery,
    handle: readInbox,
  }),
];
