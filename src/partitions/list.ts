/** Lists of threads by state partition, and full-text search. The index is derived from the threads. */
import type { Envelope } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { Partition, Status } from "../mess/status.ts";
import { type ListPosition, readCursor, writeCursor } from "./cursor.ts";
import {
  buildListStatements,
  buildSearchStatement,
  type ListConditions,
  listStatuses,
} from "./list-query.ts";
import { readIndex } from "./index-timeout.ts";
import { buildMatchExpression } from "./search-terms.ts";

/** A thread must meet all conditions that are given. */
export interface ListFilter {
  /** The requestor, the holder or a candidate that was offered the thread. */
  participant?: string;
  /** The reader of an open household: sees requests of message sources only as a participant. */
  reader?: string;
  state?: Partition;
  /** One of these statuses. */
  status?: Status[];
  /** The holder. */
  executor?: string;
  /** One of them is the holder. */
  holders?: readonly string[];
  requestor?: string;
  /** Changed at or after this instant, in milliseconds. */
  since?: number;
  /** Search text: all words must occur, the last one also as the beginning of a word. */
  q?: string;
  /** Page size, 1 to 200. */
  limit: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** An envelope without history. Instants are milliseconds, written in `zone` for callers (decision 7). */
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
 * Returns one page of the household's threads, newest change first; equal times are sorted by descending ref.
 *
 * A thread that changes between pages moves to the front: it may appear twice, but is never missed. A search reads
 * the newest 1,000 matches. Refuses with `bad_parameter` (cursor, limit) and `index_unavailable`.
 */
export async function queryThreads(
  db: D1Database,
  household: string,
  filter: ListFilter,
): Promise<Outcome<ListedThreads>> {
  const { cursor, q, limit, ...conditions } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE)
    return refuse("bad_parameter", "the page size is out of range", `Use 1 to ${MAX_PAGE_SIZE}.`, {
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
    return statuses.flatMap((status) => buildListStatements(db, listConditions, status));
  const match = buildMatchExpression(listConditions.household, q);
  return match === undefined || statuses.length === 0
    ? []
    : [buildSearchStatement(db, listConditions, match, statuses)];
}

/** Sorts like the indexes: refs are ASCII, so SQLite's byte order equals the order of code units. */
const compareNewestFirst = (a: ListedThread, b: ListedThread): number =>
  b.updated - a.updated || (a.ref < b.ref ? 1 : -1);

function buildPage(rows: readonly ListedThread[], limit: number): ListedThreads {
  const threads = rows.slice(0, limit);
  const last = threads.at(-1);
  if (rows.length <= limit || !last) return { threads };
  const position: ListPosition = [last.updated, last.ref];
  return { threads, next_cursor: writeCursor(position) };
}
