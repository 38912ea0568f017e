/** Records the summaries that threads send, including those of imported threads that were not opened here. */
import { parseThreadRef } from "../../mess/refs.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import type { ThreadCatalogRow } from "./thread-catalog.ts";
import type { Stores } from "../stores.ts";

/**
 * Stores the summary if it is newer than the stored one. Returns the row as it was before, or null if it was not newer.
 * For a ref that the household did not assign, reserves its serial and its client id (decisions 4 and 6).
 */
export function recordSummary(
  { threadCatalog, serials, clientIds }: Pick<Stores, "threadCatalog" | "serials" | "clientIds">,
  summary: ThreadSummary,
  now: number,
): ThreadCatalogRow | null {
  const { ref, requestor, client_id, created } = summary;
  const known = threadCatalog.get(ref);
  if (!known) {
    const parts = parseThreadRef(ref);
    if (parts) serials.raise(parts.day, parts.serial);
    if (client_id !== null) clientIds.add(requestor, client_id, "", ref, created);
  }
  return threadCatalog.recordSummary(summary, now, known);
}
