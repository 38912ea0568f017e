/** The household's part of the index: what it counts, and making it anew from the objects. */
import { householdStub, threadStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { type Status, STATUSES } from "../mess/status.ts";
import { ok } from "../mess/result.ts";
import { rebuildIndex } from "../partitions/rebuild.ts";
import { countByStatus } from "../partitions/statistics.ts";
import { logDefect } from "../log.ts";
import type { Part } from "./export-threads.ts";
import type { Stores } from "./with-thread.ts";

export interface Statistics {
  threads: number;
  /** Every status, 0 where no thread has it. */
  by_status: Record<Status, number>;
}

export async function statistics(
  env: Stores,
  { household }: Principal,
): Promise<Outcome<Statistics>> {
  const counted = await countByStatus(env.INDEX, household);
  if (!counted.ok) return counted;
  const rows = STATUSES.map((status) => [status, counted.value[status] ?? 0] as const);
  return ok({
    threads: rows.reduce((sum, [, count]) => sum + count, 0),
    by_status: Object.fromEntries(rows) as Record<Status, number>,
  });
}

/** Threads that one call may ask: each costs a request to its object, of which an invocation has a limited number. */
const MOST = 500;

/**
 * Writes the rows of a part of the threads anew; with the last part, what the index held besides is removed.
 * Repeating it is safe.
 */
export async function rebuild(
  env: Stores,
  { household }: Principal,
  { after, limit = MOST }: Part,
): Promise<Outcome<{ written: number; next?: string }>> {
  const catalogue = householdStub(env, household);
  try {
    return ok(
      await rebuildIndex(
        env.INDEX,
        household,
        {
          refs: (from, count) => catalogue.refs(from, count),
          summary: (ref) => threadStub(env, household, ref).summary(),
          unknownRefs: (refs) => catalogue.unknownRefs(refs),
        },
        after ?? null,
        Math.min(limit, MOST),
      ),
    );
  } catch (error) {
    logDefect(error, { household, during: "rebuild" });
    return refuse(
      "index_unavailable",
      "the index could not be written",
      "Try again: what is written already stays.",
    );
  }
}
