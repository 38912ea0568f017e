import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cleanText,
  cleanDeep,
  inlineText,
  quoteText,
} from "../../../../../src/ingress/mcp/text/untrusted-text.ts";

// oxlint-disable-next-line no-control-regex
const LINE_END = /[\n\r\u0085\u2028\u2029\u000B\u000C]/;

/** Text with many invisible characters. */
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

describe("cleanText", () => {
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
  ])("cleanText removes %s", (_what, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it("cleanText keeps what people write", () => {
    const text = "Grüße,\n\tdas Ei kostet 3 €: 蛋 — naïve 🥚!";

    expect(cleanText(text)).toBe(text);
  });

  it("cleanText ends every line in the same way", () => {
    expect(cleanText("a\r\nb\rc\u2028d\u0085e\u000Bf")).toBe("a\nb\nc\nd\ne\nf");
  });

  it.each([
    ["data:image/png;base64,iVBORw0KGgo=", 34],
    ["DATA:text/html,<script>1</script>", "DATA:text/html,".length],
    ["data:;base64,AAAA", 17],
    ["data:image/svg+xml;charset=utf-8;base64,PHN2Zz4=", 48],
    ["da\u200Bta:image/png;base64,AAAA", 26],
  ])("cleanText replaces the data URI %s by its length", (uri, length) => {
    const cleaned = cleanText(`see ${uri} here`);

    expect(cleaned).not.toMatch(/data:(?:[a-z]+\/|;)/i);
    expect(cleaned).toMatch(new RegExp(`^see \\[${length} [^\\]]+\\].* here$`));
  });

  it("cleanText leaves sentences about data unchanged", () => {
    expect(cleanText("The data: 1, 2 and 3")).toBe("The data: 1, 2 and 3");
  });

  it("cleanText changes nothing when it runs a second time", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
        expect(cleanText(text)).not.toMatch(/[\p{Cf}\p{Cs}]|(?![\n\t])\p{Cc}/u);
      }),
    );
  });
});

describe("quoteText", () => {
  it("quoteText puts a mark before every line, whatever ends the line", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const line of quoteText(text).split(LINE_END))
          expect(line.startsWith("> ")).toBe(true);
      }),
    );
  });
});

describe("inlineText", () => {
  it("inlineText returns one short line that cannot end its own quotation", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, most) => {
        const line = inlineText(text, most);
        expect(line).not.toMatch(/[\n\r\t"]/);
        expect(Array.from(line).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("cleanDeep", () => {
  it("cleanDeep cleans texts and keys at every depth, and nothing else", () => {
    expect(cleanDeep({ "a\u200B": ["b\u202E", 1, null, { c: true }] })).toEqual({
      a: ["b", 1, null, { c: true }],
    });
  });
});
