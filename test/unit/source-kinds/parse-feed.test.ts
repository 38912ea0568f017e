import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFeed } from "../../../src/source-kinds/feed/parse-feed.ts";

const RSS_2 = `<?xml version="1.0"?>
<!DOCTYPE rss [ <!ENTITY boom "boom"> <!ENTITY file SYSTEM "file:///etc/passwd"> ]>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Town &amp; News</title><link>https://town.example/</link>
<image><title>Logo</title><link>https://town.example/logo</link></image>
<!-- <item><title>no entry</title></item> -->
<item>
  <title><![CDATA[Bridge <closed>]]></title>
  <link>https://town.example/1?a=1&amp;b=2</link>
  <guid isPermaLink="false">tag-1</guid>
  <pubDate>Tue, 06 Jan 2026 08:00:00 GMT</pubDate>
  <dc:creator>Ann &lt;ann@town.example&gt;</dc:creator>
  <category>Roads</category><category>Traffic</category>
  <description>short</description>
  <content:encoded><![CDATA[<p>Until <b>May</b>.</p><script>alert(1)</script><p>Detour &amp; signs.</p>]]></content:encoded>
</item>
<item><title>&boom; &file; &#x41;&#66;</title><link>https://town.example/2</link></item>
</channel></rss>`;

const RSS_1 = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="https://old.example/"><title>Old</title></channel>
<item rdf:about="https://old.example/1"><title>First</title><link>https://old.example/one</link>
<dc:date>2026-01-06T08:00:00Z</dc:date><description>Text of the first.</description></item>
</rdf:RDF>`;

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">Ann&amp;#39;s &lt;i&gt;log&lt;/i&gt;</title>
<entry><id>urn:1</id><title>One</title><link rel="edit" href="https://ann.example/edit"/>
<link href="https://ann.example/1" rel='alternate'/><author><name>Ann</name><email>ann@ann.example</email></author>
<published>2026-01-06T08:00:00Z</published><updated>2026-02-01T00:00:00Z</updated>
<source><id>urn:other</id><title>Other</title></source><category term="diary"/>
<content type="xhtml"><div><p>Hello <em>world</em></p></div></content><summary>short</summary></entry>
<entry><id>urn:2</id><title type="text">5 &lt; 6</title><content type="text">a &lt;b&gt; c</content></entry></feed>`;

describe("a feed", () => {
  it("in RSS 2.0 gives its entries with their texts, and resolves no entities of its own", () => {
    expect(parseFeed(RSS_2)).toMatchObject({
      title: "Town & News",
      entries: [
        {
          id: "tag-1",
          title: "Bridge <closed>",
          link: "https://town.example/1?a=1&b=2",
          author: "Ann <ann@town.example>",
          date: "Tue, 06 Jan 2026 08:00:00 GMT",
          categories: ["Roads", "Traffic"],
          body: "Until May.\n\nDetour & signs.",
        },
        { id: "https://town.example/2", title: "&boom; &file; AB" },
      ],
    });
  });

  it("in RSS 1.0 gives its entries with their resource as id", () => {
    expect(parseFeed(RSS_1)).toMatchObject({
      title: "Old",
      entries: [
        {
          id: "https://old.example/1",
          title: "First",
          link: "https://old.example/one",
          date: "2026-01-06T08:00:00Z",
          body: "Text of the first.",
        },
      ],
    });
  });

  it("in Atom gives its entries with the alternate link, the author's name and XHTML as text", () => {
    expect(parseFeed(ATOM)).toMatchObject({
      title: "Ann's log",
      entries: [
        {
          id: "urn:1",
          title: "One",
          link: "https://ann.example/1",
          author: "Ann",
          date: "2026-01-06T08:00:00Z",
          categories: ["diary"],
          body: "Hello world",
        },
        { id: "urn:2", title: "5 < 6", body: "a <b> c" },
      ],
    });
  });

  it("has each entry's own XML, from its first tag to its last", () => {
    const [first] = parseFeed(RSS_2)!.entries;

    expect(first?.xml).toMatch(/^<item>\s+<title>[^]+<\/content:encoded>\s+<\/item>$/);
  });

  it.each(["", "not XML", "<html><body><item>x</item></body></html>", "{}", "<", "<rss"])(
    "is not found in %j",
    (text) => {
      expect(parseFeed(text)).toBeUndefined();
    },
  );

  it.each([
    ["an entry that does not end", `<rss><item><guid>1</guid></item><item><guid>2`, ["1"]],
    [
      "an element that does not end",
      "<rss><item><title>x<guid>1</guid></item><item><guid>2</guid></item>",
      [undefined, "2"],
    ],
    ["a stray closing tag", "<rss></b></item><item></b><guid>1</guid></item>", ["1"]],
    ["a comment that does not end", "<rss><item><guid>1</guid></item><!-- <item>", ["1"]],
  ])("with %s is read as far as possible", (_name, xml, ids) => {
    expect(parseFeed(xml)!.entries.map(({ id }) => id)).toEqual(ids);
  });

  it("of any text is read without an error", () => {
    const pieces =
      "<item> </item> <title> </title> <link_href='x '/> <![CDATA[ ]]> <!-- --> <!DOCTYPE_[ ]> " +
      '&amp; &#0; &#xd800; <a:b:c> " = text';
    const piece = fc.constantFrom(...pieces.split(" ").map((one) => one.replace("_", " ")));
    fc.assert(
      fc.property(fc.array(piece), (list) => {
        expect(parseFeed(`<rss>${list.join("")}`)?.entries).toBeInstanceOf(Array);
      }),
    );
  });

  it.each([
    ["tags that do not end", "<a"],
    ["quotes that do not end", '<a b="'],
    ["open elements", "<item><title>"],
    ["closing tags", "</a>"],
    ["comments that do not end", "<!--"],
    ["document types", "<!DOCTYPE ["],
    ["attributes", "<link a=b a='c' ="],
    ["references", "<item><title>&#1;&amp"],
    ["empty entries", "<item/>"],
  ])("of 500 KB of %s is read within a second", (_name, piece) => {
    const xml = `<rss>${piece.repeat(Math.ceil(500_000 / piece.length))}`;
    const start = performance.now();

    parseFeed(xml);

    expect(performance.now() - start).toBeLessThan(1_000);
  });
});
