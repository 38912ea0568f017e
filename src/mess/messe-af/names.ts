/** The names that a thread has in files: its directory, its numbered files, its archive (MESSE-AF V2, File Numbering). */
import { type Partition, partitionOf, type Status } from "../status.ts";

/** A ref in a file name: `:` becomes `_` there and nowhere else (decision 5). */
export const fileRef = (ref: string): string => ref.replaceAll(":", "_");

/** `000-{ref}.messe-af.yaml`; the number grows past 999 (decision 64). */
export const threadFileName = (ref: string, number: number): string =>
  `${String(number).padStart(3, "0")}-${fileRef(ref)}.messe-af.yaml`;

/** `{ref}.messe-af.zip` (Archive Format). */
export const archiveName = (ref: string): string => `${fileRef(ref)}.messe-af.zip`;

/** `state=executing`: the folder in which a thread of this status lies (Folder Mapping). */
export const partitionFolder = (status: Status): `state=${Partition}` =>
  `state=${partitionOf(status)}`;

const NUMBERED = /^(\d{3,})-(.+)\.messe-af(?:\.yaml)?$/;
const FLAT = /^(.+)\.messe-af(?:\.yaml)?$/;

/** What a thread file's name says: its number, absent for a v1 flat file, and the ref in its file form. */
export interface FileName {
  number?: number;
  ref: string;
}

/**
 * Both readings of a name, the likelier first: `2026-02-01-001.messe-af` is the flat file of that ref, while
 * `000-2026-02-01-001.messe-af.yaml` is file 0 of the ref without the number.
 */
export function readFileName(name: string): FileName | undefined {
  const numbered = NUMBERED.exec(name);
  if (numbered && !/^\d{4}-\d{2}-\d{2}-\d{3}/.test(name))
    return { number: Number(numbered[1]), ref: numbered[2]! };
  const flat = FLAT.exec(name);
  return flat ? { ref: flat[1]! } : undefined;
}
