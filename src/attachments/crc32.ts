/** CRC-32 of zip files (ISO 3309), computed with a lookup table. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let checksum = byte;
  for (let bit = 0; bit < 8; bit++)
    checksum = checksum & 1 ? (checksum >>> 1) ^ 0xedb88320 : checksum >>> 1;
  return checksum;
});

export function computeCrc32(bytes: Uint8Array): number {
  let checksum = -1;
  for (const byte of bytes) checksum = CRC_TABLE[(checksum ^ byte) & 0xff]! ^ (checksum >>> 8);
  return ~checksum >>> 0;
}
