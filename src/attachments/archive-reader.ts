/**
 * Reads an untrusted archive in memory. Names (allow-list), entries, sizes and compression ratio are checked before
 * unpacking, and sizes again while unpacking (zip bombs, zip slip). An invalid archive is a refusal, never an
 * exception.
 */
import { Inflate } from "fflate";
import { concatBytes } from "../bytes.ts";
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import { buildEntryError, checkEntryName, isIgnoredFile } from "../mess/messe-af/layout.ts";
import { fail, ok } from "../mess/result.ts";
import { computeCrc32 } from "./crc32.ts";
import { refuseArchive, readZipDirectory, type ZipMember } from "./zip-directory.ts";

export const ARCHIVE_LIMITS = {
  maxEntries: 200,
  /** Unpacked bytes of all entries; also limits the archive itself. */
  maxBytes: 25 * 1024 * 1024,
  /** Unpacked bytes for each packed byte. */
  maxRatio: 100,
} as const;

/** Bytes of headers and names, in addition to the entries' contents. */
const MAX_HEADER_BYTES = ARCHIVE_LIMITS.maxEntries * 1024;
/** Packed bytes inflated in one step. Deflate expands them at most about a thousand times. */
const INFLATE_STEP_BYTES = 4096;

const ARCHIVE_TOO_LARGE = refuse(
  "too_large",
  `the archive is larger than ${ARCHIVE_LIMITS.maxBytes / 1024 / 1024} MB`,
  "Send fewer threads in one archive: export them with GET /mess/export.zip?limit=N; its Link header names the next part.",
);

/** Reads the entries of an archive by name, without directories. Refuses with `bad_archive` or `too_large`. */
export async function readArchive(
  stream: ReadableStream<Uint8Array>,
): Promise<Outcome<Map<string, Uint8Array>>> {
  const bytes = await readAll(stream);
  if (!bytes.ok) return bytes;
  const directory = readZipDirectory(bytes.value, ARCHIVE_LIMITS.maxEntries);
  if (!directory.ok) return directory;
  const files = new Map<string, Uint8Array>();
  let bytesLeft: number = ARCHIVE_LIMITS.maxBytes;
  const members = directory.value.filter(({ name }) => !isIgnoredFile(name));
  for (const { name } of members) {
    const error = checkEntryName(name);
    if (error) return fail(error);
  }
  for (const member of members) {
    if (files.has(member.name)) return fail(buildEntryError(member.name, "is a duplicate"));
    const file = unpackMember(member, bytesLeft);
    if (!file.ok) return file;
    bytesLeft -= file.value.length;
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
      if (size > ARCHIVE_LIMITS.maxBytes + MAX_HEADER_BYTES) return ARCHIVE_TOO_LARGE;
      chunks.push(chunk);
    }
  } catch {
    return refuseArchive("the upload of the archive was interrupted");
  }
  return ok(concatBytes(chunks));
}

function unpackMember(member: ZipMember, remainingBytes: number): Outcome<Uint8Array> {
  const { name, packed, size } = member;
  if (size > remainingBytes) return ARCHIVE_TOO_LARGE;
  if (size > packed.length * ARCHIVE_LIMITS.maxRatio)
    return fail(buildEntryError(name, "exceeds the maximum compression ratio"));
  const file = member.deflated ? inflateMember(member) : ok(packed.slice());
  if (!file.ok) return file;
  return file.value.length === size && computeCrc32(file.value) === member.crc
    ? file
    : fail(buildEntryError(name, "is damaged"));
}

/** Inflates into a buffer of the declared size, and stops where the data exceeds it. */
function inflateMember({ name, packed, size }: ZipMember): Outcome<Uint8Array> {
  const file = new Uint8Array(size);
  const state = { length: 0 };
  const inflater = new Inflate((chunk) => {
    if (state.length + chunk.length <= size) file.set(chunk, state.length);
    state.length += chunk.length;
  });
  const refuseDamagedEntry = (): { readonly ok: false; readonly error: MessError } =>
    fail(buildEntryError(name, "is damaged"));
  try {
    for (let at = 0; at < packed.length && state.length <= size; at += INFLATE_STEP_BYTES)
      inflater.push(
        packed.subarray(at, at + INFLATE_STEP_BYTES),
        at + INFLATE_STEP_BYTES >= packed.length,
      );
  } catch {
    return refuseDamagedEntry();
  }
  return state.length === size ? ok(file) : refuseDamagedEntry();
}
