/** Small files that state much work: numbers of parts, overlaps, and depths that no real file has. */

function toLongs(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * index);
  return bytes;
}

const toLong = (number: number): Buffer => toLongs([number]);

function buildBox(type: string, ...content: readonly Buffer[]): Buffer {
  const data = Buffer.concat(content);
  return Buffer.concat([toLong(8 + data.length), Buffer.from(type), data]);
}

const buildTable = (type: string, numbers: readonly number[]): Buffer =>
  buildBox(type, toLong(0), toLongs(numbers));

const buildHandler = (type: string): Buffer =>
  buildBox("hdlr", Buffer.alloc(8), Buffer.from(type), Buffer.alloc(13));

const FILE_TYPE = buildBox("ftyp", Buffer.from("heic"));

/** A track of positions, with one run of chunks that each have `samples` samples of `bytes` bytes. */
const buildTrack = (chunks: readonly number[], samples: number, bytes: number): Buffer =>
  buildBox(
    "moov",
    buildBox(
      "trak",
      buildBox(
        "mdia",
        buildHandler("camm"),
        buildBox(
          "minf",
          buildBox(
            "stbl",
            buildTable("stsz", [bytes, 1]),
            buildTable("stsc", [1, 1, samples, 1]),
            buildTable("stco", [chunks.length, ...chunks]),
          ),
        ),
      ),
    ),
  );

const repeat = <Part>(count: number, part: (index: number) => Part): Part[] =>
  Array.from({ length: count }, (_, index) => part(index));

export const costlyFiles: Readonly<Record<string, () => Uint8Array>> = {
  "items of many extents without bytes": () => {
    const items = 1_000;
    const extents = Buffer.from([0, 1, 0, 0, 0xff, 0xff]);
    const item = buildBox("infe", toLong(0x02000000), Buffer.from("\0\x01\0\0Exif\0"));
    const info = buildBox("iinf", toLong(0), Buffer.from([0, 1]), item);
    const head = Buffer.from([0, 0, items >> 8, items & 255]);
    const locations = buildBox("iloc", toLong(0), head, ...repeat(items, () => extents));
    const meta = buildBox("meta", toLong(0), buildHandler("pict"), info, locations);
    return Buffer.concat([FILE_TYPE, meta]);
  },
  "containers inside each other": () => {
    const depth = 200_000;
    return Buffer.concat(
      repeat(depth, (index) => [toLong(8 * (depth - index)), Buffer.from("moov")]).flat(),
    );
  },
  "boxes in many containers": () => {
    const container = buildBox("moov", ...repeat(10_000, () => buildBox("udta")));
    return Buffer.concat([FILE_TYPE, ...repeat(50, () => container)]);
  },
  "more chunks than are erased": () =>
    Buffer.concat([FILE_TYPE, buildTrack([...Array(300_000).keys()], 1, 1)]),
  "many chunks that do not touch": () =>
    Buffer.concat([
      FILE_TYPE,
      buildTrack(
        repeat(150_000, (index) => 3 * index),
        1,
        1,
      ),
    ]),
  "chunks on top of each other": () =>
    Buffer.concat([
      FILE_TYPE,
      buildTrack(
        repeat(50_000, () => 8),
        1,
        0xffffff,
      ),
      Buffer.alloc(1e6),
    ]),
  "chunks of many samples": () =>
    Buffer.concat([
      FILE_TYPE,
      buildTrack(
        repeat(100_000, () => 8),
        10_000,
        1,
      ),
    ]),
  "many dates": () => {
    const head = Buffer.from("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff", "latin1");
    const date = Buffer.from("\x44\x61\x88\0\0\0\0\0\0\0\0", "latin1");
    return Buffer.concat([head, ...repeat(200_000, () => date)]);
  },
};
