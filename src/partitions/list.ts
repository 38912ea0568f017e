/** Lists of threads over the state partitions, and search in them. Derived: a read by ref needs none of this. */
import type { Envelope } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { Partition, Status } from "../mess/status.ts";
import { type ListPosition, readCursor, writeCursor } from "./cursor.ts";
import {
  buildListStatement,
  buildSearchStatement,
  type ListConditions,
  listStatuses,
} from "./list-query.ts";
import { readIndex } from "./index-timeout.ts";
import { buildMatchExpression } from "./search-terms.ts";

/** Everything given must be true of a thread. */
export interface ListFilter {
  /** Takes part in it: as requestor, as holder, or as one to whom it was offered. */
  participant?: string;
  state?: Partition;
  /** Any of them. */
  status?: Status[];
  /** Holds it. */
  executor?: string;
  /** Any of them holds it. */
  holders?: readonly string[];
  requestor?: string;
  /** Changed at or after, in milliseconds. */
  since?: number;
  /** Words as a person types them: all must occur, the last one as the beginning of a word too. */
  q?: string;
  /** Threads of one page, 1 to 200. */
  limit: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

/** An envelope without its history. Instants are milliseconds, to be written in `zone` (decision 7). */
export interface ListedThread extends Pick<
  Envelope,
  "ref" | "requestor" | "executor" | "status" | "intent" | "priority"
> {
  client_id: string | null;
  partition: Partition;
  zone: string;
  created: number;
  updated: number;
  expires: number | null;
}

export interface ListedThreads {
  threads: ListedThread[];
  /** Absent on the last page. */
  next_cursor?: string;
}

const MAX_PAGE_SIZE = 200;

/**
 * One page of the household's threads, the newest change first, those of one instant by ref downwards.
 *
 * A thread that changes while the pages are read moves to the front: it may be seen twice, never lost. A search
 * looks at the newest 1,000 matches. Refuses with `bad_parameter` (cursor, limit) and `index_unavailable`.
 */
export async function queryThreads(
  db: D1Database,
  household: string,
  filter: ListFilter,
): Promise<Outcome<ListedThreads>> {
  const { cursor, q, limit, ...conditions } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE)
    return refuse("bad_parameter", "no page has this size", `Ask for 1 to ${MAX_PAGE_SIZE}.`, {
      path: "limit",
    });
  const position = cursor === undefined ? undefined : readCursor(cursor);
  if (position && !position.ok) return position;
  const after = position ? { after: position.value } : {};
  const statements = buildStatements(db, q, {
    ...conditions,
    household,
    ...after,
    count: limit + 1,
  });
  if (statements.length === 0) return ok({ threads: [] });
  const answered = await readIndex(db.batch<ListedThread>(statements));
  if (!answered.ok) return answered;
  return ok(
    buildPage(answered.value.flatMap(({ results }) => results).toSorted(compareNewestFirst), limit),
  );
}

function buildStatements(
  db: D1Database,
  q: string | undefined,
  listConditions: ListConditions,
): D1PreparedStatement[] {
  const statuses = listStatuses(listConditions);
  if (q === undefined || q.trim() === "")
    return statuses.map((status) => buildListStatement(db, listConditions, status));
  const match = buildMatchExpression(listConditions.household, q);
  return match === undefined || statuses.length === 0
    ? []
    : [buildSearchStatement(db, listConditions, match, statuses)];
}

/** The order of the indexes: refs are ASCII, so SQLite's bytes and these code units agree. */
const compareNewestFirst = (a: ListedThread, b: ListedThread): number =>
  b.updated - a.updated || (a.ref < b.ref ? 1 : -1);

function buildPage(rows: readonly ListedThread[], limit: number): ListedThreads {
  const threads = rows.slice(0, limit);
  const last = threads.at(-1);
  if (rows.length <= limit || !last) return { threads };
  const position: ListPosition = [last.updated, last.ref];
  return { threads, next_cursor: writeCursor(position) };
}
