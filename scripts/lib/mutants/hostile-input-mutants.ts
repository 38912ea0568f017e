/** Defects with hostile input: a small call that keeps the Worker busy. */
import type { Mutant } from "./mutant.ts";

const DURATIONS = ["hostile/durations"];
const REGEXES = ["unit/scripts/check-regexes"];
const FILE_NAMES = ["hostile/file-names"];
const FIELDS = ["unit/mess/wire/field-lengths"];
const ENTRY_POINTS = ["http/field-lengths"];

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
    name: "a field of a message may have any length",
    file: "src/mess/wire/field-readers.ts",
    find: "value.length <= maxChars",
    replace: "value.length >= 0",
    tests: FIELDS,
  },
  {
    name: "an entry of a message may have any length",
    file: "src/mess/wire/content/media.ts",
    find: "value.length > maxChars",
    replace: "value.length < 0",
    tests: FIELDS,
  },
  {
    name: "keys and texts of free JSON may have any length",
    file: "src/mess/wire/read-block.ts",
    find: "if (long) return fail([long]);",
    replace: "",
    tests: FIELDS,
  },
  {
    name: "a field of another request body may have any length",
    file: "src/mess/lengths.ts",
    find: "z.string().max(maxChars, {",
    replace: "z.string().max(maxChars * 100_000, {",
    tests: ENTRY_POINTS,
  },
  {
    name: "a field that is too long is parsed before it is refused",
    file: "src/mess/lengths.ts",
    find: "abort: true",
    replace: "abort: false",
    tests: ["unit/mess/bounded-text"],
  },
  {
    name: "a header may have any length",
    file: "src/ingress/http/request-lengths.ts",
    find: "value.length > maxChars",
    replace: "value.length < 0",
    tests: ENTRY_POINTS,
  },
  {
    name: "the text of a chat message may have any length",
    file: "src/channels/inbound-query.ts",
    find: "text.length > maxChars",
    replace: "text.length < 0",
    tests: ["ingress/chats/chat-lengths"],
  },
  {
    name: "the headers of a mail may have any length",
    file: "src/channels/email/automatic-mail.ts",
    find: "value.length > HEADER_CHARS",
    replace: "value.length < 0",
    tests: ["ingress/email/email"],
  },
  {
    name: "file names are not truncated",
    file: "src/mess/file-names.ts",
    find: "if (name.length <= MAX_FILE_NAME_CHARACTERS) return name;",
    replace: "if (name.length >= 0) return name;",
    tests: FILE_NAMES,
  },
  {
    name: "stored file names are not truncated",
    file: "src/thread/files/attachment-table.ts",
    find: "{ ...row, original: cutFileName(original) }",
    replace: "{ ...row, original }",
    tests: FILE_NAMES,
  },
  {
    name: "the number of parts of a form is checked after parsing",
    file: "src/ingress/http/multipart.ts",
    find: "if (countDelimiters(bytes.value, boundary, MAX_PARTS + 2) > MAX_PARTS + 1)",
    replace: "if (countDelimiters(bytes.value, boundary, MAX_PARTS + 2) > MAX_PARTS + 2)",
    tests: ["hostile/form-parts"],
  },
  {
    name: "a text with an escaped control character is accepted",
    file: "src/mess/wire/parse.ts",
    find: "if (control) return fail([control]);",
    replace: "",
    tests: ["unit/mess/wire/control-characters", "hostile/control-characters"],
  },
  {
    name: "the fields of a group do not count towards those of the form",
    file: "public/respond/answer/answer-fields.js",
    find: "fields: one.fields && limitFields(one.fields, budget),",
    replace: "fields: one.fields,",
    tests: ["unit/respond/answer-fields"],
  },
];
