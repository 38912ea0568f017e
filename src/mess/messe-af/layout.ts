/**
 * The layout of archives: maps entries to threads (decision 63). Entry names are checked against an allow-list
 * before any byte is unpacked.
 */
import { defined } from "../defined.ts";
import type { Envelope } from "../envelope.ts";
import { type MessError, type Outcome, refuse } from "../errors.ts";
import { fail, ok } from "../result.ts";
import { type Partition, PARTITIONS } from "../status.ts";
import { isFileName } from "../names.ts";
import { toFileRef, getPartitionFolder, readFileName, isSameThread } from "./names.ts";

/** One thread of an archive. Entries have their full names in the archive. */
export interface ThreadLayout {
  /** The partition of its folder, if any. Informative: the messages determine the status. */
  folder?: Partition;
  /** The thread's directory, such as `state=received/2026-02-01-001`; for a flat file its folder. */
  directory: string;
  /** The ref in the form of file names: `_` for `:`, and possibly without the slug. */
  ref: string;
  /** Thread files in the order of their numbers. */
  files: string[];
  attachments: string[];
}

/** The folder that was packed, such as `~/.mess`; absent where only its contents were. */
const ROOT = String.raw`^(?:(?:\.?mess|exchange)/)?`;
const FOLDER_PATTERN = new RegExp(
  String.raw`${ROOT}(?:(?:state=)?(${PARTITIONS.join("|")})/|archive/(?:\d{4}-\d{2}/)?)?`,
);
export const CONFIG_FILE = "config.yaml";
/** The audit trail in a household's export. An import ignores it: it belongs to the household that wrote it. */
export const AUDIT_FILE = "audit.yaml";
const AUDIT_PATTERN = new RegExp(String.raw`${ROOT}audit\.yaml$`);
const CONFIG_PATTERN = new RegExp(String.raw`${ROOT}config\.yaml$`);
/** Files that macOS and Windows add to folders and archives. */
const SYSTEM_FILE_PATTERN = /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/** The AI groups in a household's export. An import ignores them: their ids belong to keys of that household. */
const GROUPS_PATTERN = new RegExp(
  String.raw`${ROOT}groups/(?:[a-z0-9_]{1,40}\.messe-af\.yaml|pairs\.jsonl)?$`,
);
/** The messages of sources in a household's export. An import ignores them: their sources belong to that household. */
const SOURCES_PATTERN = new RegExp(String.raw`${ROOT}sources/(?:[a-z0-9-]{1,32}\.yaml)?$`);

/** True for an entry that an import does not read, such as one that belongs to the operating system. */
export const isIgnoredFile = (entry: string): boolean =>
  [SYSTEM_FILE_PATTERN, GROUPS_PATTERN, SOURCES_PATTERN].some((pattern) => pattern.test(entry));
/** Letters, digits and `_ - .`, no dot at either end, so that no file system or shell interprets the name. */
const isSafeName = (name: string): boolean => isFileName(name) && !name.endsWith(".");
const ATTACHMENT_PREFIX = "att-";
const NESTED_ZIP_PATTERN = /\.zip$/i;

/** Returns the part of an entry's name after its last slash. */
export const getEntryBase = (entry: string): string => entry.slice(entry.lastIndexOf("/") + 1);

/** Returns a thread's directory in an archive: `{ref}`, or `state=finished/{ref}` in an export of several threads. */
export const buildThreadDirectory = (
  { ref, status }: Pick<Envelope, "ref" | "status">,
  partitioned: boolean,
): string => (partitioned ? `${getPartitionFolder(status)}/${toFileRef(ref)}` : toFileRef(ref));

/** Shortens and escapes an entry's name for an error message. */
function sanitizeEntryName(entry: string): string {
  const plain = entry.replaceAll(/[^ -~]/g, "?");
  return JSON.stringify(plain.length > 100 ? `${plain.slice(0, 100)}…` : plain);
}

/** Builds the error for an archive with an invalid entry. `reason` continues the sentence "the entry …". */
export const buildEntryError = (entry: string, reason: string): MessError =>
  refuse(
    "bad_archive",
    `the entry ${sanitizeEntryName(entry)} ${reason}`,
    "Send an archive in the format of GET /mess/{ref}/archive.zip: a directory with numbered .messe-af.yaml files and plain attachment names.",
  ).error;

interface ArchiveEntry {
  folder?: Partition;
  /** The folders above the thread: empty, or `exchange/state=received/`. */
  parentFolders: string;
  /** The thread's own directory; absent for a flat file. */
  directory?: string;
  /** Absent for the entry of a directory. */
  file?: string;
}

/** Parses the name of an entry; undefined where it is not on the allow-list. */
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
    if (AUDIT_PATTERN.test(entry)) return parsed;
    return isSafeName(first) && !first.startsWith(ATTACHMENT_PREFIX) && readFileName(first)
      ? { ...parsed, file: first }
      : undefined;
  }
  if (!isSafeName(first)) return undefined;
  if (second === "") return { ...parsed, directory: first };
  return isSafeName(second) ? { ...parsed, directory: first, file: second } : undefined;
}

/** Refuses absolute names, `..`, nested archives, and unexpected characters (path traversal, zip slip). */
export function checkEntryName(entry: string): MessError | undefined {
  if (NESTED_ZIP_PATTERN.test(entry))
    return buildEntryError(entry, "is an archive inside the archive");
  if (!CONFIG_PATTERN.test(entry) && parseEntry(entry) === undefined)
    return buildEntryError(entry, "has a name that is not accepted");
  return undefined;
}

/** The contents of an archive. */
export interface ArchiveLayout {
  threads: ThreadLayout[];
  /** The name of the household's configuration file. */
  config?: string;
}

/** Finds the configuration file of an archive, and groups the other entries by thread. */
export function readLayout(names: readonly string[]): Outcome<ArchiveLayout> {
  let config: string | undefined;
  const threads = new Map<string, ThreadLayout>();
  const seen = new Set<string>();
  for (const name of names) {
    const error = seen.has(name) ? buildEntryError(name, "is a duplicate") : checkEntryName(name);
    if (error) return fail(error);
    seen.add(name);
    if (CONFIG_PATTERN.test(name)) {
      if (config !== undefined) return fail(buildEntryError(name, "is a second configuration"));
      config = name;
      continue;
    }
    const parsed = parseEntry(name);
    if (parsed?.file === undefined) continue;
    const { parentFolders, folder, directory, file } = parsed;
    // A thread file may itself be an attachment; the prefix of its name distinguishes it.
    const named = file.startsWith(ATTACHMENT_PREFIX) ? undefined : readFileName(file);
    const ref = directory ?? named?.ref ?? "";
    const key = `${parentFolders}${ref}`;
    const thread = threads.get(key) ?? {
      ...defined({ folder }),
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
    } else return fail(buildEntryError(name, "belongs to a different thread than its directory"));
  }
  return checkThreads([...threads.values()], config);
}

const getFileNumber = (entry: string): number => readFileName(getEntryBase(entry))?.number ?? 0;

function checkThreads(threads: ThreadLayout[], config: string | undefined): Outcome<ArchiveLayout> {
  const refs = new Set<string>();
  for (const thread of threads) {
    const [entry = thread.attachments[0] ?? thread.directory] = thread.files;
    if (thread.files.length === 0)
      return fail(buildEntryError(entry, "has no thread file in its directory"));
    if (refs.has(thread.ref))
      return fail(buildEntryError(entry, "is a second copy of a thread in the archive"));
    refs.add(thread.ref);
    thread.files.sort((one, other) => getFileNumber(one) - getFileNumber(other));
    thread.attachments.sort();
  }
  return threads.length > 0 || config !== undefined
    ? ok({ threads, ...defined({ config }) })
    : refuse(
        "bad_archive",
        "the archive contains no thread",
        "Send a directory or a file whose name ends in .messe-af.yaml.",
      );
}
