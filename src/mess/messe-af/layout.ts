/**
 * The layout of archives: which entries hold which thread (decision 63). The names on the allow-list are the only
 * ones there are: whatever else a zip may hold is refused by name before a byte of it is unpacked.
 */
import type { Envelope } from "../envelope.ts";
import { type MessError, type Outcome, refuse } from "../errors.ts";
import { fail, ok } from "../result.ts";
import { type Partition, PARTITIONS } from "../status.ts";
import { isFileName } from "../names.ts";
import { fileRef, partitionFolder, readFileName, sameThread } from "./names.ts";

/** One thread of an archive. Entries are named whole, as in the archive. */
export interface LaidOutThread {
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

const FOLDERS = new RegExp(`^(?:exchange/)?(?:(?:state=)?(${PARTITIONS.join("|")})/)?`);
/** Letters, digits and `_ - .`, no dot at either end: nothing that a file system or a shell reads otherwise. */
const isName = (name: string): boolean => isFileName(name) && !name.endsWith(".");
const ATTACHMENT = "att-";
const NESTED = /\.zip$/i;

/** The part of an entry's name after its last slash. */
export const entryBase = (entry: string): string => entry.slice(entry.lastIndexOf("/") + 1);

/** Where a thread lies in an archive: `{ref}`, or `state=finished/{ref}` in an export of several. */
export const threadDirectory = (
  { ref, status }: Pick<Envelope, "ref" | "status">,
  partitioned: boolean,
): string => (partitioned ? `${partitionFolder(status)}/${fileRef(ref)}` : fileRef(ref));

/** The entry's name, fit to be shown to whoever sent the archive. */
function shown(entry: string): string {
  const plain = entry.replaceAll(/[^ -~]/g, "?");
  return JSON.stringify(plain.length > 100 ? `${plain.slice(0, 100)}…` : plain);
}

/** A refusal of an archive for one of its entries. */
export const badEntry = (entry: string, why: string): MessError =>
  refuse(
    "bad_archive",
    `the entry ${shown(entry)} ${why}`,
    "Send an archive as GET /mess/{ref}/archive.zip writes it: a directory with numbered .messe-af.yaml files and plain attachment names.",
  ).error;

interface Entry {
  folder?: Partition;
  /** The folders above the thread: empty, or `exchange/state=received/`. */
  above: string;
  /** The thread's own directory; absent for a flat file. */
  directory?: string;
  /** Absent for a directory's own entry. */
  file?: string;
}

/** An entry's place, or undefined when the allow-list has no such name. */
function placeOf(entry: string): Entry | undefined {
  const [above = "", partition] = FOLDERS.exec(entry) ?? [];
  const place = { above, ...(partition === undefined ? {} : { folder: partition as Partition }) };
  const [first = "", second, ...deeper] = entry.slice(above.length).split("/");
  if (deeper.length > 0) return undefined;
  if (second === undefined) {
    if (first === "" && above !== "") return place;
    return isName(first) && !first.startsWith(ATTACHMENT) && readFileName(first)
      ? { ...place, file: first }
      : undefined;
  }
  if (!isName(first)) return undefined;
  if (second === "") return { ...place, directory: first };
  return isName(second) ? { ...place, directory: first, file: second } : undefined;
}

/** Refuses a name that no archive of threads has: absolute, climbing, nested, or with odd characters. */
export function checkEntryName(entry: string): MessError | undefined {
  if (NESTED.test(entry)) return badEntry(entry, "is an archive inside the archive");
  if (placeOf(entry) === undefined) return badEntry(entry, "has a name that is not accepted");
  return undefined;
}

/** Sorts the entries of an archive into threads. */
export function readLayout(names: readonly string[]): Outcome<{ threads: LaidOutThread[] }> {
  const threads = new Map<string, LaidOutThread>();
  const seen = new Set<string>();
  for (const name of names) {
    const fault = seen.has(name) ? badEntry(name, "is there twice") : checkEntryName(name);
    if (fault) return fail(fault);
    seen.add(name);
    const place = placeOf(name);
    if (place?.file === undefined) continue;
    const { above, folder, directory, file } = place;
    // A person may attach a thread's file: its name then says so.
    const named = file.startsWith(ATTACHMENT) ? undefined : readFileName(file);
    const ref = directory ?? named?.ref ?? "";
    const key = `${above}${ref}`;
    const thread = threads.get(key) ?? {
      ...(folder === undefined ? {} : { folder }),
      directory: directory === undefined ? above.slice(0, -1) : `${above}${directory}`,
      ref,
      files: [],
      attachments: [],
    };
    threads.set(key, thread);
    if (named === undefined) thread.attachments.push(name);
    else if (sameThread(named.ref, ref)) {
      thread.files.push(name);
      // The longer name is the full ref.
      if (named.ref.length > thread.ref.length) thread.ref = named.ref;
    } else return fail(badEntry(name, "belongs to another thread than its directory"));
  }
  return settled([...threads.values()]);
}

const numberOf = (entry: string): number => readFileName(entryBase(entry))?.number ?? 0;

function settled(threads: LaidOutThread[]): Outcome<{ threads: LaidOutThread[] }> {
  const refs = new Set<string>();
  for (const thread of threads) {
    const [entry = thread.attachments[0] ?? thread.directory] = thread.files;
    if (thread.files.length === 0) return fail(badEntry(entry, "lies beside no thread file"));
    if (refs.has(thread.ref))
      return fail(badEntry(entry, "is a thread that the archive holds already"));
    refs.add(thread.ref);
    thread.files.sort((one, other) => numberOf(one) - numberOf(other));
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
