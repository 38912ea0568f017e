/** The household's part of the index: what it counts, and making it anew from the objects. */
import type { Principal } from "../auth/principal.ts";
import { householdStub } from "../household/stub.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { type Status, STATUSES } from "../mess/status.ts";
import { ok } from "../mess/result.ts";
import { rebuildIndex } from "../partitions/rebuild.ts";
import { countByStatus } from "../partitions/statistics.ts";
import { logDefect } from "../log.ts";
import { threadStub } from "../thread/stub.ts";
import type { Stores } from "./reach.ts";

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

/** Writes every thread's row anew; what the index held besides is removed. Repeating it is safe. */
export async function rebuild(
  env: Stores,
  { household }: Principal,
): Promise<Outcome<{ written: number }>> {
  const catalogue = householdStub(env, household);
  try {
    return ok(
      await rebuildIndex(
        env.INDEX,
        household,
        (after, limit) => catalogue.refs(after, limit),
        (ref) => threadStub(env, household, ref).summary(),
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
