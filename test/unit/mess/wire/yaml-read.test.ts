import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Json } from "../../../../src/mess/json.ts";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { readDocuments } from "../../../../src/mess/wire/syntax/read-yaml.ts";

const readValues = (text: string): Json[] => {
  const read = readDocuments(text);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value.map(({ value }) => value);
};

const readRefusal = (text: string) => {
  const read = readDocuments(text);
  return read.ok ? { value: read.value } : read.error;
};

describe("readDocuments", () => {
  it("documents are read with comments, end marks, CRLF and a byte order mark", () => {
    const text = "\uFEFF# first\r\na: 1\r\n...\r\n---\r\nb: two # words\r\n";
    expect(readValues(text)).toEqual([{ a: 1 }, { b: "two" }]);
  });

  it("documents have only texts as keys", () => {
    expect(readValues("7: seven\ntrue: yes\nnull: nothing")).toEqual([
      { "7": "seven", true: "yes", null: "nothing" },
    ]);
  });

  it("documents in JSON and in YAML read the same, whatever they contain", () => {
    const plain = fc
      .jsonValue({ maxDepth: 6 })
      .map((value) => JSON.parse(JSON.stringify(value)) as Json);
    const asJson = JSON.stringify;
    const hasTrap = (text: string) =>
      /"(?:__proto__|constructor|prototype)"/.test(text) || /[\uE000\uE001]/.test(text);
    fc.assert(
      fc.property(plain, (value) => {
        fc.pre(value !== null && !hasTrap(asJson(value)));
        expect(readValues(asJson(value))).toEqual([value]);
        expect(readValues(stringify(value, { aliasDuplicateObjects: false }))).toEqual([value]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the line and column of a path", () => {
  const read = (text: string) => {
    const documents = readDocuments(text);
    if (!documents.ok) throw new Error(JSON.stringify(documents.error));
    const [document] = documents.value;
    if (!document) throw new Error("no document");
    return document;
  };

  it("a path has the same kind of position in YAML, JSON and bracket style", () => {
    const yaml = read("MESS:\n  - tell:\n      who: me\n      what:\n        - a\n        - b\n");
    expect(yaml.locate(["MESS", 0, "tell", "who"])).toEqual({ line: 3, column: 7 });
    expect(yaml.locate(["MESS", 0, "tell", "what", 1])).toEqual({ line: 6, column: 11 });
    const json = read(
      '{"x": {"what": ["q"]},\n "MESS": [\n  {"tell": {"who": "me",\n   "what": ["a", {"b": 1}]}}]}',
    );
    expect(json.locate(["MESS", 0, "tell", "who"])).toEqual({ line: 3, column: 13 });
    expect(json.locate(["MESS", 0, "tell", "what", 1, "b"])).toEqual({ line: 4, column: 19 });
    expect(json.locate(["x", "what", 0])).toEqual({ line: 1, column: 17 });
  });

  it("the position of a path is not that of a later key with the same name", () => {
    const document = read('{"a": {"b": 1}, "c": {"d": 2, "x": 3}, "e": {"x": 4}}');
    expect(document.locate(["a", "x"])).toEqual({ line: 1, column: 2 });
  });

  it("the position of a path that does not exist is that of the nearest part", () => {
    expect(read("a:\n  b: 1").locate(["a", "missing", 3])).toEqual({ line: 1, column: 1 });
    expect(read('{"z": 0,\n "a": {"b": 1}}').locate(["a", "missing"])).toEqual({
      line: 2,
      column: 2,
    });
    expect(read("\n\nword").locate(["x"])).toEqual({ line: 3, column: 1 });
  });

  it("a path resolves to the right one of several MESS lists", () => {
    const document = read("MESS:\n  - a: 1\nMESS:\n  - b: 2\n  - c: {d: 3}\n");
    expect(document.locate(["MESS", 2, "c", "d"])).toEqual({ line: 5, column: 9 });
  });

  it("the column after long data is the one that the sender sees", () => {
    const data = "QUJD".repeat(1000);
    const text = `{a: ${data}, b: ${data}, c: 1}`;
    expect(read(text).locate(["c"])).toEqual({ line: 1, column: text.indexOf("c: 1") + 1 });
    expect(read(text).value).toEqual({ a: data, b: data, c: 1 });
  });
});

describe("a refusal of a text", () => {
  it("a refusal never contains the sender's text", () => {
    const error = readRefusal("a: [secret words\nmore: secret: words");
    expect(error).toMatchObject({ code: "bad_yaml" });
    expect(JSON.stringify(error)).not.toContain("secret");
  });
});

describe("hostile texts", () => {
  const KB = 1024;
  const fill = (piece: string, size: number) => piece.repeat(Math.floor(size / piece.length));
  const buildMember = (index: number) => `"k${index}": 1`;

  it.each([
    ["brackets 250,000 deep", fill("[", 250 * KB), "too_deep"],
    ["JSON 128,000 deep", fill("[", 125 * KB) + fill("]", 125 * KB), "too_deep"],
    ["maps 60,000 deep", fill("{a: ", 250 * KB), "too_deep"],
    ["dashes on one line", fill("- ", 250 * KB), "too_deep"],
    ["question marks on one line", fill("? ", 250 * KB), "too_deep"],
    [
      "increasing indentation",
      Array.from({ length: 600 }, (_, deep) => `${" ".repeat(deep)}a:`).join("\n"),
      "too_deep",
    ],
    ["4 MB of dashes", fill("- ", LIMITS.bodyBytes), "too_large"],
    ["more than 4 MB of data", `a: ${fill("QUJD", LIMITS.bodyBytes)}`, "too_large"],
    [
      "4 MB of data behind an alias",
      `a: *b\nc: ${fill("QUJD", LIMITS.bodyBytes - 20)}`,
      "forbidden_yaml",
    ],
    [
      "folded data before an alias",
      `a: |\n${fill(`  ${fill("QUJD", 76)}\n`, 3_900 * KB)}b: *c`,
      "forbidden_yaml",
    ],
    [
      "20,000 keys",
      Array.from({ length: 20_000 }, (_, index) => `k${index}: v`).join("\n"),
      "too_large",
    ],
    [
      "16,000 JSON keys, the last one repeated",
      `{${Array.from({ length: 16_000 }, (_, index) => buildMember(index)).join(",")},${buildMember(1)}}`,
      "duplicate_key",
    ],
    [
      "4,000 long values, the last key repeated",
      `{${Array.from({ length: 4_000 }, (_, index) => `"k${index}":"${fill("QUJD", KB)}"`).join(",")},"k1":""}`,
      "duplicate_key",
    ],
    ["colons", fill(": ", 250 * KB), "too_deep"],
    ["quotes", fill('"', 250 * KB), "too_large"],
    ["quotes on lines", fill('"\n', 250 * KB), "too_large"],
    ["brackets that do not match", fill("[}", 250 * KB), "too_large"],
    ["empty lines", `- a${fill("\n", 250 * KB)}b`, "too_large"],
    ["comments", fill("#\n", 250 * KB), "too_large"],
    ["backslashes", `["${fill("\\", 250 * KB - 1)}"`, "bad_json"],
    ["80,000 documents", fill("---\n", 250 * KB), "too_many_documents"],
    ["65 documents", fill("---\na\n", 6 * 65), "too_many_documents"],
    ["4 MB of documents", fill("---\n", LIMITS.bodyBytes), "too_large"],
    [
      "an alias bomb",
      `a: &a [x, x]\n${Array.from({ length: 30 }, () => "b: [*a, *a]").join("\n")}`,
      "forbidden_yaml",
    ],
    ["characters of three bytes over the limit", fill("灯", 86 * KB), "too_large"],
    ["emoji over the limit", fill("😀", 257 * KB), "too_large"],
    ["spaces", `${fill(" ", 250 * KB)}[`, "bad_yaml"],
    ["4 MB of spaces", fill(" ", LIMITS.bodyBytes), "too_large"],
    ["stars", fill("* ", 250 * KB), "forbidden_yaml"],
  ])("a hostile text is refused: %s", (what, text, code) => {
    const start = performance.now();
    const error = readRefusal(text);
    const took = performance.now() - start;
    if (took > 50) console.info(`${what}: refused in ${took.toFixed(0)} ms`);
    expect(error).toMatchObject({ code });
  });

  it.each(["\uE0000\uE001", "\\uE0000\\uE001", "\\U0000e0000\\U0000E001"])(
    "a hostile text cannot make data appear twice: %j",
    (forged) => {
      const data = fill("QUJD", 2 * KB);
      const text = `- ${data}\n- "${forged}"`;
      expect(readValues(text)).toEqual([[data, "\uE0000\uE001"]]);
    },
  );

  it("64 documents, depth 32 and 4 MB of data are still read", () => {
    expect(readValues(fill("---\na\n", 6 * 64))).toHaveLength(64);
    expect(readValues(fill("[", 32) + fill("]", 32))).toHaveLength(1);
    expect(readValues(`a: ${fill("[", 31)}${fill("]", 31)}`)).toHaveLength(1);
    expect(readRefusal(`a: ${fill("[", 32)}${fill("]", 32)}`)).toMatchObject({ code: "too_deep" });
    const buildRepeated = (deep: number) =>
      `MESS: []\nMESS: [${fill("[", deep)}${fill("]", deep)}]`;
    expect(readValues(buildRepeated(30))).toHaveLength(1);
    expect(readRefusal(buildRepeated(31))).toMatchObject({ code: "too_deep" });
    const data = `data:image/png;base64,${fill("QUJD", 1_900 * KB)}`;
    expect(readValues(`- ${data}\n- "${data}"`)).toEqual([[data, data]]);
    expect(readValues(JSON.stringify([data, data]))).toEqual([[data, data]]);
    expect(
      readValues(JSON.stringify([fill("QUJ/", 900 * KB)]).replaceAll("/", "\\/")),
    ).toHaveLength(1);
  });
});
