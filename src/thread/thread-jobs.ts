/** The jobs of a thread: its summary for index and household, accepted suggestions, audit entries, deliveries. */
import { deleteBlobs } from "../attachments/blob-store.ts";
import type { ThreadSummary } from "../contracts/thread.ts";
import type { PostReply } from "../delivery/delivery-attempt.ts";
import { DeliveryJobs } from "../delivery/delivery-jobs.ts";
import type { DeliveryPort } from "../delivery/delivery-port.ts";
import { DeliveryReports } from "../delivery/delivery-reports.ts";
import { HOUSEHOLD_RETRY, HOUSEHOLD_TIMEOUT_MS } from "../delivery/household-call.ts";
import { type DerivedJob, DerivedJobs } from "../object/derived-jobs.ts";
import { listOpenSuggestions } from "../mess/thread/state.ts";
import { Jobs } from "../object/jobs.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { upsertThread } from "../partitions/upsert.ts";
import { getHouseholdStub } from "../stubs.ts";
import { createOriginReportJob } from "./origin-reports.ts";
import { buildSummary } from "./summary/summary.ts";
import { SummarySpacing } from "./summary/summary-spacing.ts";
import type { StoredEffect } from "./effect-table.ts";
import type { SyncTarget, ThreadLog } from "./thread-log.ts";

/** Minimum time between two summaries for one target. */
const SPACING_MS: Readonly<Record<SyncTarget, number>> = { indexed: 500, summarized: 250 };

type DerivedKind =
  | SyncTarget
  | "suggestions"
  | "effects"
  | "originReports"
  | "attemptReports"
  | "failureReports";

export type ThreadJobs = Jobs<DerivedKind | "delivery">;

export function createThreadJobs(
  env: Env,
  log: ThreadLog,
  port: DeliveryPort,
  postReply: PostReply,
): ThreadJobs {
  const getHousehold = () => getHouseholdStub(env, log.getSyncState().household);

  // A deleted thread has nothing to report, also where a job of it still runs.
  const isBehind = (target: SyncTarget) =>
    log.exists() && log.getSyncState()[target] < log.getSyncState().seq;
  const createSpacing = (target: SyncTarget) =>
    new SummarySpacing(SPACING_MS[target], () => buildSummary(log));
  const sendSummary = async (target: SyncTarget, summary: ThreadSummary) => {
    const sent =
      target === "indexed"
        ? upsertThread(env.INDEX, summary)
        : // The household has no search.
          getHousehold().threads.recordSummary({
            ...summary,
            text: "",
            moves: log.listMovesAfter(log.getSyncState().summarized),
          });
    await withTimeout(HOUSEHOLD_TIMEOUT_MS, sent);
    log.recordSync(target, summary.seq);
  };

  /** A burst of changes costs one call, since a call has the newest summary. */
  const createSummaryJob = (target: SyncTarget, spacing = createSpacing(target)): DerivedJob => ({
    isNeeded: () => isBehind(target),
    run: async () => {
      const summary = await spacing.waitForNext();
      if (isBehind(target)) await sendSummary(target, summary);
    },
  });

  const carryOut = (effect: StoredEffect["effect"]) => {
    if (effect.type === "deleteBlob") return deleteBlobs(env.BLOBS, [effect.key]);
    const { audit, threads } = getHousehold();
    return effect.type === "audit"
      ? audit.recordReport(effect.record)
      : threads.enqueueEffect(log.getState().ref, effect);
  };

  const spacing = createSpacing("summarized");
  const reports = new DeliveryReports(env, port);
  const derived: Record<DerivedKind, DerivedJob> = {
    indexed: createSummaryJob("indexed"),
    summarized: createSummaryJob("summarized", spacing),
    // A queue of its own, so that it overtakes a summary that waits.
    suggestions: {
      isNeeded: () =>
        isBehind("summarized") && spacing.hasOldSuggestions(listOpenSuggestions(log.readState())),
      run: () => sendSummary("summarized", spacing.takeNow()),
    },
    // The row of an effect or of an audit entry is its job: it is deleted when the household has it (decision 69).
    effects: {
      isNeeded: () => log.effects.list().length > 0,
      run: async () => {
        for (const { n, effect } of log.effects.list()) {
          await withTimeout(HOUSEHOLD_TIMEOUT_MS, carryOut(effect));
          log.effects.delete(n);
        }
      },
    },
    originReports: createOriginReportJob(env, log),
    attemptReports: reports.attemptJob,
    failureReports: reports.failureJob,
  };
  const deliveries = new DeliveryJobs(env, port, postReply, (report) => {
    reports.add(report);
    // At once, because replies are resolved by this report, and the member's queue may run for long.
    void jobs.run("attemptReports");
  });
  const jobs: ThreadJobs = new Jobs<DerivedKind | "delivery">(
    [new DerivedJobs(derived, HOUSEHOLD_RETRY), deliveries],
    () => port.setAlarm(),
  );
  return jobs;
}
