/** Deletes bytes in R2 after the commit that made them superfluous. */
import { deleteBlobs } from "../../attachments/blob-store.ts";
import type { SourceStore } from "../tables/source-store.ts";

/** Keys of one job, which bounds its row. */
const MAX_KEYS_PER_JOB = 1_000;

/** Adds jobs inside the caller's transaction. */
export function addDeletion({ jobs }: SourceStore, keys: readonly string[], now: number): void {
  for (let at = 0; at < keys.length; at += MAX_KEYS_PER_JOB) {
    const part = keys.slice(at, at + MAX_KEYS_PER_JOB);
    jobs.add("deleteBytes", `bytes ${part[0]}`, { keys: part }, now);
  }
}

export const deleteBytes = async (
  { BLOBS }: Pick<Env, "BLOBS">,
  keys: readonly string[],
): Promise<void> => deleteBlobs(BLOBS, keys);
