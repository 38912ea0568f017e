/** Checks that every mutant still matches the code, so that a run of the mutation tests is meaningful. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ALL_MUTANTS } from "../../../scripts/lib/mutants/all-mutants.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const getPath = (test: string): string =>
  join(ROOT, "test", test.startsWith("unit/") ? "" : "workers", `${test}.test.ts`);

describe("mutants", () => {
  it("every mutant has a unique name", () => {
    expect(ALL_MUTANTS.length).toBeGreaterThan(100);
    expect(new Set(ALL_MUTANTS.map(({ name }) => name)).size).toBe(ALL_MUTANTS.length);
  });

  it.each(ALL_MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    "a mutant changes a text that occurs once in its file, and names tests that exist: %s",
    (_, { file, find, replace, tests }) => {
      const parts = readFileSync(join(ROOT, file), "utf8").split(find);

      expect(parts).toHaveLength(2);
      expect(replace).not.toBe(find);
      expect(tests.filter((test) => !existsSync(getPath(test)))).toEqual([]);
    },
  );
});
