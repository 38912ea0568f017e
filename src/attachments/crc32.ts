/** CRC-32 of zip files and PNG chunks (ISO 3309), computed with a lookup table. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let checksum = byte;
  for (let bit = 0; bit < 8; bit++)
    checksum = checksum & 1 ? (checksum >>> 1) ^ 0xedb88320 : checksum >>> 1;
  return checksum;
});

/** @param previous the checksum of the bytes before these, to compute the checksum of a file in pieces */
export function computeCrc32(bytes: Uint8Array, previous = 0): number {
  let checksum = ~previous;
  for (const byte of bytes) checksum = CRC_TABLE[(checksum ^ byte) & 0xff]! ^ (checksum >>> 8);
  return ~checksum >>> 0;
}
