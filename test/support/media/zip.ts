/** Builds zip files for tests, valid ones and malicious ones. */
import { crc32, deflateRawSync } from "node:zlib";

export interface PackedEntry {
  name: string;
  data: Uint8Array | string;
  /** Compression method: 8 deflates; any other number is written unchanged. */
  method?: number;
  flags?: number;
  /** Unix mode, with the file type. */
  mode?: number;
  /** False values in the directory and the header. */
  lie?: { size?: number; packedSize?: number; crc?: number; offset?: number; localName?: string };
}

/** The bytes of a zip with these entries. */
export function buildZip(
  entries: readonly PackedEntry[],
  end: { count?: number; comment?: string; size?: number } = {},
): Buffer {
  const parts: Uint8Array[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, method = 0, flags = 0, mode = 0, lie = {} } of entries) {
    const plain: Uint8Array = typeof data === "string" ? Buffer.from(data) : data;
    const packed = method === 8 ? deflateRawSync(plain) : plain;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(lie.crc ?? crc32(plain), 10);
    fields.writeUInt32LE(lie.packedSize ?? packed.length, 14);
    fields.writeUInt32LE(lie.size ?? plain.length, 18);
    const inDirectory = Buffer.from(name, "latin1");
    const inFront = Buffer.from(lie.localName ?? name, "latin1");
    const local = Buffer.from(fields);
    local.writeUInt16LE(inFront.length, 22);
    parts.push(Buffer.from("PK\u0003\u0004"), local, inFront, packed);
    const central = Buffer.from(fields);
    central.writeUInt16LE(inDirectory.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(lie.offset ?? offset, 10);
    directory.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), central, rest, inDirectory);
    offset += 30 + inFront.length + packed.length;
  }
  const index = Buffer.concat(directory);
  const tail = Buffer.alloc(22);
  tail.write("PK\u0005\u0006", 0, "latin1");
  tail.writeUInt16LE(end.count ?? entries.length, 8);
  tail.writeUInt16LE(end.count ?? entries.length, 10);
  tail.writeUInt32LE(end.size ?? index.length, 12);
  tail.writeUInt32LE(offset, 16);
  tail.writeUInt16LE(end.comment?.length ?? 0, 20);
  return Buffer.concat([...parts, index, tail, Buffer.from(end.comment ?? "")]);
}

/** The bytes as a stream, in chunks. */
export function toStream(bytes: Uint8Array, piece = 64 * 1024): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, (at += piece)));
    },
  });
}
