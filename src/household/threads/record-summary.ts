/** What a thread tells of itself becomes the household's: also of one that came from a file and was never opened here. */
import { parseThreadRef } from "../../mess/refs.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import type { ThreadCatalogRow } from "./thread-catalog.ts";
import type { Stores } from "../stores.ts";

/**
 * Keeps the summary where it is newer, and returns the row as it was before, or null where it was not. A ref that
 * the household never gave out takes its serial, and its client id, from now on (decisions 4 and 6).
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
