/** The checksum of zip archives. */

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** @param {Uint8Array} bytes @param {number} [before] the checksum of the bytes before these */
export function computeCrc32(bytes, before = 0) {
  let crc = ~before;
  for (const byte of bytes) crc = (crc >>> 8) ^ /** @type {number} */ (TABLE[(crc ^ byte) & 0xff]);
  return ~crc >>> 0;
}
