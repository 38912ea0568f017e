/** Finds the metadata of a WebM or Matroska file: its tags, attached files, title and date. */
import type { ByteSource } from "./byte-source.ts";
import { overwrite, type Patch } from "./patch.ts";

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const INFO = 0x1549a966;
const TAGS = 0x1254c367;
const ATTACHMENTS = 0x1941a469;
const TITLE = 0x7ba9;
const DATE = 0x4461;
const METADATA_IDS = new Set([TAGS, ATTACHMENTS, TITLE, DATE]);
/** An element that every reader skips. */
const VOID_ID = 0xec;
const MAX_ELEMENTS = 500_000;
/** More elements of metadata are kept: no known software writes them. */
const MAX_PATCHES = 10_000;

export async function findMatroskaMetadata(source: ByteSource): Promise<Patch[]> {
  const patches: Patch[] = [];
  let at = 0;
  for (
    let elements = 0;
    elements < MAX_ELEMENTS && at < source.size && patches.length < MAX_PATCHES;
    elements++
  ) {
    const element = await readElement(source, at);
    if (!element) return patches;
    const { id, data, size } = element;
    const end = size === undefined ? source.size : Math.min(data + size, source.size);
    if (METADATA_IDS.has(id)) patches.push(buildVoid(at, end - at));
    // A live recording has clusters of unknown size, whose blocks are then read as if they were outside.
    const isEntered = id === SEGMENT || id === INFO || (id === CLUSTER && size === undefined);
    at = isEntered ? data : end;
  }
  return patches;
}

interface Element {
  id: number;
  /** Offset of the data. */
  data: number;
  /** Bytes of the data; undefined where the writer did not know them. */
  size: number | undefined;
}

async function readElement(source: ByteSource, at: number): Promise<Element | undefined> {
  const head = await source.read(at, 12);
  const idLength = Math.clz32(head[0] ?? 0) - 23;
  if (idLength > 4 || head.length <= idLength) return undefined;
  const first = head[idLength] ?? 0;
  const sizeLength = Math.clz32(first) - 23;
  if (sizeLength > 8 || head.length < idLength + sizeLength) return undefined;
  const marker = 2 ** (8 - sizeLength);
  // The marker is removed before the bytes are read: with it, a number of eight bytes would be rounded.
  const rest = head.subarray(idLength + 1, idLength + sizeLength);
  const size = readNumber(Uint8Array.of(first - marker, ...rest));
  return {
    id: readNumber(head.subarray(0, idLength)),
    data: at + idLength + sizeLength,
    // All bits set: unknown.
    size: first === 2 * marker - 1 && rest.every((byte) => byte === 0xff) ? undefined : size,
  };
}

const readNumber = (bytes: Uint8Array): number =>
  bytes.reduce((number, byte) => number * 256 + byte, 0);

/** A void element of the same length, with its size in one byte or in eight. */
function buildVoid(at: number, length: number): Patch {
  if (length < 9 + 1) return overwrite(at, Uint8Array.of(VOID_ID, 0x80 | (length - 2)), length);
  const head = new DataView(new ArrayBuffer(9));
  head.setUint8(0, VOID_ID);
  head.setUint8(1, 0x01);
  head.setUint32(5, length - 9);
  return overwrite(at, new Uint8Array(head.buffer), length);
}
