import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeShortCode, readShortCode } from "../../../src/auth/links/short-links.ts";

const SECRET = "a-secret-for-tests-of-more-than-32-bytes";

const code = fc.record({
  household: fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/),
  ref: fc.oneof(
    fc.constantFrom("2031-04-05-006-water-plants", "2031-04-05-1006"),
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,40}$/),
  ),
  number: fc.integer({ min: 1, max: 1_000 }),
});

describe("a short code", () => {
  it("a short code resolves to its thread's link, whatever the names of household, thread and executor", async () => {
    await fc.assert(
      fc.asyncProperty(code, async (one) => {
        expect(await readShortCode(SECRET, await makeShortCode(SECRET, one))).toEqual(one);
      }),
      { numRuns: 200 },
    );
  });

  it("a short code is short for short names, and has eighty bits of entropy", async () => {
    const text = await makeShortCode(SECRET, {
      household: "smith",
      ref: "2031-04-05-006",
      number: 1,
    });

    expect(text).toMatch(/^smith_2031-04-05-006_1[0-9a-hjkmnp-tv-z]{16}$/);
  });

  it("a short code is invalid with a changed character or another secret", async () => {
    await fc.assert(
      fc.asyncProperty(
        code,
        fc.nat(),
        fc.constantFrom("a", "0", "z", "-", "_"),
        async (one, at, other) => {
          const text = await makeShortCode(SECRET, one);
          const place = at % text.length;
          fc.pre(text[place] !== other);
          const changed = text.slice(0, place) + other + text.slice(place + 1);
          expect(await readShortCode(SECRET, changed)).toBeUndefined();
          expect(await readShortCode(`${SECRET}!`, text)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each(["", "_", "a_b_c", "smith_2031-04-05-006_", "x".repeat(300)])(
    "the text %j is not a short code",
    async (text) => {
      expect(await readShortCode(SECRET, text)).toBeUndefined();
    },
  );
});
