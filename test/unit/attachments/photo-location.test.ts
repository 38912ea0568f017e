import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripLocation } from "../../../src/attachments/strip-location.ts";
import { type Photo, buildPhoto } from "../../support/photo.ts";

const decodeLatin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** Tags of the first directory with their inline values, as a reader of EXIF finds them. */
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

const GPS = 0x8825;
const ORIENTATION = 0x0112;

describe("stripping the location of a photo", () => {
  it.each<Photo>([{}, { little: true }, { little: true, progressive: true }])(
    "stripping the location takes it out of %j and leaves the rest unchanged",
    (kind) => {
      const made = buildPhoto(kind);
      expect(readTags(made).has(GPS)).toBe(true);
      expect(decodeLatin1(made)).toContain("PLACE");

      const clean = stripLocation(made);

      expect(decodeLatin1(clean)).not.toContain("PLACE");
      expect([...readTags(clean).keys()]).toEqual(
        [...readTags(made).keys()].filter((tag) => tag !== GPS),
      );
      expect(readTags(clean).get(ORIENTATION)).toBe(6);
      expect(decodeLatin1(clean)).toContain("2031:04:05");
      expect(decodeLatin1(clean)).toContain("ICC_PROFILE\0");
      expect(decodeLatin1(clean)).toContain("PIXELS");
      expect(decodeLatin1(clean).endsWith("\xff\xd9")).toBe(true);
    },
  );

  it("stripping the location of a photo of five million segments does not fill the memory", () => {
    const bytes = new Uint8Array(10 * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 2) bytes.set([0xff, 0xd8], at);

    expect(stripLocation(bytes).length).toBeLessThan(10_000);
  });

  it("stripping the location twice gives the same as stripping it once", () => {
    const clean = stripLocation(buildPhoto({}));

    expect(stripLocation(clean)).toEqual(clean);
  });

  it("stripping the location leaves a photo without a location unchanged, byte for byte", () => {
    const plain = buildPhoto({ place: false });

    expect(stripLocation(plain)).toEqual(plain);
  });

  it("stripping the location removes the whole EXIF where that cannot be read", () => {
    for (const exif of [
      "",
      "XX*\0PLACE",
      "MM\0*\0\0\xff\xffPLACE",
      "MM\0*\0\0\0\x08\xff\xffPLACE",
    ]) {
      const clean = stripLocation(buildPhoto({ exif }));
      expect(decodeLatin1(clean)).not.toContain("PLACE");
      expect(decodeLatin1(clean)).toContain("PIXELS");
    }
  });

  it.each(["GIF89a", "\x89PNG\r\n\x1a\n", "RIFF....WEBP", "", "\xff\xd8"])(
    "stripping the location does not look into %j",
    (start) => {
      const other = Uint8Array.from(`${start}PLACE`, (sign) => sign.charCodeAt(0));

      expect(stripLocation(other)).toBe(other);
    },
  );

  it("stripping the location accepts bytes that are no photo", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.nat(400),
        fc.boolean(),
        (noise, at, little) => {
          const made = buildPhoto({ little });
          made.set(
            noise.subarray(0, made.length - Math.min(at, made.length)),
            Math.min(at, made.length),
          );
          made.set([0xff, 0xd8, 0xff], 0);
          expect(stripLocation(made).length).toBeLessThanOrEqual(made.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
