import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Where a schema may take a text of any length: the helpers that bound it, and what the operator sets. */
const ALLOWED = ["src/config.ts", "src/mess/lengths.ts", "src/mess/wire/field-readers.ts"];

/** A zod schema of a text that stands by itself, not behind `boundedText(…).pipe(`. */
const UNBOUNDED =
  /(?<!\.pipe\(\s*)\bz\s*\.\s*(?:string|url|email|uuid|guid|base64|base64url|iso|stringbool|coerce)\b/g;

const findPlaces = (file: string): string[] => {
  const source = readFileSync(file, "utf8");
  return Array.from(source.matchAll(UNBOUNDED), ({ index }) => {
    const line = source.slice(0, index).split("\n").length;
    return `${file}:${line}`;
  });
};

describe("a schema of a text", () => {
  it("every schema of a text is made by boundedText, so that its length is checked first", () => {
    const files = globSync("src/**/*.ts").filter((file) => !ALLOWED.includes(file));

    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap(findPlaces)).toEqual([]);
  });

  it("a schema of a text that is not made by boundedText is found", () => {
    expect(ALLOWED.flatMap(findPlaces).length).toBeGreaterThan(2);
  });
});
