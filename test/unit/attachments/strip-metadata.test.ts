import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMetadata, stripMetadata } from "../../../src/attachments/metadata/strip-metadata.ts";
import { createPatchStream } from "../../../src/attachments/metadata/patch.ts";
import { readFromMemory } from "../../../src/attachments/metadata/byte-source.ts";
import { costlyFiles } from "../../support/media/costly-files.ts";
import { buildFragmentedFilm, buildMetadataTrack } from "../../support/media/iso-track.ts";
import { type Photo, buildPhoto } from "../../support/media/photo.ts";

const FIXTURES = new URL("../../fixtures/media/", import.meta.url);
const FILES = readdirSync(FIXTURES).filter((name) => !name.endsWith(".md"));
const readFixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(name, FIXTURES)));

const decodeLatin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const encodeLatin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));

/** Tags of the first EXIF directory with their inline values. */
function readTags(bytes: Uint8Array): Map<number, number> {
  const start = decodeLatin1(bytes).indexOf("Exif\0\0") + 6;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  const little = view.getUint16(0) === 0x4949;
  const first = view.getUint32(4, little);
  return new Map(
    Array.from({ length: view.getUint16(first, little) }, (_, index) => {
      const entry = first + 2 + 12 * index;
      const short = view.getUint16(entry + 2, little) === 3;
      const value = short ? view.getUint16(entry + 8, little) : view.getUint32(entry + 8, little);
      return [view.getUint16(entry, little), value];
    }),
  );
}

const ORIENTATION = 0x0112;

describe("stripping metadata", () => {
  it.each(FILES)(
    "stripping metadata removes all of it from %s and keeps its length",
    async (name) => {
      const file = readFixture(name);
      expect(decodeLatin1(file)).toContain("SECRET");

      const clean = await stripMetadata(file);

      expect(decodeLatin1(clean)).not.toContain("SECRET");
      expect(decodeLatin1(clean)).not.toContain("+48.");
      expect(clean.length).toBe(file.length);
      expect(await stripMetadata(clean)).toEqual(clean);
    },
  );

  it.each<Photo>([{}, { little: true }, { little: true, progressive: true }])(
    "stripping metadata keeps the orientation, color profile and picture of a JPEG %j",
    async (kind) => {
      const clean = await stripMetadata(buildPhoto(kind));

      expect([...readTags(clean)]).toEqual([[ORIENTATION, 6]]);
      const text = decodeLatin1(clean);
      for (const lost of ["PLACE", "2031:04:05", "MPF"]) expect(text).not.toContain(lost);
      expect(text).toContain("ICC_PROFILE\0");
      expect(text).toContain("PIXELS\xff\0MORE\xff\xd0REST\xff");
    },
  );

  it.each(["camm", "meta", "sbtl", "text"])(
    "stripping metadata erases the samples of a track %s with positions, and keeps the other tracks",
    async (handler) => {
      const film = buildMetadataTrack({ handler, sample: "SECRET", other: "PIXELS" });

      const clean = decodeLatin1(await stripMetadata(film));

      expect(clean).not.toContain("SECRET");
      expect(clean).toContain("PIXELS");
    },
  );

  it.each(["file", "fragment", "previous"] as const)(
    "stripping metadata erases a track with positions in fragments with offsets from the %s",
    async (base) => {
      const film = buildFragmentedFilm({ base, sample: "SECRET", other: "PIXELS" });

      const clean = decodeLatin1(await stripMetadata(film));

      expect(clean).not.toContain("SECRET");
      expect(clean.match(/PIXELS/g)).toHaveLength(2);
    },
  );

  it("stripping metadata of a JPEG with five million markers terminates", async () => {
    const bytes = new Uint8Array(10 * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 2) bytes.set([0xff, 0xd8], at);

    expect((await stripMetadata(bytes)).length).toBe(bytes.length);
  });

  it("stripping metadata erases the remaining part of a JPEG with more segments than any camera writes", async () => {
    const comments = "\xff\xfe\0\x08SECRET".repeat(3_000);

    const clean = await stripMetadata(encodeLatin1(`\xff\xd8${comments}\xff\xd9`));

    expect(decodeLatin1(clean)).not.toContain("SECRET");
  });

  it.each(Object.keys(costlyFiles))(
    "stripping metadata finds few changes, apart from each other, in a file with %s",
    async (kind) => {
      const file = costlyFiles[kind]!();

      const patches = await findMetadata(readFromMemory(file));

      expect(patches.length).toBeLessThanOrEqual(200_000);
      const ends = patches.map(({ at, length }) => at + length);
      expect(patches.findIndex(({ at }, index) => at < (ends[index - 1] ?? 0))).toBe(-1);
      expect((await stripMetadata(file)).length).toBe(file.length);
    },
  );

  it("stripping metadata erases the tags of a WebM after an element whose size has eight bytes", async () => {
    const seek = "\x11\x4d\x9b\x74\x01\0\0\0\0\0\0\x05SEEKS";
    const tags = "\x12\x54\xc3\x67\x01\0\0\0\0\0\0\x06SECRET";
    const file = `\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff${seek}${tags}`;

    const clean = decodeLatin1(await stripMetadata(encodeLatin1(file)));

    expect(clean).not.toContain("SECRET");
    expect(clean).toContain("SEEKS");
  });

  it.each([1, 2, 3, 256, 257, 258, 100_000])(
    "stripping metadata of a GIF replaces a comment of %i bytes by valid data blocks",
    async (length) => {
      const blocks = Array.from({ length: Math.ceil(length / 255) }, (_, index) => {
        const bytes = Math.min(255, length - 255 * index);
        return String.fromCharCode(bytes) + "S".repeat(bytes);
      });
      const start = "GIF89a\x01\0\x01\0\0\0\0\x21\xfe";

      const clean = decodeLatin1(
        await stripMetadata(encodeLatin1(`${start}${blocks.join("")}\0\x3bLATER`)),
      );

      expect(clean).not.toContain("S");
      let at = start.length;
      while (clean.charCodeAt(at) > 0) at += 1 + clean.charCodeAt(at);
      expect(clean.slice(at)).toBe("\0\x3b\0\0\0\0\0");
    },
  );

  it("stripping metadata of a stream gives the same file for every size of its chunks", async () => {
    for (const file of FILES.map(readFixture)) {
      const patches = await findMetadata(readFromMemory(file));
      const clean = await stripMetadata(file);
      for (const size of [7, 300, file.length]) {
        const stream = createPatchStream(patches);
        const streamed = new Response(stream.readable).bytes();
        const writer = stream.writable.getWriter();
        for (let at = 0; at < file.length; at += size)
          await writer.write(file.slice(at, at + size));
        await writer.close();

        expect(Buffer.from(await streamed).equals(clean)).toBe(true);
      }
    }
  });

  it("stripping metadata removes all EXIF data that cannot be parsed", async () => {
    for (const exif of [
      "",
      "XX*\0PLACE",
      "MM\0*\0\0\xff\xffPLACE",
      "MM\0*\0\0\0\x08\xff\xffPLACE",
    ]) {
      const clean = await stripMetadata(buildPhoto({ exif }));
      expect(decodeLatin1(clean)).not.toContain("PLACE");
      expect(decodeLatin1(clean)).toContain("PIXELS");
    }
  });

  it.each(["%PDF-1.7", "ID3", "", "\xff\xd8", "plain text"])(
    "stripping metadata does not change a file that begins with %j",
    async (start) => {
      const other = encodeLatin1(`${start}PLACE`);

      expect(await stripMetadata(other)).toBe(other);
    },
  );

  it("stripping metadata of damaged files terminates, and keeps their length", async () => {
    const files = [...FILES.map(readFixture), buildPhoto({})];
    await fc.assert(
      fc.asyncProperty(
        fc.nat(files.length - 1),
        fc.array(fc.tuple(fc.nat(6_000), fc.nat(255)), { maxLength: 20 }),
        fc.nat(6_000),
        async (index, noise, cut) => {
          const file = files[index]!;
          const damaged = file.slice(0, Math.max(16, file.length - cut));
          for (const [at, byte] of noise) damaged[16 + (at % damaged.length)] = byte;

          expect((await stripMetadata(damaged)).length).toBe(damaged.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
