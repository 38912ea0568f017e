/**
 * Reads the central directory of a zip strictly (PKWARE APPNOTE 4.3). Local headers are not searched: streamed
 * archives state sizes only in the directory, and an attachment may contain the bytes of a header. Ambiguous
 * archives, which unpackers read differently, are refused.
 */
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import { buildEntryError } from "../mess/messe-af/layout.ts";
import { fail, ok } from "../mess/result.ts";

/** A packed file of a zip. Sizes in bytes. */
export interface ZipMember {
  name: string;
  /** True for deflate, false for stored. */
  deflated: boolean;
  packed: Uint8Array;
  size: number;
  crc: number;
}

const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
const END_RECORD_BYTES = 22;

const ENCRYPTED_FLAGS = 0x0001 | 0x0040 | 0x2000;
const STORED_METHOD = 0;
const DEFLATED_METHOD = 8;
/** File types of a Unix mode: unspecified, regular file, directory. */
const ALLOWED_FILE_TYPES = [0, 0o10, 0o04];

/** Builds the error for an archive that is invalid as a whole. */
export const refuseArchive = (reason: string): { readonly ok: false; readonly error: MessError } =>
  refuse("bad_archive", reason, "Send a plain zip file, stored or deflated, without encryption.");

interface Directory {
  start: number;
  stop: number;
  count: number;
}

/** Reads the position of the directory from the end record. */
function readEndRecord(bytes: Uint8Array, view: DataView): Outcome<Directory> {
  const last = bytes.length - END_RECORD_BYTES;
  for (let at = last; at >= 0 && at >= last - 0xffff; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE || view.getUint16(at + 20, true) !== last - at)
      continue;
    const [disk, directoryDisk, here, count] = [4, 6, 8, 10].map((field) =>
      view.getUint16(at + field, true),
    ) as [number, number, number, number];
    const size = view.getUint32(at + 12, true);
    const start = view.getUint32(at + 16, true);
    if (disk !== 0 || directoryDisk !== 0 || here !== count)
      return refuseArchive("the zip is split over several files");
    if (start + size !== at)
      return refuseArchive("the zip's directory is not at the stated position");
    return ok({ start, stop: at, count });
  }
  return refuseArchive("the file is not a complete zip file");
}

/** Reads the files in the order of the directory, without folders. Refuses more than `maxEntries` entries. */
export function readZipDirectory(bytes: Uint8Array, maxEntries: number): Outcome<ZipMember[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = readEndRecord(bytes, view);
  if (!end.ok) return end;
  const { start, stop, count } = end.value;
  if (count > maxEntries) return refuseArchive(`the archive has more than ${maxEntries} entries`);
  const members: ZipMember[] = [];
  const spans: [from: number, to: number][] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + CENTRAL_HEADER_BYTES > stop || view.getUint32(at, true) !== CENTRAL_SIGNATURE)
      return refuseArchive("the zip's directory is broken");
    const nameLength = view.getUint16(at + 28, true);
    const next =
      at +
      CENTRAL_HEADER_BYTES +
      nameLength +
      view.getUint16(at + 30, true) +
      view.getUint16(at + 32, true);
    if (next > stop) return refuseArchive("the zip's directory is broken");
    const name = readName(bytes, at + CENTRAL_HEADER_BYTES, nameLength);
    const read = readMember(bytes, view, at, name, start);
    if (!read.ok) return read;
    spans.push(read.value.span);
    const { member } = read.value;
    if (!name.endsWith("/")) members.push(member);
    else if (member.size > 0) return fail(buildEntryError(name, "is a directory with contents"));
    at = next;
  }
  if (at !== stop) return refuseArchive("the zip's directory is broken");
  const sorted = spans.toSorted(([one], [other]) => one - other);
  return sorted.some(([from], index) => index > 0 && from < sorted[index - 1]![1])
    ? refuseArchive("the zip's entries overlap")
    : ok(members);
}

/** Reads a name as Latin-1. The allow-list accepts only ASCII, so other encodings are refused later. */
const readName = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** Reads one entry of the directory and compares it with its local header. */
function readMember(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  name: string,
  directory: number,
): Outcome<{ member: ZipMember; span: [number, number] }> {
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const packedSize = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const type = view.getUint16(at + 40, true) >>> 12;
  const local = view.getUint32(at + 42, true);
  if (flags & ENCRYPTED_FLAGS) return fail(buildEntryError(name, "is encrypted"));
  if (method !== STORED_METHOD && method !== DEFLATED_METHOD)
    return fail(buildEntryError(name, "uses a compression method that is not accepted"));
  if (!ALLOWED_FILE_TYPES.includes(type)) return fail(buildEntryError(name, "is not a plain file"));
  if (method === STORED_METHOD && packedSize !== size)
    return fail(buildEntryError(name, "has two different sizes"));
  if (local + LOCAL_HEADER_BYTES > directory || view.getUint32(local, true) !== LOCAL_SIGNATURE)
    return fail(buildEntryError(name, "is not at the stated position"));
  const nameLength = view.getUint16(local + 26, true);
  const data = local + LOCAL_HEADER_BYTES + nameLength + view.getUint16(local + 28, true);
  if (data + packedSize > directory) return fail(buildEntryError(name, "is truncated"));
  const same =
    readName(bytes, local + LOCAL_HEADER_BYTES, nameLength) === name &&
    view.getUint16(local + 8, true) === method &&
    (view.getUint16(local + 6, true) & ENCRYPTED_FLAGS) === 0;
  if (!same) return fail(buildEntryError(name, "differs between its two headers"));
  return ok({
    member: {
      name,
      deflated: method === DEFLATED_METHOD,
      packed: bytes.subarray(data, data + packedSize),
      size,
      crc: view.getUint32(at + 16, true),
    },
    span: [local, data + packedSize],
  });
}
