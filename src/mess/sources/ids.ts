/** The ids of messages and drafts: a prefix, random characters, and the position of the row, so that none needs an index. */
import { ID_BYTES } from "../groups/ids.ts";

export { ID_BYTES };

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

type SourceIdPrefix = "m" | "d";

/** @param bytes ID_BYTES random bytes */
export const buildSourceId = (prefix: SourceIdPrefix, seq: number, bytes: Uint8Array): string =>
  `${prefix}_${Array.from(bytes.subarray(0, ID_BYTES), (byte) => ALPHABET[byte % ALPHABET.length]).join("")}${seq.toString(36)}`;

const ID_PATTERN = /^([md])_[0-9a-z]{12}([1-9a-z][0-9a-z]{0,7})$/;

/** The position that the id names; undefined for other texts. The row's own id must be compared. */
export function parseSourceSeq(prefix: SourceIdPrefix, id: string): number | undefined {
  const match = ID_PATTERN.exec(id);
  return match?.[1] === prefix ? Number.parseInt(match[2]!, 36) : undefined;
}
