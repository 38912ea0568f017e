import { defined } from "../../../src/mess/defined.ts";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ERRORS } from "../../../src/mess/errors.ts";
import { messageToMess } from "../../../src/mess/wire/message.ts";
import { readLayout } from "../../../src/mess/messe-af/layout.ts";
import { readThread } from "../../../src/mess/messe-af/read.ts";
import { writeThreadFiles } from "../../../src/mess/messe-af/write.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { writeDocuments } from "../../../src/mess/wire/serialize.ts";
import { anyMessage } from "../../support/generators/any-message.ts";
import { anyThread } from "../../support/generators/any-thread.ts";

const SEED = Number(process.env["RELIABILITY_SEED"] ?? 1);
/**
 * Of the 20,000 malformed inputs of each run, the HTTP entry point takes 4,000 and the parser's tests take the others.
 */
const BODIES = Number(process.env["RELIABILITY_BODIES"] ?? 8_000);
const FILES = BODIES / 4;
const NAMES = BODIES / 4;
/** Milliseconds for the slowest input on a busy machine. */
const MAX_PARSE_MS = 1_000;

vi.setConfig({ testTimeout: 60_000 + BODIES * 5 });

const NOISE = [
  ...Array.from("\0\t\r\n'\"`<>{}[]&*!|%@#,:?-~\\"),
  "\u202E",
  "\uFEFF",
  "\uD800",
  "💧",
  "\u2028",
  "---\n",
  "\n---\n",
  "...\n",
  "&a ",
  "*a ",
  "<<: *a\n",
  "!!js/function f",
  "%YAML 1.1\n---\n",
  "__proto__: {x: 1}\n",
  '"constructor": {"prototype": 1},',
  "? ",
  "- - - - - - - -",
  "[".repeat(40),
  "{a: ".repeat(40),
  "|\n",
  ">-\n",
  "1e400",
  "-.inf",
  ".nan",
  "0x",
  "null",
  "MESS:",
  "MESS: [",
  "re: [a, b, c]\n",
  "data:image/png;base64,####",
  "9".repeat(400),
  " ".repeat(300),
  "x".repeat(5_000),
  // Longer than any field: a run of white space, a long name, a long field.
  ...[" ", "\t", "\n", "\u00A0"].flatMap((sign) => [
    sign.repeat(3_000),
    `1w${sign.repeat(3_000)}x`,
  ]),
  `${"k".repeat(5_000)}: `,
  `"${"k".repeat(5_000)}": `,
  "a-".repeat(3_000),
  `2031-01-02-001-${"a-".repeat(3_000)}`,
  `content://a/${"a/".repeat(3_000)}`,
  `image/${"x+".repeat(3_000)}`,
];

const edits = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(60), fc.constantFrom("", ...NOISE)),
  { minLength: 1, maxLength: 6 },
);

const breakText = (text: string, list: readonly [number, number, string][]): string =>
  list.reduce((so_far, [where, cut, put]) => {
    const at = Math.floor(where * so_far.length);
    return so_far.slice(0, at) + put + so_far.slice(at + cut);
  }, text);

type Outcome = { ok: true } | { ok: false; error: { code: string; message: string; hint: string } };

/** Runs the reader on each text: it must return within the time limit, with a value or a refusal. Returns the count. */
function tryAll(texts: fc.Arbitrary<string>, runs: number, read: (text: string) => Outcome) {
  let tried = 0;
  let refused = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const began = performance.now();
      const outcome = read(text);
      const took = performance.now() - began;
      tried++;
      expect(took, `${took} ms for ${text.length} characters`).toBeLessThan(MAX_PARSE_MS);
      if (outcome.ok) return;
      refused++;
      expect(Object.keys(ERRORS)).toContain(outcome.error.code);
      expect(ERRORS[outcome.error.code as keyof typeof ERRORS]).toBeLessThan(500);
      expect(outcome.error.message).toMatch(/./);
      expect(outcome.error.hint).toMatch(/./);
    }),
    { numRuns: runs, seed: SEED },
  );
  expect(tried).toBe(runs);
  expect(refused).toBeGreaterThan(runs / 4);
}

const body = fc.tuple(anyMessage, fc.boolean(), edits).map(([message, json, list]) => {
  const value = {
    ...defined({ re: message.re }),
    MESS: messageToMess(message),
  };
  return breakText(json ? JSON.stringify(value) : writeDocuments([value]), list);
});

const file = fc
  .tuple(anyThread, edits)
  .map(([thread, list]) => breakText(writeThreadFiles(thread)[0]!.text, list));

const PARTS = [
  "state=received/",
  "exchange/",
  "state=finished/",
  "../",
  "/",
  "./",
  "C:\\",
  "2026-05-04-001-x",
  "000-2026-05-04-001-x.messe-af.yaml",
  "001-2026-05-04-001.messe-af",
  "att-001-image-a.png",
  "a.zip",
  "\0",
  "\u202E",
  "%2e%2e/",
  "..",
  "",
  "x".repeat(300),
  "con",
  ".messe-af.yaml",
  "//",
];
const names = fc
  .array(
    fc.array(fc.constantFrom(...PARTS), { maxLength: 5 }).map((parts) => parts.join("")),
    { maxLength: 6 },
  )
  .map((list) => JSON.stringify(list));

describe("malformed inputs of the pure readers", () => {
  it(`each of ${BODIES} malformed bodies is parsed or refused within the time limit`, () => {
    tryAll(body, BODIES, (text) => parseMessages(text));
  });

  it(`each of ${FILES} malformed thread files is parsed or refused within the time limit`, () => {
    tryAll(file, FILES, (text) => readThread([{ name: "", text }]));
  });

  it(`each of ${NAMES} malformed lists of archive entries is parsed or refused within the time limit`, () => {
    tryAll(names, NAMES, (text) => readLayout(JSON.parse(text) as string[]));
  });
});
