/** Deletes blobs that no thread refers to: unused uploads, and remains of crashes between two steps. */
import { defined } from "../mess/defined.ts";
import { deleteBlobs } from "./blob-store.ts";

const buildDayPrefix = (household: string, day: string): string => `${household}/${day}/`;

/** Returns whether blobs that were stored on the UTC day still exist. */
export async function hasBlobsOfDay(
  bucket: R2Bucket,
  household: string,
  day: string,
): Promise<boolean> {
  const { objects } = await bucket.list({ prefix: buildDayPrefix(household, day), limit: 1 });
  return objects.length > 0;
}

/**
 * Deletes the household's unreferenced blobs of one day.
 * @param day the UTC day of storing, such as `2026-02-01`
 * @param referenced keys that threads refer to
 * @param olderThan blobs stored at or after it are kept, since a message may be about to refer to them
 * @returns the number of deleted blobs
 */
export async function deleteUnreferencedBlobs(
  bucket: R2Bucket,
  household: string,
  day: string,
  referenced: ReadonlySet<string>,
  olderThan: Date,
): Promise<number> {
  const prefix = buildDayPrefix(household, day);
  let deleted = 0;
  let cursor: string | undefined;
  do {
    const page: R2Objects = await bucket.list({
      prefix,
      ...defined({ cursor }),
    });
    const unused = page.objects
      .filter(({ key, uploaded }) => uploaded < olderThan && !referenced.has(key))
      .map(({ key }) => key);
    await deleteBlobs(bucket, unused);
    deleted += unused.length;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return deleted;
}
