/** Lists of threads over the state partitions, and search in them. Derived: a read by ref needs none of this. */
import type { Envelope } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { Partition, Status } from "../mess/status.ts";
import { type Place, readCursor, writeCursor } from "./cursor.ts";
import { listStatement, searchStatement, type Wanted, wantedStatuses } from "./list-query.ts";
import { fromIndex } from "./index-timeout.ts";
import { matchExpression } from "./search-terms.ts";

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

const LARGEST_PAGE = 200;

/**
 * One page of the household's threads, the newest change first, those of one instant by ref downwards.
 *
 * A thread that changes while the pages are read moves to the front: it may be seen twice, never lost. A search
 * looks at the newest 1,000 matches. Refuses with `bad_parameter` (cursor, limit) and `index_unavailable`.
 */
export async function listThreads(
  db: D1Database,
  household: string,
  filter: ListFilter,
): Promise<Outcome<ListedThreads>> {
  const { cursor, q, limit, ...conditions } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE)
    return refuse("bad_parameter", "no page has this size", `Ask for 1 to ${LARGEST_PAGE}.`, {
      path: "limit",
    });
  const place = cursor === undefined ? undefined : readCursor(cursor);
  if (place && !place.ok) return place;
  const after = place ? { after: place.value } : {};
  const statements = statementsFor(db, q, { ...conditions, household, ...after, count: limit + 1 });
  if (statements.length === 0) return ok({ threads: [] });
  const answered = await fromIndex(db.batch<ListedThread>(statements));
  if (!answered.ok) return answered;
  return ok(page(answered.value.flatMap(({ results }) => results).toSorted(byNewest), limit));
}

function statementsFor(
  db: D1Database,
  q: string | undefined,
  wanted: Wanted,
): D1PreparedStatement[] {
  const statuses = wantedStatuses(wanted);
  if (q === undefined || q.trim() === "")
    return statuses.map((status) => listStatement(db, wanted, status));
  const match = matchExpression(wanted.household, q);
  return match === undefined || statuses.length === 0
    ? []
    : [searchStatement(db, wanted, match, statuses)];
}

/** The order of the indexes: refs are ASCII, so SQLite's bytes and these code units agree. */
const byNewest = (a: ListedThread, b: ListedThread): number =>
  b.updated - a.updated || (a.ref < b.ref ? 1 : -1);

function page(rows: readonly ListedThread[], limit: number): ListedThreads {
  const threads = rows.slice(0, limit);
  const last = threads.at(-1);
  if (rows.length <= limit || !last) return { threads };
  const place: Place = [last.updated, last.ref];
  return { threads, next_cursor: writeCursor(place) };
}
