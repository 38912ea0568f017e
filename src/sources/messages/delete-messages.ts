/** Deletes messages with their drafts that were not sent, and their bytes. */
import { listApprovedKeys } from "../outbox/approved-files.ts";
import { deleteUnsentDrafts } from "../outbox/delete-drafts.ts";
import { listKeys } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { addDeletion, deleteBytes } from "./delete-bytes.ts";
import { putIndexJob } from "./receive-messages.ts";

const MAX_ERASED_PER_STEP = 500;

/** Runs inside the caller's transaction. */
export function deleteMessages(store: SourceStore, seqs: readonly number[], now: number): void {
  if (seqs.length === 0) return;
  const keys = seqs.flatMap((seq) => {
    const used = new Set(deleteUnsentDrafts(store, seq, now));
    store.classifier.forget(seq);
    return listKeys(store.changes.delete(seq)).filter((key) => !used.has(key));
  });
  addDeletion(store, keys, now);
  putIndexJob(store, now);
}

/** Deletes the bytes of all messages of a source that is deleted, a page at a time. */
export async function eraseMessages(
  env: Pick<Env, "BLOBS" | "HOUSEHOLDS">,
  household: string,
  store: SourceStore,
): Promise<void> {
  const approved = listApprovedKeys(store);
  if (approved.length > 0) await deleteBytes(env, household, approved);
  for (let after = 0; ;) {
    const found = store.messages.listFiles(after, MAX_ERASED_PER_STEP);
    const keys = found.flatMap(({ files }) => listKeys(files));
    if (keys.length > 0) await deleteBytes(env, household, keys);
    if (found.length < MAX_ERASED_PER_STEP) return;
    after = found.at(-1)!.seq;
  }
}
