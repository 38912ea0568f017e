/**
 * Reading an archive that a stranger sent: everything about it is checked before it is unpacked, and counted while
 * it is (names by allow-list, 200 entries, 25 MB, ratio 100, no zip in a zip). The bytes stay
 * in memory; nothing is written. A broken archive is a refusal, never an exception.
 */
import { Inflate } from "fflate";
import { joined } from "../bytes.ts";
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import { badEntry, checkEntryName } from "../mess/messe-af/layout.ts";
import { fail, ok } from "../mess/result.ts";
import { crc32 } from "./crc32.ts";
import { badArchive, readZipDirectory, type ZipMember } from "./zip-directory.ts";

export const ARCHIVE_LIMITS = {
  entries: 200,
  /** Bytes of all entries unpacked, and so of the archive itself. */
  bytes: 25 * 1024 * 1024,
  /** Unpacked bytes for each packed one. */
  ratio: 100,
} as const;

/** What a zip may hold besides its entries' bytes: headers and names. */
const HEADERS = ARCHIVE_LIMITS.entries * 1024;
/** Packed bytes unpacked in one step: deflate makes at most about a thousand of each. */
const STEP = 4096;

const tooLarge = refuse(
  "too_large",
  `the archive holds more than ${ARCHIVE_LIMITS.bytes / 1024 / 1024} MB`,
  "Send fewer threads at a time.",
);

/** The entries by name, directories left out. */
export async function readArchive(
  stream: ReadableStream<Uint8Array>,
): Promise<Outcome<Map<string, Uint8Array>>> {
  const bytes = await readAll(stream);
  if (!bytes.ok) return bytes;
  const directory = readZipDirectory(bytes.value, ARCHIVE_LIMITS.entries);
  if (!directory.ok) return directory;
  const files = new Map<string, Uint8Array>();
  let left: number = ARCHIVE_LIMITS.bytes;
  for (const { name } of directory.value) {
    const fault = checkEntryName(name);
    if (fault) return fail(fault);
  }
  for (const member of directory.value) {
    if (files.has(member.name)) return fail(badEntry(member.name, "is there twice"));
    const file = unpack(member, left);
    if (!file.ok) return file;
    left -= file.value.length;
    files.set(member.name, file.value);
  }
  return ok(files);
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Outcome<Uint8Array>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength;
      if (size > ARCHIVE_LIMITS.bytes + HEADERS) return tooLarge;
      chunks.push(chunk);
    }
  } catch {
    return badArchive("the archive did not arrive whole");
  }
  return ok(joined(chunks));
}

function unpack(member: ZipMember, left: number): Outcome<Uint8Array> {
  const { name, packed, size } = member;
  if (size > left) return tooLarge;
  if (size > packed.length * ARCHIVE_LIMITS.ratio)
    return fail(badEntry(name, "unpacks to more than is plausible"));
  const file = member.deflated ? inflate(member) : ok(packed.slice());
  if (!file.ok) return file;
  return file.value.length === size && crc32(file.value) === member.crc
    ? file
    : fail(badEntry(name, "is damaged"));
}

/** Inflates into a buffer of the size that the entry gives, and stops where there is more. */
function inflate({ name, packed, size }: ZipMember): Outcome<Uint8Array> {
  const file = new Uint8Array(size);
  const state = { length: 0 };
  const inflater = new Inflate((chunk) => {
    if (state.length + chunk.length <= size) file.set(chunk, state.length);
    state.length += chunk.length;
  });
  const damaged = (): { readonly ok: false; readonly error: MessError } =>
    fail(badEntry(name, "is damaged"));
  try {
    for (let at = 0; at < packed.length && state.length <= size; at += STEP)
      inflater.push(packed.subarray(at, at + STEP), at + STEP >= packed.length);
  } catch {
    return damaged();
  }
  return state.length === size ? ok(file) : damaged();
}
