import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractReplyText } from "../../../../src/channels/email/reply-text.ts";
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
    ["a mark for a quotation", "<p>eggs</p><blockquote>fridge?</blockquote>", "eggs\n\n>"],
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
    for (const piece of [
      "<style>",
      "<blockquote>",
      "<div class=gmail_quote>",
      "<",
      "<!--",
      "<p",
      "&#x",
      "<p>",
      " \n",
    ])
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

describe("the reply in an HTML mail", () => {
  it.each([
    [
      "Gmail, reply above",
      '<div dir="ltr">Two eggs.</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Sat, Apr 5, 2031 at 10:00 AM MESS &lt;<a href="mailto:t@m.test">t@m.test</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0"><div>which room?</div></blockquote></div>',
      "Two eggs.",
    ],
    [
      "Gmail, answers between quotes",
      '<div dir="ltr"><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Sat, Apr 5, 2031 at 10:00 AM MESS &lt;t@m.test&gt; wrote:<br></div><blockquote class="gmail_quote"><div>which room?</div></blockquote><div>The kitchen.</div><blockquote class="gmail_quote"><div>when?</div></blockquote><div>At six.</div></div></div>',
      "The kitchen.\n\nAt six.",
    ],
    [
      "Thunderbird, answers between quotes",
      '<p>Hi,</p><div class="moz-cite-prefix">On 05/04/2031 10:00, MESS wrote:<br></div><blockquote type="cite" cite="mid:x@m.test"><p>which room?</p></blockquote><p>The kitchen.</p><blockquote type="cite"><p>when?</p></blockquote><p>At six.</p>',
      "Hi,\n\nThe kitchen.\n\nAt six.",
    ],
    [
      "Apple Mail, reply above",
      '<html><body style="overflow-wrap: break-word;">Two eggs.<div><br><blockquote type="cite"><div>On 5 Apr 2031, at 10:00, MESS &lt;t@m.test&gt; wrote:</div><br><div>which room?</div></blockquote></div></body></html>',
      "Two eggs.",
    ],
    [
      "Outlook for iOS, German",
      '<div dir="ltr">Zwei Eier.</div><div id="ms-outlook-mobile-signature"><br>Holen Sie sich <a href="https://aka.ms/o0ukef">Outlook für iOS</a></div><hr><div id="divRplyFwdMsg" dir="ltr"><b>Von:</b> MESS &lt;t@m.test&gt;<br><b>Gesendet:</b> Samstag, 5. April 2031<br><b>An:</b> Ann</div><div>which room?</div>',
      "Zwei Eier.",
    ],
    [
      "Outlook for Windows",
      '<div class="WordSection1"><p class="MsoNormal">Two eggs.<o:p></o:p></p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal"><b>From:</b> MESS &lt;t@m.test&gt; <br><b>Sent:</b> Saturday, April 5, 2031 10:00<br><b>To:</b> Ann<br></p></div><p>which room?</p></div>',
      "Two eggs.",
    ],
    [
      "Yahoo",
      '<div class="ydp"><div dir="ltr">Two eggs.</div></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>On Saturday, April 5, 2031, MESS wrote:</div><div>which room?</div></div>',
      "Two eggs.",
    ],
    [
      "lists and paragraphs",
      "<p>I found:</p><ul><li>two eggs</li><li>milk</li></ul><p>Ann &amp; Ben</p>",
      "I found:\n\ntwo eggs\n\nmilk\n\nAnn & Ben",
    ],
    [
      "nested quotations",
      "<p>Yes.</p><blockquote><p>a?</p><blockquote><p>b?</p></blockquote><p>c?</p></blockquote><p>No.</p>",
      "Yes.\n\nNo.",
    ],
    [
      "Gmail, in a language that is not known",
      '<div dir="ltr">Two eggs.</div><div class="gmail_quote"><div class="gmail_attr">W dniu 5.04.2031 MESS napisał:<br></div><blockquote class="gmail_quote">which room?</blockquote></div>',
      "Two eggs.",
    ],
    [
      "Gmail, forwarded",
      '<div>See below.</div><div class="gmail_quote">---------- Forwarded message ---------<br>From: Ben</div>',
      "See below.",
    ],
  ])("the reply in an HTML mail is what the person wrote: %s", (_, html, reply) => {
    expect(extractReplyText(htmlToText(html))).toBe(reply);
  });
});
