/** Films of two tracks without a codec: one of pictures, and one of measurements with another handler. */

const toBytes = (text: string): number[] =>
  Array.from(text, (character) => character.charCodeAt(0));
const toLong = (number: number): number[] => [
  (number >>> 24) & 255,
  (number >>> 16) & 255,
  (number >>> 8) & 255,
  number & 255,
];

const buildBox = (type: string, ...content: number[][]): number[] => {
  const data = content.flat();
  return [...toLong(8 + data.length), ...toBytes(type), ...data];
};

/** A track with two samples of equal length, each in its own chunk. */
function buildTrack(handler: string, sampleBytes: number, chunks: readonly number[]): number[] {
  const table = (type: string, ...numbers: number[]) =>
    buildBox(type, ...[0, ...numbers].map(toLong));
  return buildBox(
    "trak",
    buildBox(
      "mdia",
      buildBox("hdlr", toLong(0), toLong(0), toBytes(handler), toLong(0), toLong(0), toLong(0)),
      buildBox(
        "minf",
        buildBox(
          "stbl",
          table("stsz", 0, chunks.length, ...chunks.map(() => sampleBytes)),
          table("stsc", 1, 1, 1, 1),
          table("stco", chunks.length, ...chunks),
        ),
      ),
    ),
  );
}

export function buildMetadataTrack(film: {
  handler: string;
  sample: string;
  other: string;
}): Uint8Array {
  const type = buildBox("ftyp", toBytes("qt  "), toLong(0));
  const samples = [film.sample, film.other, film.sample].map(toBytes);
  const data = buildBox("mdat", ...samples);
  const start = type.length + 8;
  const [first, second] = [film.sample.length, film.other.length];
  return Uint8Array.from([
    ...type,
    ...data,
    ...buildBox(
      "moov",
      buildTrack("vide", second, [start + first]),
      buildTrack(film.handler, first, [start, start + first + second]),
    ),
  ]);
}

const PICTURES = 1;
const POSITIONS = 2;

/** The header of a track whose samples are in fragments. */
const buildTrackHeader = (id: number, handler: string): number[] =>
  buildBox(
    "trak",
    buildBox("tkhd", ...[0, 0, 0, id].map(toLong)),
    buildBox(
      "mdia",
      buildBox("hdlr", toLong(0), toLong(0), toBytes(handler), toLong(0), toLong(0), toLong(0)),
    ),
  );

/** @param base where offsets begin: at the file's start, at the fragment's, or after the track before */
type OffsetBase = "file" | "fragment" | "previous";

/** A film of two fragments. In each, a sample of the pictures is followed by two of the positions. */
export function buildFragmentedFilm(film: {
  base: OffsetBase;
  sample: string;
  other: string;
}): Uint8Array {
  const { base, sample, other } = film;
  const bytes = [
    ...buildBox("ftyp", toBytes("isom"), toLong(0)),
    ...buildBox(
      "moov",
      buildTrackHeader(PICTURES, "vide"),
      buildTrackHeader(POSITIONS, "meta"),
      buildBox(
        "mvex",
        buildBox("trex", ...[0, PICTURES, 1, 0, 0, 0].map(toLong)),
        buildBox("trex", ...[0, POSITIONS, 1, 0, sample.length, 0].map(toLong)),
      ),
    ),
  ];
  const buildFragment = (start: number, length: number): number[] => {
    const origin = base === "file" ? start : 0;
    const header = (id: number): number[] => {
      const flags = { file: 0x1, fragment: 0x20000, previous: 0 }[base];
      return buildBox("tfhd", ...[flags, id, ...(base === "file" ? [0, 0] : [])].map(toLong));
    };
    const first = origin + length + 8;
    return buildBox(
      "moof",
      buildBox(
        "traf",
        header(PICTURES),
        // Each sample states a duration and a size.
        buildBox("trun", ...[0x301, 1, first, 0, other.length].map(toLong)),
      ),
      buildBox(
        "traf",
        header(POSITIONS),
        base === "previous"
          ? buildBox("trun", ...[0, 2].map(toLong))
          : buildBox("trun", ...[0x1, 2, first + other.length].map(toLong)),
      ),
    );
  };
  for (let fragment = 0; fragment < 2; fragment++) {
    const start = bytes.length;
    const { length } = buildFragment(start, 0);
    bytes.push(...buildFragment(start, length));
    bytes.push(...buildBox("mdat", toBytes(other), toBytes(sample), toBytes(sample)));
  }
  return Uint8Array.from(bytes);
}
