/** Runs the longest test files first and many short ones last, so that all cores are busy until the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take ten seconds or more. Files that mostly wait for a program alternate with files that compute. */
const LONG_FILES = [
  "e2e/respond/respond.test.ts",
  "reliability/crash-schedules-1.test.ts",
  "e2e/crash.test.ts",
  "reliability/crash-schedules-2.test.ts",
  "e2e/start.test.ts",
  "e2e/docs.test.ts",
  "unit/reliability/malformed-input.test.ts",
  "e2e/mcp/conformance.test.ts",
  "unit/reliability/input-costs.test.ts",
  "e2e/demo.test.ts",
  "reliability/deliveries.test.ts",
  "e2e/simulator.test.ts",
];

/** Each project's files run together, so that they share its workerds. That with the most short files is the last. */
const PROJECTS = ["e2e", "workers-alone", "unit", "workers"];

/** Long files that start together with the short ones of their project. */
const LONG_SHARING_FILES = [
  "quotas/waits.test.ts",
  "channels/failure-contract.test.ts",
  "isolation/mcp.test.ts",
  "isolation/strangers.test.ts",
  "sources/classify.test.ts",
  "schedule/merging.test.ts",
];

export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's own, and copies.
    const sorted = await super.sort(files);
    const byProject = PROJECTS.flatMap((name) =>
      moveFirst(
        sorted.filter(({ project }) => project.name === name),
        LONG_SHARING_FILES,
      ),
    );
    const others = sorted.filter((file) => !byProject.includes(file));
    return moveFirst([...others, ...byProject], LONG_FILES);
  }
}

function moveFirst(
  files: readonly TestSpecification[],
  names: readonly string[],
): TestSpecification[] {
  const first = names.flatMap((name) =>
    files.filter(({ moduleId }) => moduleId.endsWith(`/${name}`)),
  );
  return [...first, ...files.filter((file) => !first.includes(file))];
}
