/**
 * Deliberate defects, each of which the reliability harness must catch: a text that stands in a source file exactly
 * once, what it becomes, and the tests that must fail then.
 */
export interface Mutant {
  /** What is wrong then. */
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Test files under `test/workers/`, or `unit/…` under `test/`, without `.test.ts`. */
  tests: readonly string[];
}
