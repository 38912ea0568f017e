/** Runs the longest test files first, so that all cores are busy until the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take a minute or more. Files that mostly wait for a program alternate with files that compute. */
const LONG_FILES = [
  "e2e/crash.test.ts",
  "reliability/crash-schedules-1.test.ts",
  "e2e/respond/respond.test.ts",
  "reliability/crash-schedules-2.test.ts",
  "e2e/docs.test.ts",
  "e2e/start.test.ts",
  "e2e/demo.test.ts",
];

export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's own, and copies.
    const sorted = await super.sort(files);
    const long = LONG_FILES.flatMap((name) =>
      sorted.filter(({ moduleId }) => moduleId.endsWith(name)),
    );
    return [...long, ...sorted.filter((file) => !long.includes(file))];
  }
}
