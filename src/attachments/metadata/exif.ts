/** Reduces EXIF to the orientation, without which a photo would be shown rotated. */

const ORIENTATION_TAG = 0x0112;
const SHORT_TYPE = 3;
const UPRIGHT = 1;

/** Bytes of a TIFF structure with one directory of one entry. */
const MINIMAL_TIFF_BYTES = 26;

/** Bytes of an EXIF that are searched for the orientation, which is in the first directory. */
export const EXIF_HEAD_BYTES = 64 * 1024;

/**
 * Builds a TIFF structure with only the orientation, to overwrite the beginning of the original one.
 * @param tiff the beginning of the original structure
 * @returns nothing where the original is too short
 */
export function buildMinimalTiff(tiff: Uint8Array): Uint8Array {
  if (tiff.length < MINIMAL_TIFF_BYTES) return new Uint8Array();
  const view = new DataView(new ArrayBuffer(MINIMAL_TIFF_BYTES));
  view.setUint32(0, 0x4d4d002a);
  view.setUint32(4, 8);
  view.setUint16(8, 1);
  view.setUint16(10, ORIENTATION_TAG);
  view.setUint16(12, SHORT_TYPE);
  view.setUint32(14, 1);
  view.setUint16(18, readOrientation(tiff));
  return new Uint8Array(view.buffer);
}

/** Returns the orientation, 1 to 8; upright where it is missing or the structure is damaged. */
function readOrientation(tiff: Uint8Array): number {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const isLittleEndian = view.getUint16(0) === 0x4949;
  const directory = view.getUint32(4, isLittleEndian);
  if (directory + 2 > tiff.length) return UPRIGHT;
  const end = directory + 2 + 12 * view.getUint16(directory, isLittleEndian);
  for (let entry = directory + 2; entry + 12 <= Math.min(end, tiff.length); entry += 12) {
    if (view.getUint16(entry, isLittleEndian) !== ORIENTATION_TAG) continue;
    const value = view.getUint16(entry + 8, isLittleEndian);
    return value >= 1 && value <= 8 ? value : UPRIGHT;
  }
  return UPRIGHT;
}
