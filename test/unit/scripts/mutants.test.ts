/** Checks that every mutant still matches the code, so that a run of the mutation tests is meaningful. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as access from "../../../scripts/lib/mutants/access-mutants.ts";
import * as channels from "../../../scripts/lib/mutants/channel-mutants.ts";
import * as escalation from "../../../scripts/lib/mutants/escalation-mutants.ts";
import * as hostileInput from "../../../scripts/lib/mutants/hostile-input-mutants.ts";
import type { Mutant } from "../../../scripts/lib/mutants/mutant.ts";
import * as secrets from "../../../scripts/lib/mutants/secret-mutants.ts";
import * as threads from "../../../scripts/lib/mutants/thread-mutants.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const MUTANTS: Mutant[] = [access, channels, escalation, hostileInput, secrets, threads].flatMap(
  (lists) => Object.values<readonly Mutant[]>(lists).flat(),
);
const getPath = (test: string): string =>
  join(ROOT, "test", test.startsWith("unit/") ? "" : "workers", `${test}.test.ts`);

describe("mutants", () => {
  it("every mutant has a unique name", () => {
    expect(MUTANTS.length).toBeGreaterThan(100);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    "a mutant changes a text that occurs once in its file, and names tests that exist: %s",
    (_, { file, find, replace, tests }) => {
      const parts = readFileSync(join(ROOT, file), "utf8").split(find);

      expect(parts).toHaveLength(2);
      expect(replace).not.toBe(find);
      expect(tests.filter((test) => !existsSync(getPath(test)))).toEqual([]);
    },
  );
});
