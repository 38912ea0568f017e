import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutLocation } from "../../../src/attachments/strip-location.ts";
import { type Photo, photo } from "../../support/photo.ts";

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** Tags of the first directory with their inline values, as a reader of EXIF finds them. */
function tagsOf(bytes: Uint8Array): Map<number, number> {
  const start = latin(bytes).indexOf("Exif\0\0") + 6;
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

describe("a photo's place", () => {
  it.each<Photo>([{}, { little: true }, { little: true, progressive: true }])(
    "is taken out of %j, and the rest stays",
    (kind) => {
      const made = photo(kind);
      expect(tagsOf(made).has(GPS)).toBe(true);
      expect(latin(made)).toContain("PLACE");

      const clean = withoutLocation(made);

      expect(latin(clean)).not.toContain("PLACE");
      expect([...tagsOf(clean).keys()]).toEqual(
        [...tagsOf(made).keys()].filter((tag) => tag !== GPS),
      );
      expect(tagsOf(clean).get(ORIENTATION)).toBe(6);
      expect(latin(clean)).toContain("2031:04:05");
      expect(latin(clean)).toContain("ICC_PROFILE\0");
      expect(latin(clean)).toContain("PIXELS");
      expect(latin(clean).endsWith("\xff\xd9")).toBe(true);
    },
  );

  it("is gone after once", () => {
    const clean = withoutLocation(photo({}));

    expect(withoutLocation(clean)).toEqual(clean);
  });

  it("leaves a photo without one as it is, byte for byte", () => {
    const plain = photo({ place: false });

    expect(withoutLocation(plain)).toEqual(plain);
  });

  it("goes with the whole EXIF where that cannot be read", () => {
    for (const exif of [
      "",
      "XX*\0PLACE",
      "MM\0*\0\0\xff\xffPLACE",
      "MM\0*\0\0\0\x08\xff\xffPLACE",
    ]) {
      const clean = withoutLocation(photo({ exif }));
      expect(latin(clean)).not.toContain("PLACE");
      expect(latin(clean)).toContain("PIXELS");
    }
  });

  it.each(["GIF89a", "\x89PNG\r\n\x1a\n", "RIFF....WEBP", "", "\xff\xd8"])(
    "is not looked for in %j",
    (start) => {
      const other = Uint8Array.from(`${start}PLACE`, (sign) => sign.charCodeAt(0));

      expect(withoutLocation(other)).toBe(other);
    },
  );

  it("makes no harm of bytes that are no photo", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.nat(400),
        fc.boolean(),
        (noise, at, little) => {
          const made = photo({ little });
          made.set(
            noise.subarray(0, made.length - Math.min(at, made.length)),
            Math.min(at, made.length),
          );
          made.set([0xff, 0xd8, 0xff], 0);
          expect(withoutLocation(made).length).toBeLessThanOrEqual(made.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
