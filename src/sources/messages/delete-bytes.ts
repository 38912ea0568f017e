/** Deletes bytes in R2 after the commit that made them superfluous. */
import { deleteBlobs } from "../../attachments/blob-store.ts";
import { getHouseholdStub } from "../../stubs.ts";
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

/** Deletes the bytes, and lets the household count its stored bytes again. */
export async function deleteBytes(
  env: Pick<Env, "BLOBS" | "HOUSEHOLDS">,
  household: string,
  keys: readonly string[],
): Promise<void> {
  await deleteBlobs(env.BLOBS, keys);
  await getHouseholdStub(env, household).quotas.recountFiles();
}
