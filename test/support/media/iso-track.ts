/** A QuickTime film of two tracks without a codec: one of pictures, and one of measurements with another handler. */

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
