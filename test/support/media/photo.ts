/**
 * Builds a JPEG with the metadata of a camera: EXIF with a location, the location again in XMP, in IPTC and after the
 * end of the image, a color profile, and scans. Every location contains `PLACE`.
 */

export interface Photo {
  /** The byte order of the EXIF data; default: big-endian. */
  little?: boolean;
  progressive?: boolean;
  place?: boolean;
  /** The content of the EXIF segment, one character a byte. */
  exif?: string;
}

const toBytes = (text: string): number[] => Array.from(text, (sign) => sign.charCodeAt(0));

const buildSegment = (code: number, body: readonly number[]): number[] => {
  const length = body.length + 2;
  return [0xff, code, length >> 8, length & 255, ...body];
};

type Entry = [tag: number, type: number, count: number, value: number];

/** Writes the directories one after the other; the value of an entry is a number or the offset of one. */
function buildExif(little: boolean, place: boolean): number[] {
  const bytes = new Uint8Array(256);
  const view = new DataView(bytes.buffer);
  bytes.set(toBytes(little ? "II" : "MM"), 0);
  view.setUint16(2, 42, little);
  view.setUint32(4, 8, little);
  const writeDirectory = (at: number, entries: readonly Entry[]): void => {
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
  writeDirectory(8, [
    [0x0112, 3, 1, 6],
    [0x8769, 4, 1, details],
    ...(place ? ([[0x8825, 4, 1, gps]] as Entry[]) : []),
    [0x9c9b, 3, 1, 7],
  ]);
  writeDirectory(details, [[0x9003, 2, 20, taken]]);
  bytes.set(toBytes("2031:04:05 06:07:08\0"), taken);
  if (place) {
    writeDirectory(gps, [
      [0x0001, 2, 2, 0x4e000000],
      [0x0002, 5, 3, latitude],
    ]);
    bytes.set(toBytes("PLACE PLACE PLACE PLACE!"), latitude);
  }
  return [...bytes];
}

export function buildPhoto({
  little = false,
  progressive = false,
  place = true,
  exif,
}: Photo): Uint8Array {
  const scan = [
    ...buildSegment(0xda, [1, 1, 0, 0, 63, 0]),
    ...toBytes("PIXELS\xff\0MORE\xff\xd0REST"),
  ];
  const shown = exif === undefined ? buildExif(little, place) : toBytes(exif);
  return Uint8Array.from([
    0xff,
    0xd8,
    ...buildSegment(0xe0, toBytes("JFIF\0\x01\x01\0\0\x01\0\x01\0\0")),
    ...buildSegment(0xe1, [...toBytes("Exif\0\0"), ...shown]),
    ...(place ? buildSegment(0xe1, toBytes("http://ns.adobe.com/xap/1.0/\0<x>PLACE</x>")) : []),
    ...(place ? buildSegment(0xed, toBytes("Photoshop 3.0\0PLACE")) : []),
    ...buildSegment(0xe2, toBytes("ICC_PROFILE\0\x01\x01sRGB")),
    ...(place ? buildSegment(0xe2, toBytes("MPF\0PLACE")) : []),
    ...scan,
    ...(progressive ? [...buildSegment(0xc4, [0, 1, 2]), ...scan] : []),
    0xff,
    0xd9,
    ...(place ? toBytes("\0\0\0\x18ftypmp42PLACE") : []),
  ]);
}
