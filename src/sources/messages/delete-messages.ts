/** Deletes messages with their drafts that were not sent, and their bytes. Runs inside the caller's transaction. */
import { deleteUnsentDrafts } from "../outbox/delete-drafts.ts";
import { listKeys } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { addDeletion } from "./delete-bytes.ts";
import { putIndexJob } from "./receive-messages.ts";

export function deleteMessages(store: SourceStore, seqs: readonly number[], now: number): void {
  if (seqs.length === 0) return;
  const keys = seqs.flatMap((seq) => {
    const used = new Set(deleteUnsentDrafts(store, seq));
    return listKeys(store.changes.delete(seq)).filter((key) => !used.has(key));
  });
  addDeletion(store, keys, now);
  putIndexJob(store, now);
}
