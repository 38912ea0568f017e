/**
 * A JPEG as cameras write it, but for the picture: EXIF with a place, the place again in XMP, in IPTC and behind the
 * end, a colour profile, and scans. Every place reads `PLACE`.
 */

export interface Photo {
  /** The byte order of its EXIF; big when absent. */
  little?: boolean;
  progressive?: boolean;
  place?: boolean;
  /** The content of its EXIF segment, one character a byte. */
  exif?: string;
}

const bytesOf = (text: string): number[] => Array.from(text, (sign) => sign.charCodeAt(0));

const segment = (code: number, body: readonly number[]): number[] => {
  const length = body.length + 2;
  return [0xff, code, length >> 8, length & 255, ...body];
};

type Entry = [tag: number, type: number, count: number, value: number];

/** Directories one behind the other, each entry's value a number or the place of one. */
function exifOf(little: boolean, place: boolean): number[] {
  const bytes = new Uint8Array(256);
  const view = new DataView(bytes.buffer);
  bytes.set(bytesOf(little ? "II" : "MM"), 0);
  view.setUint16(2, 42, little);
  view.setUint32(4, 8, little);
  const directory = (at: number, entries: readonly Entry[]): void => {
    view.setUint16(at, entries.length, little);
    for (const [index, [tag, type, count, value]] of entries.entries()) {
      const entry = at + 2 + 12 * index;
      view.setUint16(entry, tag, little);
      view.setUint16(entry + 2, type, little);
      view.setUint32(entry + 4, count, little);
      if (type === 3) view.setUint16(entry + 8, value, little);
      else view.setUint32(entry + 8, value, little);
    }
  };
  const [details, taken, gps, latitude] = [80, 120, 150, 200];
  directory(8, [
    [0x0112, 3, 1, 6],
    [0x8769, 4, 1, details],
    ...(place ? ([[0x8825, 4, 1, gps]] as Entry[]) : []),
    [0x9c9b, 3, 1, 7],
  ]);
  directory(details, [[0x9003, 2, 20, taken]]);
  bytes.set(bytesOf("2031:04:05 06:07:08\0"), taken);
  if (place) {
    directory(gps, [
      [0x0001, 2, 2, 0x4e000000],
      [0x0002, 5, 3, latitude],
    ]);
    bytes.set(bytesOf("PLACE PLACE PLACE PLACE!"), latitude);
  }
  return [...bytes];
}

export function photo({
  little = false,
  progressive = false,
  place = true,
  exif,
}: Photo): Uint8Array {
  const scan = [...segment(0xda, [1, 1, 0, 0, 63, 0]), ...bytesOf("PIXELS\xff\0MORE\xff\xd0REST")];
  const shown = exif === undefined ? exifOf(little, place) : bytesOf(exif);
  return Uint8Array.from([
    0xff,
    0xd8,
    ...segment(0xe0, bytesOf("JFIF\0\x01\x01\0\0\x01\0\x01\0\0")),
    ...segment(0xe1, [...bytesOf("Exif\0\0"), ...shown]),
    ...(place ? segment(0xe1, bytesOf("http://ns.adobe.com/xap/1.0/\0<x>PLACE</x>")) : []),
    ...(place ? segment(0xed, bytesOf("Photoshop 3.0\0PLACE")) : []),
    ...segment(0xe2, bytesOf("ICC_PROFILE\0\x01\x01sRGB")),
    ...(place ? segment(0xe2, bytesOf("MPF\0PLACE")) : []),
    ...scan,
    ...(progressive ? [...segment(0xc4, [0, 1, 2]), ...scan] : []),
    0xff,
    0xd9,
    ...(place ? bytesOf("\0\0\0\x18ftypmp42PLACE") : []),
  ]);
}
