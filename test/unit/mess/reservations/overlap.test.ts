import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeName } from "../../../../src/mess/reservations/names.ts";
import { isOverlapping, parseName } from "../../../../src/mess/reservations/overlap.ts";

const overlaps = (a: string, b: string): boolean =>
  isOverlapping(parseName(normalizeName(a)!), parseName(normalizeName(b)!));

/** Few characters and short segments, so that names often overlap. */
const pathOf = (...characters: string[]) =>
  fc
    .array(
      fc
        .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 4 })
        .map((parts) => parts.join("")),
      { minLength: 1, maxLength: 4 },
    )
    .map((segments) => segments.join("/"));
const anyPath = pathOf("a", "b", "🥚");
const anyPattern = pathOf("a", "b", "🥚", "?", "*", "**");

/** A slow reference that tries every way in which the pattern can match. */
function matches(pattern: string, path: string): boolean {
  return matchItems(
    pattern.split("/"),
    path.split("/"),
    (segment) => segment.includes("**"),
    (segment, text) =>
      matchItems(
        Array.from(segment),
        Array.from(text),
        (character) => character === "*",
        (one, other) => one === "?" || one === other,
      ),
  );
}

function matchItems(
  pattern: readonly string[],
  items: readonly string[],
  isWildcard: (item: string) => boolean,
  isMatch: (item: string, other: string) => boolean,
): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return items.length === 0;
  if (isWildcard(first))
    return Array.from({ length: items.length + 1 }, (_, skipped) => items.slice(skipped)).some(
      (left) => matchItems(rest, left, isWildcard, isMatch),
    );
  const [item, ...others] = items;
  return (
    item !== undefined && isMatch(first, item) && matchItems(rest, others, isWildcard, isMatch)
  );
}

describe("overlap of reserved names", () => {
  it.each([
    ["src/a.ts", "src/a.ts"],
    ["src/a.ts", ".\\SRC\\a.ts"],
    ["the 3D printer", "The  3d Printer"],
    ["src/*.ts", "src/a.ts"],
    ["src/", "src/mess/errors.ts"],
    ["src/**", "src"],
    ["src/**/*.ts", "src/a/b/c.ts"],
    ["src/**", "**/*.test.ts"],
    ["room ?", "room 4"],
    ["**", "the 3D printer"],
  ])("%s overlaps %s", (a, b) => {
    expect(overlaps(a, b)).toBe(true);
    expect(overlaps(b, a)).toBe(true);
  });

  it.each([
    ["src/a.ts", "src/b.ts"],
    ["src/*.ts", "src/a/b.ts"],
    ["src/*.ts", "src/a.js"],
    ["src/**", "test/**"],
    ["src/**/*.ts", "src/**/*.js"],
    ["src/**", "srcs"],
    ["room ?", "room 42"],
    ["a*a", "a"],
    ["the 3D printer", "the 2D printer"],
    ["app/[id].tsx", "app/page.tsx"],
  ])("%s does not overlap %s", (a, b) => {
    expect(overlaps(a, b)).toBe(false);
    expect(overlaps(b, a)).toBe(false);
  });

  it("two patterns that match one path always overlap", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, anyPath, (a, b, path) => {
        fc.pre(matches(a, path) && matches(b, path));
        expect(overlaps(a, b)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("a pattern overlaps every path that it matches", () => {
    fc.assert(
      fc.property(anyPattern, anyPath, (pattern, path) => {
        expect(!matches(pattern, path) || overlaps(pattern, path)).toBe(true);
      }),
    );
  });

  it("a pattern with one wildcard overlaps only the paths that it matches", () => {
    const anyText = fc.array(fc.constantFrom("a", "b", "🥚"), { maxLength: 3 });
    const anySegment = fc
      .tuple(anyText, fc.constantFrom("*", "?", ""), anyText)
      .map(([start, wildcard, end]) => [...start, wildcard, ...end].join(""))
      .filter((segment) => segment !== "");
    fc.assert(
      fc.property(anySegment, anyPath, (pattern, path) => {
        expect(overlaps(pattern, path)).toBe(matches(pattern, path));
      }),
    );
  });

  it("names without wildcards overlap only where they are equal", () => {
    fc.assert(
      fc.property(anyPath, anyPath, (a, b) => {
        expect(overlaps(a, b)).toBe(a === b);
      }),
    );
  });

  it("overlap does not depend on the order, and every name overlaps itself", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, (a, b) => {
        expect(overlaps(a, b)).toBe(overlaps(b, a));
        expect(overlaps(a, a)).toBe(true);
      }),
    );
  });

  it("compares the longest names with many wildcards in linear time", () => {
    const hostile = parseName("*a".repeat(128));
    const other = parseName("a?".repeat(128));
    const start = performance.now();

    for (let count = 0; count < 6_400; count++) isOverlapping(hostile, other);

    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe("normalizeName", () => {
  it.each([
    ["/src//mess/./errors.ts", "src/mess/errors.ts"],
    ["SRC\\Mess\\", "src/mess/**"],
    ["  the 3D\u00a0printer\n", "the 3d printer"],
    ["cafe\u0301", "café"],
    ["src/\u200ba.ts", "src/a.ts"],
  ])("normalizes %j", (name, normalized) => {
    expect(normalizeName(name)).toBe(normalized);
  });

  it.each(["", "  ", "\u200b", "../a", "a/../b", "src/{a,b}.ts", "!src", "a".repeat(257)])(
    "refuses %j",
    (name) => {
      expect(normalizeName(name)).toBeUndefined();
    },
  );

  it("a normalized name stays the same when it is normalized again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (name) => {
        const normalized = normalizeName(name);
        fc.pre(normalized !== undefined && normalized.length <= 256);
        expect(normalizeName(normalized)).toBe(normalized);
      }),
      { numRuns: 2_000 },
    );
  });
});
