import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Places where a schema may have a text of any length: helpers that limit it, settings of the operator, and results. */
const ALLOWED = [
  "src/config.ts",
  "src/ingress/mcp/results/output-text.ts",
  "src/mess/lengths.ts",
  "src/mess/wire/field-readers.ts",
];

/** A zod schema of a text outside of `boundedText(…).pipe(`. */
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
  it("every schema of a text is built by boundedText, so that its length is checked first", () => {
    const files = globSync("src/**/*.ts").filter((file) => !ALLOWED.includes(file));

    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap(findPlaces)).toEqual([]);
  });

  it("the check finds a schema of a text that is not built by boundedText", () => {
    expect(ALLOWED.flatMap(findPlaces).length).toBeGreaterThan(2);
  });
});
