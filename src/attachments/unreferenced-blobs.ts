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
 * @returns the bytes of the blobs that are left
 */
export async function deleteUnreferencedBlobs(
  bucket: R2Bucket,
  household: string,
  day: string,
  referenced: ReadonlySet<string>,
  olderThan: Date,
): Promise<number> {
  const prefix = buildDayPrefix(household, day);
  let keptBytes = 0;
  let cursor: string | undefined;
  do {
    const page: R2Objects = await bucket.list({
      prefix,
      ...defined({ cursor }),
    });
    const unused: string[] = [];
    for (const { key, uploaded, size } of page.objects)
      if (uploaded < olderThan && !referenced.has(key)) unused.push(key);
      else keptBytes += size;
    await deleteBlobs(bucket, unused);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return keptBytes;
}

/** Counts the bytes of the household's blobs that were stored up to the UTC day. */
export async function countBlobBytes(
  bucket: R2Bucket,
  household: string,
  lastDay: string,
): Promise<number> {
  let bytes = 0;
  let cursor: string | undefined;
  do {
    const page: R2Objects = await bucket.list({
      prefix: `${household}/`,
      ...defined({ cursor }),
    });
    for (const { key, size } of page.objects)
      if ((key.split("/")[1] ?? "") <= lastDay) bytes += size;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return bytes;
}
