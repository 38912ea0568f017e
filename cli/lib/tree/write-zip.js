/** Packs files into an archive without compression, as the exchange accepts it. */
import { computeCrc32 } from "./crc32.js";

const VERSION = 20;
const UTF8_NAMES = 0x0800;
/** 1 January 1980, so that equal files give an equal archive. */
const DOS_DATE = 0x21;

/**
 * @param {readonly { name: string, bytes: Uint8Array }[]} files
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeZip(files) {
  /** @type {Buffer[]} */
  const parts = [];
  /** @type {Buffer[]} */
  const directory = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const encoded = Buffer.from(name, "utf8");
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(VERSION, 0);
    shared.writeUInt16LE(UTF8_NAMES, 2);
    shared.writeUInt16LE(DOS_DATE, 8);
    shared.writeUInt32LE(computeCrc32(bytes), 10);
    shared.writeUInt32LE(bytes.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(encoded.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), shared, encoded]);
    directory.push(
      Buffer.concat([
        Buffer.from("PK\u0001\u0002"),
        Buffer.from([VERSION, 0]),
        shared,
        rest,
        encoded,
      ]),
    );
    parts.push(local, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    offset += local.length + bytes.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    8,
  );
  end.writeUInt32LE(offset, 12);
  return new Uint8Array(
    Buffer.concat([...parts, ...directory, Buffer.from("PK\u0005\u0006"), end]),
  );
}
