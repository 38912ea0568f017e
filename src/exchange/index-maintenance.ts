/** Statistics and rebuilding of the household's part of the index. */
import { getGroupStub, getHouseholdStub, getSourceStub, getThreadStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { type Status, STATUSES } from "../mess/status.ts";
import { ok } from "../mess/result.ts";
import { rebuildIndex } from "../partitions/rebuild.ts";
import { upsertThread } from "../partitions/upsert.ts";
import { countByStatus } from "../partitions/statistics.ts";
import { logDefect } from "../log.ts";
import type { ThreadRange } from "./archives/export-threads.ts";
import type { ExchangeBindings } from "./with-thread.ts";

export interface Statistics {
  threads: number;
  /** Number of threads for every status, including 0. */
  by_status: Record<Status, number>;
}

export async function getStatistics(
  env: ExchangeBindings,
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

/**
 * Lists a thread in the index now, so that the next list of a caller who does not wait for it shows its change. The
 * thread's own job repeats a failure. Returns the thread's status.
 */
export async function indexThread(
  env: Pick<ExchangeBindings, "THREADS" | "INDEX">,
  household: string,
  ref: string,
): Promise<Status | undefined> {
  const summary = await getThreadStub(env, household, ref).getSummary();
  if (summary) await upsertThread(env.INDEX, summary).catch(() => undefined);
  return summary?.status;
}

/** Each thread costs a request to its object, and the platform limits the requests of one invocation. */
const MAX_THREADS_PER_CALL = 500;

/**
 * Rebuilds the index rows of a part of the threads; after the last part, deletes rows without a thread, and starts to
 * index the messages of AI groups and sources again. Repeating it is safe.
 */
export async function rebuildHouseholdIndex(
  env: ExchangeBindings,
  { household }: Principal,
  { after, limit = MAX_THREADS_PER_CALL }: ThreadRange,
): Promise<Outcome<{ written: number; next?: string }>> {
  const catalog = getHouseholdStub(env, household);
  try {
    const rebuilt = await rebuildIndex(
      env.INDEX,
      household,
      {
        listRefs: (from, count) => catalog.threads.listRefs(from, count),
        getSummary: (ref) => getThreadStub(env, household, ref).getSummary(),
        findUnknownRefs: (refs) => catalog.threads.findUnknownRefs(refs),
      },
      after ?? null,
      Math.min(limit, MAX_THREADS_PER_CALL),
    );
    // Groups and sources write their messages again themselves, which may take longer than this call.
    if (rebuilt.next === undefined) {
      for (const id of await catalog.groups.listIds())
        await getGroupStub(env, household, id).reindex();
      for (const name of await catalog.sources.listNames())
        await getSourceStub(env, household, name).messages.reindex();
    }
    return ok(rebuilt);
  } catch (error) {
    logDefect(error, { household, during: "rebuild" });
    return refuse(
      "index_unavailable",
      "the index could not be written",
      "Try again; rows that were written are kept.",
    );
  }
}
