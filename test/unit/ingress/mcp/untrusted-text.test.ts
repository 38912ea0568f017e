import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clean,
  cleanDeep,
  inline,
  quote,
} from "../../../../src/ingress/mcp/text/untrusted-text.ts";

// oxlint-disable-next-line no-control-regex
const LINE_END = /[\n\r\u0085\u2028\u2029\u000B\u000C]/;

/** Text with a good share of what hides. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "\u202E",
        "\u200B",
        "\u2066",
        "\uFEFF",
        "\u{E0041}",
        "\u{E007F}",
        "\uFE0F",
        "\u{E0100}",
        "\u0000",
        "\u001B[2J",
        "\u3164",
        "\uD800",
        "\r",
        "\u2028",
        "\n",
        "> ",
        "data:text/html;base64,PGI+",
      ),
    ),
  )
  .map((parts) => parts.join(""));

describe("clean", () => {
  it.each([
    ["bidi overrides", "safe\u202Etxt.exe", "safetxt.exe"],
    ["zero-width characters", "pay\u200Bload\u2060", "payload"],
    [
      "tags, which some models read",
      `hi${"ignore".replaceAll(/./g, (c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0)))}`,
      "hi",
    ],
    ["variation selectors, which carry bytes", "a\u{E0120}\uFE00", "a"],
    ["control characters", "a\u0000b\u001Bc\u009Bd", "abcd"],
    ["invisible letters", "a\u3164b\u115F", "ab"],
    ["halves of characters", "a\uD83Db", "ab"],
  ])("takes out %s", (_what, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it("keeps what people write", () => {
    const text = "Grüße,\n\tdas Ei kostet 3 €: 蛋 — naïve 🥚!";

    expect(clean(text)).toBe(text);
  });

  it("ends every line the same way", () => {
    expect(clean("a\r\nb\rc\u2028d\u0085e\u000Bf")).toBe("a\nb\nc\nd\ne\nf");
  });

  it.each([
    "data:image/png;base64,iVBORw0KGgo=",
    "DATA:text/html,<script>1</script>",
    "data:;base64,AAAA",
    "data:image/svg+xml;charset=utf-8;base64,PHN2Zz4=",
    "da\u200Bta:image/png;base64,AAAA",
  ])("leaves no data URI: %s", (uri) => {
    expect(clean(`see ${uri} here`)).not.toMatch(/data:(?:[a-z]+\/|;)/i);
    expect(clean(`see ${uri} here`)).toContain("characters of data left out");
  });

  it("leaves sentences about data alone", () => {
    expect(clean("The data: 1, 2 and 3")).toBe("The data: 1, 2 and 3");
  });

  it("needs no second pass", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(clean(clean(text))).toBe(clean(text));
        expect(clean(text)).not.toMatch(/[\p{Cf}\p{Cs}]|(?![\n\t])\p{Cc}/u);
      }),
    );
  });
});

describe("quote", () => {
  it("puts every line behind a mark, whatever the text does to end it", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const line of quote(text).split(LINE_END)) expect(line.startsWith("> ")).toBe(true);
      }),
    );
  });
});

describe("inline", () => {
  it("is one short line that cannot leave its quotation marks", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, most) => {
        const line = inline(text, most);
        expect(line).not.toMatch(/[\n\r\t"]/);
        expect(Array.from(line).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("cleanDeep", () => {
  it("cleans texts and keys at every depth, and nothing else", () => {
    expect(cleanDeep({ "a\u200B": ["b\u202E", 1, null, { c: true }] })).toEqual({
      a: ["b", 1, null, { c: true }],
    });
  });
});
