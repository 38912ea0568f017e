import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlToText } from "../../../../src/channels/email/html-to-text.ts";

describe("the text of an HTML mail", () => {
  it.each([
    [
      "paragraphs and breaks",
      "<p>Two eggs<br>and milk</p><div>Ann</div>",
      "Two eggs\nand milk\n\nAnn",
    ],
    [
      "signs",
      "Zwei Eier &amp; Milch &#129370; &#x1F95A; &lt;3&nbsp;!",
      "Zwei Eier & Milch 🥚 🥚 <3 !",
    ],
    [
      "no style and no script",
      "<head><title>x</title></head><style>p{}</style>a<script>b</script>",
      "a",
    ],
    ["no comments", "a<!-- <p>hidden</p> > -->b", "ab"],
    ["no quotation", "<p>eggs</p><blockquote type=cite>fridge?</blockquote>", "eggs"],
    [
      "no quotation of Gmail",
      '<div dir="ltr">eggs</div><div class="gmail_quote">On…</div>',
      "eggs",
    ],
    ["no quotation of Outlook", '<p>eggs</p><div id="divRplyFwdMsg">From: MESS</div>', "eggs"],
  ])("the text of an HTML mail has %s", (_, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it("reading the text of an HTML mail never throws, and takes linear time", () => {
    const began = performance.now();
    for (const piece of ["<style>", "<", "<!--", "<p", "&#x", "<p>", " \n"])
      htmlToText(piece.repeat(200_000));
    htmlToText(`${"&#32;".repeat(200_000)}.<br>`);

    expect(performance.now() - began).toBeLessThan(10_000);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (html) => {
        expect(typeof htmlToText(html)).toBe("string");
      }),
    );
  });
});
