/**
 * The central directory of a zip, read strictly (PKWARE APPNOTE 4.3). It is what a zip's contents are taken from:
 * archives that are streamed, ours among them, name their sizes there only, and an attachment may hold any bytes,
 * those of a zip's headers too. What one unpacker might read in another way than the next is refused.
 */
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import { badEntry } from "../mess/messe-af/layout.ts";
import { fail, ok } from "../mess/result.ts";

/** A packed file of a zip. Sizes in bytes. */
export interface ZipMember {
  name: string;
  /** Deflated, else stored. */
  deflated: boolean;
  packed: Uint8Array;
  size: number;
  crc: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const LOCAL_LENGTH = 30;
const CENTRAL_LENGTH = 46;
const END_LENGTH = 22;

const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
const STORED = 0;
const DEFLATED = 8;
/** File types of a Unix mode: none given, a regular file, a directory. */
const PLAIN_TYPES = [0, 0o10, 0o04];

/** The archive as a whole cannot be read. */
export const badArchive = (why: string): { readonly ok: false; readonly error: MessError } =>
  refuse("bad_archive", why, "Send a plain zip file, stored or deflated, without encryption.");

interface Directory {
  start: number;
  stop: number;
  count: number;
}

/** Where the directory lies, from the record that ends the file. */
function readEnd(bytes: Uint8Array, view: DataView): Outcome<Directory> {
  const last = bytes.length - END_LENGTH;
  for (let at = last; at >= 0 && at >= last - 0xffff; at--) {
    if (view.getUint32(at, true) !== END || view.getUint16(at + 20, true) !== last - at) continue;
    const [disk, directoryDisk, here, count] = [4, 6, 8, 10].map((field) =>
      view.getUint16(at + field, true),
    ) as [number, number, number, number];
    const size = view.getUint32(at + 12, true);
    const start = view.getUint32(at + 16, true);
    if (disk !== 0 || directoryDisk !== 0 || here !== count)
      return badArchive("the zip is one part of several");
    if (start + size !== at) return badArchive("the zip's directory is not where it says");
    return ok({ start, stop: at, count });
  }
  return badArchive("this is not a whole zip file");
}

/** The members in the order of the directory, without those of directories. At most `most` entries in all. */
export function readZipDirectory(bytes: Uint8Array, most: number): Outcome<ZipMember[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = readEnd(bytes, view);
  if (!end.ok) return end;
  const { start, stop, count } = end.value;
  if (count > most) return badArchive(`the archive holds more than ${most} entries`);
  const members: ZipMember[] = [];
  const spans: [from: number, to: number][] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + CENTRAL_LENGTH > stop || view.getUint32(at, true) !== CENTRAL)
      return badArchive("the zip's directory is broken");
    const nameLength = view.getUint16(at + 28, true);
    const next =
      at +
      CENTRAL_LENGTH +
      nameLength +
      view.getUint16(at + 30, true) +
      view.getUint16(at + 32, true);
    if (next > stop) return badArchive("the zip's directory is broken");
    const name = nameAt(bytes, at + CENTRAL_LENGTH, nameLength);
    const read = readMember(bytes, view, at, name, start);
    if (!read.ok) return read;
    spans.push(read.value.span);
    const { member } = read.value;
    if (!name.endsWith("/")) members.push(member);
    else if (member.size > 0) return fail(badEntry(name, "is a directory with contents"));
    at = next;
  }
  if (at !== stop) return badArchive("the zip's directory is broken");
  const sorted = spans.toSorted(([one], [other]) => one - other);
  return sorted.some(([from], index) => index > 0 && from < sorted[index - 1]![1])
    ? badArchive("the zip's entries overlap")
    : ok(members);
}

/** Names are ASCII on the allow-list; any other byte becomes one that is not. */
const nameAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** One entry of the directory, checked against the header that stands before its bytes. */
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
  if (flags & ENCRYPTED) return fail(badEntry(name, "is encrypted"));
  if (method !== STORED && method !== DEFLATED)
    return fail(badEntry(name, "is packed in a way that is not accepted"));
  if (!PLAIN_TYPES.includes(type)) return fail(badEntry(name, "is not a plain file"));
  if (method === STORED && packedSize !== size)
    return fail(badEntry(name, "has two different sizes"));
  if (local + LOCAL_LENGTH > directory || view.getUint32(local, true) !== LOCAL)
    return fail(badEntry(name, "is not where the archive says"));
  const nameLength = view.getUint16(local + 26, true);
  const data = local + LOCAL_LENGTH + nameLength + view.getUint16(local + 28, true);
  if (data + packedSize > directory) return fail(badEntry(name, "is not all there"));
  const same =
    nameAt(bytes, local + LOCAL_LENGTH, nameLength) === name &&
    view.getUint16(local + 8, true) === method &&
    (view.getUint16(local + 6, true) & ENCRYPTED) === 0;
  if (!same) return fail(badEntry(name, "is described in two ways"));
  return ok({
    member: {
      name,
      deflated: method === DEFLATED,
      packed: bytes.subarray(data, data + packedSize),
      size,
      crc: view.getUint32(at + 16, true),
    },
    span: [local, data + packedSize],
  });
}
