/** Records the summaries that threads send, including those of imported threads that were not opened here. */
import { parseThreadRef } from "../../mess/refs.ts";
import { isFinal } from "../../mess/status.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import type { ThreadCatalogRow } from "./thread-catalog.ts";
import { endRequestClaim } from "../memberships/pools/assign-request.ts";
import { queueHooks } from "../hooks/hook-jobs.ts";
import { showRequest } from "../message-sources/show-requests.ts";
import type { Stores } from "../stores.ts";

/**
 * Stores the summary if it is newer than the stored one. Returns the row as it was before, or null if it was not newer.
 * For a ref that the household did not assign, reserves its serial and its client id (decisions 4 and 6).
 */
export function recordSummary(
  { threadCatalog, serials, deletedThreads }: Stores,
  summary: ThreadSummary,
  now: number,
): ThreadCatalogRow | null {
  const { ref } = summary;
  const known = threadCatalog.get(ref);
  if (!known) {
    // A summary that the thread sent before it was deleted.
    if (deletedThreads.find(ref)) return null;
    const parts = parseThreadRef(ref);
    if (parts) serials.raise(parts.day, parts.serial);
  }
  return threadCatalog.recordSummary(summary, now, known);
}

interface SummaryChange {
  /** The change has added jobs, so the alarm must be set again. */
  hasNewJobs: boolean;
}

/**
 * Records the summary and its consequences: events, the end of access, dependent threads, and threads that joined this
 * one. Returns undefined where the summary is not newer. Run it in one transaction.
 */
export function applySummary(
  stores: Stores,
  summary: ThreadSummary,
  now: number,
): SummaryChange | undefined {
  const { ref, status, executor } = summary;
  const addedJobs = stores.jobs.addedCount;
  const before = recordSummary(stores, summary, now);
  if (!before) return undefined;
  const isNew = before.seq === 0;
  const hasNewStatus = before.status !== status;
  stores.revocations.endRemovedParticipants(before, summary, now);
  showRequest(stores, summary, { participants: before.participants, isNew }, now);
  queueHooks(stores, summary, before, now);
  if (isNew) stores.dependencies.notifyCreated(ref, now);
  if (isNew || hasNewStatus || before.executor !== executor) stores.events.appendStatus(summary);
  if (hasNewStatus && isFinal(status)) stores.dependencies.notifyDependents(ref, status, now);
  for (const member of new Set([before.executor, executor]))
    if (member !== null && (member !== executor || isFinal(status)))
      endRequestClaim(stores, { agent: member, ref }, now);
  const unnotified = isFinal(status) ? stores.observations.takeUnnotified(ref) : [];
  for (const joined of unnotified)
    stores.jobs.add("inform", `answer ${joined}`, { ref: joined, of: ref }, now);
  return { hasNewJobs: stores.jobs.addedCount > addedJobs };
}
