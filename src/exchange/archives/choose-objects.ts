/** Chooses the AI groups or message sources of one part of an export. */
import type { ExchangeBindings } from "../with-thread.ts";

/** Files of one kind in a part of the archive: one for each object. */
const MAX_OBJECTS_PER_PART = 150;

/** Objects of a household that have a file each in its export. */
export interface ArchivedObjects {
  /** The parts that hold them begin after this, which is no ref of a thread. */
  cursor: string;
  list: (env: ExchangeBindings, household: string) => Promise<string[]>;
  estimateBytes: (env: ExchangeBindings, household: string, id: string) => Promise<number>;
}

/** The id after which a part with such objects begins; undefined for a part without. */
export const readObjectsCursor = (
  { cursor }: Pick<ArchivedObjects, "cursor">,
  after: string | undefined,
): string | undefined =>
  after === cursor
    ? ""
    : after?.startsWith(`${cursor}/`)
      ? after.slice(cursor.length + 1)
      : undefined;

export interface ObjectPart {
  ids: string[];
  bytes: number;
  /** The beginning of the next part. */
  next?: string;
}

/**
 * @param after id of the object after which the part begins; empty for the first one
 * @param isEmpty whether the part has nothing else: then it has at least one object, however large
 */
export async function chooseObjects(
  env: ExchangeBindings,
  household: string,
  { cursor, list, estimateBytes }: ArchivedObjects,
  after: string,
  maxBytes: number,
  isEmpty: boolean,
): Promise<ObjectPart> {
  const all = await list(env, household);
  const ids: string[] = [];
  let bytes = 0;
  for (const id of all.toSorted().filter((one) => one > after)) {
    const size = await estimateBytes(env, household, id);
    const isFull = bytes + size > maxBytes || ids.length >= MAX_OBJECTS_PER_PART;
    if (isFull && !(isEmpty && ids.length === 0)) {
      const last = ids.at(-1) ?? after;
      return { ids, bytes, next: last === "" ? cursor : `${cursor}/${last}` };
    }
    bytes += size;
    ids.push(id);
  }
  return { ids, bytes };
}
