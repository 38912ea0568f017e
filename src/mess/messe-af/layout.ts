/**
 * The layout of archives: which entries hold which thread (decision 63). The names on the allow-list are the only
 * ones there are: whatever else a zip may hold is refused by name before a byte of it is unpacked.
 */
import type { Envelope } from "../envelope.ts";
import { type MessError, type Outcome, refuse } from "../errors.ts";
import { fail, ok } from "../result.ts";
import { type Partition, PARTITIONS } from "../status.ts";
import { isFileName } from "../names.ts";
import { toFileRef, getPartitionFolder, readFileName, isSameThread } from "./names.ts";

/** One thread of an archive. Entries are named whole, as in the archive. */
export interface ThreadLayout {
  /** The partition of the folder that it lies in, where there is one. The messages decide, not this. */
  folder?: Partition;
  /** The thread's directory, `state=received/2026-02-01-001`; of a flat file the folder that it lies in. */
  directory: string;
  /** The ref as the files' names have it: `:` is `_`, and the slug may be missing. */
  ref: string;
  /** Thread files in the order of their numbers. */
  files: string[];
  attachments: string[];
}

const FOLDER_PATTERN = new RegExp(`^(?:exchange/)?(?:(?:state=)?(${PARTITIONS.join("|")})/)?`);
/** Letters, digits and `_ - .`, no dot at either end: nothing that a file system or a shell reads otherwise. */
const isSafeName = (name: string): boolean => isFileName(name) && !name.endsWith(".");
const ATTACHMENT_PREFIX = "att-";
const NESTED_ZIP_PATTERN = /\.zip$/i;

/** The part of an entry's name after its last slash. */
export const getEntryBase = (entry: string): string => entry.slice(entry.lastIndexOf("/") + 1);

/** Where a thread lies in an archive: `{ref}`, or `state=finished/{ref}` in an export of several. */
export const buildThreadDirectory = (
  { ref, status }: Pick<Envelope, "ref" | "status">,
  partitioned: boolean,
): string => (partitioned ? `${getPartitionFolder(status)}/${toFileRef(ref)}` : toFileRef(ref));

/** The entry's name, fit to be shown to whoever sent the archive. */
function sanitizeEntryName(entry: string): string {
  const plain = entry.replaceAll(/[^ -~]/g, "?");
  return JSON.stringify(plain.length > 100 ? `${plain.slice(0, 100)}…` : plain);
}

/** A refusal of an archive for one of its entries. */
export const buildEntryError = (entry: string, reason: string): MessError =>
  refuse(
    "bad_archive",
    `the entry ${sanitizeEntryName(entry)} ${reason}`,
    "Send an archive as GET /mess/{ref}/archive.zip writes it: a directory with numbered .messe-af.yaml files and plain attachment names.",
  ).error;

interface ArchiveEntry {
  folder?: Partition;
  /** The folders above the thread: empty, or `exchange/state=received/`. */
  parentFolders: string;
  /** The thread's own directory; absent for a flat file. */
  directory?: string;
  /** Absent for a directory's own entry. */
  file?: string;
}

/** An entry's place, or undefined when the allow-list has no such name. */
function parseEntry(entry: string): ArchiveEntry | undefined {
  const [parentFolders = "", partition] = FOLDER_PATTERN.exec(entry) ?? [];
  const parsed = {
    parentFolders,
    ...(partition === undefined ? {} : { folder: partition as Partition }),
  };
  const [first = "", second, ...nested] = entry.slice(parentFolders.length).split("/");
  if (nested.length > 0) return undefined;
  if (second === undefined) {
    if (first === "" && parentFolders !== "") return parsed;
    return isSafeName(first) && !first.startsWith(ATTACHMENT_PREFIX) && readFileName(first)
      ? { ...parsed, file: first }
      : undefined;
  }
  if (!isSafeName(first)) return undefined;
  if (second === "") return { ...parsed, directory: first };
  return isSafeName(second) ? { ...parsed, directory: first, file: second } : undefined;
}

/** Refuses a name that no archive of threads has: absolute, climbing, nested, or with odd characters. */
export function checkEntryName(entry: string): MessError | undefined {
  if (NESTED_ZIP_PATTERN.test(entry))
    return buildEntryError(entry, "is an archive inside the archive");
  if (parseEntry(entry) === undefined)
    return buildEntryError(entry, "has a name that is not accepted");
  return undefined;
}

/** Sorts the entries of an archive into threads. */
export function readLayout(names: readonly string[]): Outcome<{ threads: ThreadLayout[] }> {
  const threads = new Map<string, ThreadLayout>();
  const seen = new Set<string>();
  for (const name of names) {
    const error = seen.has(name) ? buildEntryError(name, "is there twice") : checkEntryName(name);
    if (error) return fail(error);
    seen.add(name);
    const parsed = parseEntry(name);
    if (parsed?.file === undefined) continue;
    const { parentFolders, folder, directory, file } = parsed;
    // A person may attach a thread's file: its name then says so.
    const named = file.startsWith(ATTACHMENT_PREFIX) ? undefined : readFileName(file);
    const ref = directory ?? named?.ref ?? "";
    const key = `${parentFolders}${ref}`;
    const thread = threads.get(key) ?? {
      ...(folder === undefined ? {} : { folder }),
      directory:
        directory === undefined ? parentFolders.slice(0, -1) : `${parentFolders}${directory}`,
      ref,
      files: [],
      attachments: [],
    };
    threads.set(key, thread);
    if (named === undefined) thread.attachments.push(name);
    else if (isSameThread(named.ref, ref)) {
      thread.files.push(name);
      // The longer name is the full ref.
      if (named.ref.length > thread.ref.length) thread.ref = named.ref;
    } else return fail(buildEntryError(name, "belongs to another thread than its directory"));
  }
  return checkThreads([...threads.values()]);
}

const getFileNumber = (entry: string): number => readFileName(getEntryBase(entry))?.number ?? 0;

function checkThreads(threads: ThreadLayout[]): Outcome<{ threads: ThreadLayout[] }> {
  const refs = new Set<string>();
  for (const thread of threads) {
    const [entry = thread.attachments[0] ?? thread.directory] = thread.files;
    if (thread.files.length === 0)
      return fail(buildEntryError(entry, "lies beside no thread file"));
    if (refs.has(thread.ref))
      return fail(buildEntryError(entry, "is a thread that the archive holds already"));
    refs.add(thread.ref);
    thread.files.sort((one, other) => getFileNumber(one) - getFileNumber(other));
    thread.attachments.sort();
  }
  return threads.length > 0
    ? ok({ threads })
    : refuse(
        "bad_archive",
        "the archive holds no thread",
        "Send a directory or a file whose name ends in .messe-af.yaml.",
      );
}
