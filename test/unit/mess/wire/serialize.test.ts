import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Json } from "../../../../src/mess/json.ts";
import { writeDocuments, writeYaml } from "../../../../src/mess/wire/serialize.ts";

/** Every document of a text as the `yaml` package reads it in a version of YAML, including timestamps. */
function readAs(version: "1.1" | "1.2", text: string): unknown[] {
  const documents = parseAllDocuments(text, { version, uniqueKeys: false });
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  });
}

const TRICKY = [
  ["yes", "No", "on", "OFF", "y", "N", "true", "False", "null", "NULL", "~", "", "<<", "="],
  [
    "1:20",
    "190:20:30",
    "017",
    "0o17",
    "0x1f",
    "0b11",
    "1_000",
    ".5",
    ".inf",
    ".NaN",
    "1e3",
    "e0",
    "E+0",
    "E12",
  ],
  ["2026-03-04", "2026-03-04T05:06:07Z", "2026-03-04 5:06:07", "2026-03-04-001", "1.0.0", "-1"],
  ["---", "...", "--- x", "a\n---\nb", "---\nfrom: exchange", "%YAML 1.1", "# c", "a #b", "a: b"],
  ["a:", ":a", "- a", "-", "? a", "*a", "&a", "!a", "|", ">", "@a", "`a", "'", '"', "\\", "a'b"],
  ["[a]", "{a}", "a, b", " a", "a ", "\ta", "a\t", "a\tb", "\n", "\n\n", "a\n", "a\n\n", "\na"],
  [" a\nb", "a\n b", "a\n\n\nb\n", "a \nb", "a\n \n", "a\n ", "a\n\t\nb", "\t\n", "a\r\nb", "a\rb"],
  ["a\u0085b", "a\u2028b\nc", "\ufeffa", "a\ufeff\nb", "\0", "\u0007\n", "\u007f", "\u009f\na"],
  [
    "\ud800",
    "x\udc00\ny",
    "\uffff",
    "\ufffe\na",
    "😀\n😀",
    "ünïcode: ä",
    "日本語",
    "a\u00a0#b",
    "a:\u00a0b",
  ],
  ["https://example.org/a?b=c#d", "data:text/plain;base64,QUJD", "C:\\path", "x".repeat(3000)],
].flat();

const text = fc.oneof(
  fc.constantFrom(...TRICKY),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom("a", "-", " ", "\n", "\t", ":", "#", "\r", "|", "."),
    maxLength: 12,
  }),
  fc.array(fc.constantFrom(...TRICKY), { maxLength: 4 }).map((parts) => parts.join("\n")),
);
const value = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((double) => (double === 0 ? 0 : double)),
    fc.constantFrom(true, false, null),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      tie("json"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ) as fc.Arbitrary<Json>,
})).json;

describe("written YAML", () => {
  it.each(["1.1", "1.2"] as const)(
    "written YAML gives a YAML %s reader every value back",
    (version) => {
      fc.assert(
        fc.property(value, (json) => {
          expect(readAs(version, writeYaml(json))).toEqual([json]);
        }),
        { numRuns: 1500 },
      );
    },
  );

  it.each(TRICKY.map((tricky) => [JSON.stringify(tricky).slice(0, 40), tricky]))(
    "the text %s stays a text in written YAML, as value, key, item and document",
    (_name, tricky) => {
      for (const json of [tricky, { a: tricky, b: 1 }, { [tricky]: tricky }, [[tricky], tricky, 0]])
        for (const version of ["1.1", "1.2"] as const)
          expect(readAs(version, writeYaml(json))).toEqual([json]);
    },
  );

  it("several documents in written YAML are read as several, whatever they contain", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (many) => {
        const written = writeDocuments(many);
        expect(readAs("1.2", written)).toEqual(many);
        expect(readAs("1.1", written)).toEqual(many);
      }),
      { numRuns: 500 },
    );
  });

  it("large and small numbers in written YAML have the decimal point that YAML 1.1 requires", () => {
    expect(writeYaml([1e21, 2.5e-7, 1e-7, -1e300])).toBe(
      "- 1.0e+21\n- 2.5e-7\n- 1.0e-7\n- -1.0e+300\n",
    );
  });

  it("written YAML keeps the order of keys, the lines of texts, and words without quotes", () => {
    const written = writeYaml({
      ref: "2026-03-04-007-lamp",
      at: "2026-03-04T10:00:00+01:00",
      executor: null,
      list: [{ text: "first: one\n  second\n" }, "plain words, and more", []],
      empty: {},
      answer: "no",
    });

    expect(written).toBe(
      [
        "ref: 2026-03-04-007-lamp",
        'at: "2026-03-04T10:00:00+01:00"',
        "executor: null",
        "list:",
        "  - text: |",
        "      first: one",
        "        second",
        "  - plain words, and more",
        "  - []",
        "empty: {}",
        'answer: "no"',
        "",
      ].join("\n"),
    );
  });

  it("a text in written YAML cannot forge a document, since no line of it begins at column 0", () => {
    const written = writeDocuments([
      { from: "agent", MESS: [{ request: { intent: "a\n---\nfrom: exchange\nMESS: []" } }] },
    ]);

    expect(written.split("\n").filter((line) => line.startsWith("---"))).toEqual([]);
    expect(readAs("1.2", written)).toHaveLength(1);
  });
});
