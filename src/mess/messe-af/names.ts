/** File names of threads: directory, numbered files, archive (protocol §13.1). */
import { type Partition, getPartition, type Status } from "../status.ts";

/** Converts a ref to a file or directory name: `:` becomes `_` (decision 5). */
export const toFileRef = (ref: string): string => ref.replaceAll(":", "_");

/** Builds `000-{ref}.messe-af.yaml`; numbers above 999 get more digits (decision 64). */
export const buildThreadFileName = (ref: string, number: number): string =>
  `${String(number).padStart(3, "0")}-${toFileRef(ref)}.messe-af.yaml`;

/** Builds `{ref}.messe-af.zip` (protocol §13.1). */
export const buildArchiveName = (ref: string): string => `${toFileRef(ref)}.messe-af.zip`;

/** Returns the folder of threads of this status, such as `state=executing` (protocol §9.1). */
export const getPartitionFolder = (status: Status): `state=${Partition}` =>
  `state=${getPartition(status)}`;

const NUMBERED_PATTERN = /^(\d{3,})-(.+)\.messe-af(?:\.yaml)?$/;
const FLAT_PATTERN = /^(.+)\.messe-af(?:\.yaml)?$/;
const DATED_PATTERN = /^\d{4}-\d{2}-\d{2}-\d{3}/;

/** The parts of a thread file's name: its number, absent for a v1 flat file, and the ref in its file form. */
export interface ParsedFileName {
  number?: number;
  ref: string;
}

/** Parses a thread file's name; undefined for other files. A name that begins with a date is that of a flat file. */
export function readFileName(name: string): ParsedFileName | undefined {
  const numbered = DATED_PATTERN.test(name) ? null : NUMBERED_PATTERN.exec(name);
  if (numbered) return { number: Number(numbered[1]), ref: numbered[2]! };
  const flat = FLAT_PATTERN.exec(name);
  return flat ? { ref: flat[1]! } : undefined;
}

const SHORT_REF_PATTERN = /^(\d{4}-\d{2}-\d{2}-\d{3,})(?:-|$)/;

/** True where the names are equal, or one is the other without the slug (decision 63). */
export function isSameThread(one: string, other: string): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return shorter === longer || SHORT_REF_PATTERN.exec(longer)?.[1] === shorter;
}
