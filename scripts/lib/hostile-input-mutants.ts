/** Defects of reading hostile input: one small call keeps the Worker busy. */
import type { Mutant } from "./mutant.ts";

const DURATIONS = ["hostile/durations"];

export const MUTANTS_OF_HOSTILE_INPUT: readonly Mutant[] = [
  {
    name: "white space in a duration matches in several ways",
    file: "src/mess/durations.ts",
    find: String.raw`const SHORT = /^(?:(\d+)w\s*)?(?:(\d+)d\s*)?(?:(\d+)h\s*)?(?:(\d+)m(?:in)?\s*)?(?:(\d+)s)?$/i;
const MAX_CHARACTERS = 64;`,
    replace: String.raw`const SHORT = /^(?:(\d+)w)?\s*(?:(\d+)d)?\s*(?:(\d+)h)?\s*(?:(\d+)m(?:in)?)?\s*(?:(\d+)s)?$/i;
const MAX_CHARACTERS = 64_000;`,
    tests: DURATIONS,
  },
];
