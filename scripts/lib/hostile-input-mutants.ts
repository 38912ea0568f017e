/** Defects of reading hostile input: one small call keeps the Worker busy. */
import type { Mutant } from "./mutant.ts";

const DURATIONS = ["hostile/durations"];
const REGEXES = ["unit/scripts/check-regexes"];
const FILE_NAMES = ["hostile/file-names"];

export const HOSTILE_INPUT_MUTANTS: readonly Mutant[] = [
  {
    name: "white space in a duration matches in several ways",
    file: "src/mess/durations.ts",
    find: String.raw`(?:(\d+)w\s*)?(?:(\d+)d\s*)?(?:(\d+)h\s*)?`,
    replace: String.raw`(?:(\d+)w)?\s*(?:(\d+)d)?\s*(?:(\d+)h)?\s*`,
    tests: REGEXES,
  },
  {
    name: "a duration may have any length",
    file: "src/mess/limits.ts",
    find: "durationChars: 64,",
    replace: "durationChars: 64_000,",
    tests: DURATIONS,
  },
  {
    name: "file names are not cut",
    file: "src/mess/file-names.ts",
    find: "if (name.length <= MAX_FILE_NAME_CHARACTERS) return name;",
    replace: "if (name.length >= 0) return name;",
    tests: FILE_NAMES,
  },
  {
    name: "file names that are stored already are not cut",
    file: "src/thread/thread-log.ts",
    find: "{ ...row, original: cutFileName(original) }",
    replace: "{ ...row, original }",
    tests: FILE_NAMES,
  },
  {
    name: "parts of a form are counted after it is parsed",
    file: "src/ingress/http/multipart.ts",
    find: "if (countDelimiters(bytes.value, boundary, MAX_PARTS + 2) > MAX_PARTS + 1)",
    replace: "if (countDelimiters(bytes.value, boundary, MAX_PARTS + 2) > MAX_PARTS + 2)",
    tests: ["hostile/form-parts"],
  },
];
