/** The jobs of a thread: its summary for the index and for the household, accepted suggestions, audit entries. */
import type { ThreadSummary } from "../contracts/thread.ts";
import { type DerivedJob, DerivedJobs } from "../object/derived-jobs.ts";
import { exponential } from "../object/retry.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { upsertThread } from "../partitions/upsert.ts";
import { getHouseholdStub } from "../stubs.ts";
import { buildSummary } from "./summary/summary.ts";
import { SummarySpacing } from "./summary/summary-spacing.ts";
import type { SyncTarget, ThreadLog } from "./thread-log.ts";

const TIMEOUT_MS = 10_000;
/** An unreachable index or household is called again without a limit of attempts. */
const RETRY = exponential(2_000, 5 * 60_000);
/** Minimum time between two summaries for one target. */
const SPACING_MS: Readonly<Record<SyncTarget, number>> = { indexed: 500, told: 250 };

export type ThreadJobs = DerivedJobs<SyncTarget | "effects">;

export function createThreadJobs(
  env: Pick<Env, "INDEX" | "HOUSEHOLDS">,
  log: ThreadLog,
): ThreadJobs {
  const getHousehold = () => getHouseholdStub(env, log.getSyncState().household);

  /** A burst of changes costs one call, since a call has the newest summary. */
  const createSummaryJob = (
    target: SyncTarget,
    send: (summary: ThreadSummary) => Promise<void>,
  ): DerivedJob => {
    const spacing = new SummarySpacing(SPACING_MS[target], () => buildSummary(log));
    return {
      isNeeded: () => log.getSyncState()[target] < log.getSyncState().seq,
      run: async () => {
        const summary = await spacing.waitForNext();
        await withTimeout(TIMEOUT_MS, send(summary));
        log.recordSync(target, summary.seq);
        return "done";
      },
      retryDelayMs: RETRY,
    };
  };

  return new DerivedJobs({
    indexed: createSummaryJob("indexed", (summary) => upsertThread(env.INDEX, summary)),
    // The household has no search.
    told: createSummaryJob("told", (summary) =>
      getHousehold().threads.recordSummary({ ...summary, text: "" }),
    ),
    // The row of an effect or of an audit entry is its job: it is deleted when the household has it (decision 69).
    effects: {
      isNeeded: () => log.listEffects().length > 0,
      run: async () => {
        for (const { n, effect } of log.listEffects()) {
          const { audit, threads } = getHousehold();
          const taken =
            effect.type === "audit"
              ? audit.recordReport(effect.record)
              : threads.enqueueEffect(log.getState().ref, effect);
          await withTimeout(TIMEOUT_MS, taken);
          log.deleteEffect(n);
        }
        return "done";
      },
      retryDelayMs: RETRY,
    },
  });
}
