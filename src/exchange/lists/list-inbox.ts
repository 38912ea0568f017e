/**
 * Lists the inbox of a browser: the threads of every household in which it is signed in, from the index, and those
 * of the links that it has opened, from the thread objects.
 */
import { defined } from "../../mess/defined.ts";
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import { toLinkPrincipal, type LinkInput } from "../../auth/links/links.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { isFinal, type Status, STATUSES } from "../../mess/status.ts";
import { readTime } from "../../mess/times.ts";
import { writeCursor } from "../../partitions/cursor.ts";
import { type ListedThread, queryThreads } from "../../partitions/list.ts";
import { toListedEnvelope } from "./list-envelope.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** mine: held by the person. open: offered, unclaimed. waiting: for an answer. done: ended by the person. */
export const INBOX_GROUPS = ["mine", "open", "waiting", "done"] as const;
export type InboxGroup = (typeof INBOX_GROUPS)[number];

type InboxRow = Pick<ListedThread, "status" | "executor" | "requestor">;

export interface InboxThread extends ReturnType<typeof toListedEnvelope> {
  household: string;
  group: InboxGroup;
  /** The member that the browser is signed in as. */
  me: string;
}

export interface InboxPage {
  threads: InboxThread[];
  /** Cursor of the next page; absent on the last page. */
  next_cursor?: string;
}

const WAITING_STATUSES: readonly Status[] = ["needs_input", "needs_confirmation"];
const OPEN_STATUSES: readonly Status[] = ["pending", "retrying"];
const DONE_STATUSES = STATUSES.filter((status) => status === "partial" || isFinal(status));
const HOLDER_STATUSES = STATUSES.filter(
  (one) => ![...WAITING_STATUSES, ...OPEN_STATUSES, ...DONE_STATUSES].includes(one),
);

const STATUSES_BY_GROUP: Readonly<Record<InboxGroup, readonly Status[]>> = {
  mine: HOLDER_STATUSES,
  open: OPEN_STATUSES,
  waiting: WAITING_STATUSES,
  done: DONE_STATUSES,
};

/** Returns the member's group of the thread; undefined where another member handles it. */
function getGroup({ status, executor, requestor }: InboxRow, me: string): InboxGroup | undefined {
  if (WAITING_STATUSES.includes(status))
    return executor === null || [executor, requestor].includes(me) ? "waiting" : undefined;
  if (OPEN_STATUSES.includes(status) && executor === null)
    return requestor === me ? undefined : "open";
  if (executor !== me) return undefined;
  return DONE_STATUSES.includes(status) ? "done" : "mine";
}

export interface InboxFilter {
  q?: string;
  limit: number;
  cursor?: string;
}

/** Returns one page of a group over all households of the session, newest change first. */
export async function listInbox(
  env: ExchangeBindings,
  people: readonly Principal[],
  group: InboxGroup,
  { q, limit, cursor }: InboxFilter,
): Promise<Outcome<InboxPage>> {
  const byExecutor = group === "mine" || group === "done";
  const found: (ListedThread & { principal: Principal })[] = [];
  let hasMore = false;
  for (const principal of people) {
    const { household, actor } = principal;
    const listed = await queryThreads(env.INDEX, household, {
      ...(byExecutor ? { executor: actor } : { participant: actor }),
      status: [...STATUSES_BY_GROUP[group]],
      limit,
      ...defined({ q, cursor }),
    });
    if (!listed.ok) return listed;
    hasMore ||= listed.value.next_cursor !== undefined;
    found.push(...listed.value.threads.map((thread) => ({ ...thread, principal })));
  }
  const newest = found.toSorted((a, b) => b.updated - a.updated || (a.ref < b.ref ? 1 : -1));
  const page = newest.slice(0, limit);
  const last = page.at(-1);
  const threads = page
    .filter((thread) => getGroup(thread, thread.principal.actor) === group)
    .map(({ principal: { household, actor: me }, ...thread }) => {
      return { ...toListedEnvelope(thread), household, group, me };
    });
  return ok(
    (hasMore || newest.length > limit) && last
      ? { threads, next_cursor: writeCursor([last.updated, last.ref]) }
      : { threads },
  );
}

/** A thread that ended together with its link; the browser may still show its last known state. */
export interface EndedLink {
  household: string;
  ref: string;
  status: string;
}

/** Reads the threads of the links, newest change first. Threads of inactive links are left out. */
export async function readLinkedThreads(
  env: Pick<Env, "THREADS">,
  links: readonly LinkInput[],
): Promise<{ threads: InboxThread[]; ended: EndedLink[] }> {
  const threads: InboxThread[] = [];
  const ended: EndedLink[] = [];
  await Promise.all(
    links.map(async (link) => {
      const { household, ref, executor: me } = link;
      const read = await getThreadStub(env, household, ref).readThread(
        toLinkPrincipal(link),
        Number.MAX_SAFE_INTEGER,
      );
      if (!read.ok) {
        const { status } = read.error as { status?: string };
        if (status !== undefined) ended.push({ household, ref, status });
        return;
      }
      const { history: _history, ...envelope } = read.value.envelope;
      const group = getGroup(envelope, me);
      if (group) threads.push({ ...envelope, household, group, me });
    }),
  );
  const getUpdatedMs = ({ updated }: InboxThread): number => readTime(updated, "UTC") ?? 0;
  return {
    threads: threads.toSorted(
      (a, b) => getUpdatedMs(b) - getUpdatedMs(a) || (a.ref < b.ref ? 1 : -1),
    ),
    ended,
  };
}

/** Returns the display names of the household's executors and agents by id. */
export async function readNames(
  env: Pick<Env, "HOUSEHOLDS">,
  household: string,
): Promise<ReadonlyMap<string, string>> {
  return new Map(Object.entries(await getHouseholdStub(env, household).settings.listNames()));
}
