/** The names that a thread has in files: its directory, its numbered files, its archive (protocol §13.1). */
import { type Partition, getPartition, type Status } from "../status.ts";

/** A ref as a directory's or file's name: `:` becomes `_` there and nowhere else (decision 5). */
export const toFileRef = (ref: string): string => ref.replaceAll(":", "_");

/** `000-{ref}.messe-af.yaml`; the number grows past 999 (decision 64). */
export const buildThreadFileName = (ref: string, number: number): string =>
  `${String(number).padStart(3, "0")}-${toFileRef(ref)}.messe-af.yaml`;

/** `{ref}.messe-af.zip` (protocol §13.1). */
export const buildArchiveName = (ref: string): string => `${toFileRef(ref)}.messe-af.zip`;

/** `state=executing`: the folder in which a thread of this status lies (protocol §9.1). */
export const getPartitionFolder = (status: Status): `state=${Partition}` =>
  `state=${getPartition(status)}`;

const NUMBERED_PATTERN = /^(\d{3,})-(.+)\.messe-af(?:\.yaml)?$/;
const FLAT_PATTERN = /^(.+)\.messe-af(?:\.yaml)?$/;
const DATED_PATTERN = /^\d{4}-\d{2}-\d{2}-\d{3}/;

/** What a thread file's name says: its number, absent for a v1 flat file, and the ref in its file form. */
export interface ParsedFileName {
  number?: number;
  ref: string;
}

/** Undefined for other files. A name that begins with a date is a flat file's: no file number looks like one. */
export function readFileName(name: string): ParsedFileName | undefined {
  const numbered = DATED_PATTERN.test(name) ? null : NUMBERED_PATTERN.exec(name);
  if (numbered) return { number: Number(numbered[1]), ref: numbered[2]! };
  const flat = FLAT_PATTERN.exec(name);
  return flat ? { ref: flat[1]! } : undefined;
}

const SHORT_REF_PATTERN = /^(\d{4}-\d{2}-\d{2}-\d{3,})(?:-|$)/;

/** True where one name is the other's, or its short form without the slug (decision 63). */
export function isSameThread(one: string, other: string): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return shorter === longer || SHORT_REF_PATTERN.exec(longer)?.[1] === shorter;
}
