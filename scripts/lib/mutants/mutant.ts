/**
 * A deliberate defect that the tests must detect: a text that occurs exactly once in a source file, its replacement,
 * and the tests that must then fail.
 */
export interface Mutant {
  /** The wrong behavior. */
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Test files under `test/workers/`, or `unit/…` under `test/`, without `.test.ts`. */
  tests: readonly string[];
}
