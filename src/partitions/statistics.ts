/** Counts the threads of a household by status. */
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { Status } from "../mess/status.ts";
import { readIndex } from "./index-timeout.ts";

const COUNT_SQL = `SELECT status, count(*) AS threads FROM threads INDEXED BY threads_by_status
  WHERE household = ? GROUP BY status`;

/** Returns the number of threads for each status that occurs. Refuses with `index_unavailable`. */
export async function countByStatus(
  db: D1Database,
  household: string,
): Promise<Outcome<Partial<Record<Status, number>>>> {
  const counted = await readIndex(
    db.prepare(COUNT_SQL).bind(household).all<{ status: Status; threads: number }>(),
  );
  if (!counted.ok) return counted;
  return ok(
    Object.fromEntries(counted.value.results.map(({ status, threads }) => [status, threads])),
  );
}
