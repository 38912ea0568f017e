/** Mails as they are transported: ASCII lines of a limited length, which a mail program reads as they were meant. */
import PostalMime from "postal-mime";
import { expect, it } from "vitest";
import { buildMail, type BuiltMail } from "../../../../src/source-kinds/mail/build-mail.ts";

const BASE: BuiltMail = {
  from: { address: "ann@mess.test" },
  to: ["bob@x.test"],
  subject: "Hello",
  messageId: "<mess.1@mess.test>",
  date: Date.parse("2026-11-02T03:04:05Z"),
  headers: {},
  text: "Hello Bob\n",
  attachments: [],
};

const read = async (mail: Partial<BuiltMail>) => {
  const bytes = buildMail({ ...BASE, ...mail });
  const raw = new TextDecoder("latin1").decode(bytes);
  return { raw, mail: await PostalMime.parse(bytes) };
};

it("a mail is ASCII with short lines, whatever its texts are", async () => {
  const subject = `Grüße 🎉 ${"wörter ".repeat(60)}`.trim();
  const { raw, mail } = await read({
    from: { address: "ann@mess.test", name: "Änn O'Hara" },
    to: Array.from({ length: 50 }, (_none, index) => `person${index}@long-name.example`),
    subject,
    headers: { References: Array.from({ length: 30 }, (_none, at) => `<${at}@y>`).join(" ") },
    text: `Zeile\r\n${"ü".repeat(5_000)}\n.\n`,
  });

  expect(raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
  expect(raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  expect(Math.max(...raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(mail).toMatchObject({
    subject,
    from: { address: "ann@mess.test", name: "Änn O'Hara" },
    messageId: "<mess.1@mess.test>",
    date: "2026-11-02T03:04:05.000Z",
  });
  expect(mail.to).toHaveLength(50);
  expect(mail.references?.split(/\s+/)).toHaveLength(30);
  expect(mail.text).toContain("ü".repeat(5_000));
});

it("files keep their names and bytes beside a text that imitates a boundary", async () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_none, index) => index);
  const { mail } = await read({
    text: "--=_mess_part\nContent-Type: text/html\n\n<b>x</b>",
    attachments: [
      { name: "Plan für 'Keller' (1).pdf", mime: "application/pdf", bytes },
      { name: 'a"\r\nX-Evil: 1.eml', mime: "message/rfc822", bytes },
      { name: "plain.txt", mime: "text/plain\r\nX-Evil: 1", bytes },
    ],
  });

  expect(mail.html).toBeUndefined();
  expect(mail.headers.map(({ key }) => key)).not.toContain("x-evil");
  expect(mail.attachments).toMatchObject([
    { filename: "Plan für 'Keller' (1).pdf", mimeType: "application/pdf" },
    { filename: "a_ X-Evil: 1.eml", mimeType: "application/octet-stream" },
    { filename: "plain.txt", mimeType: "application/octet-stream" },
  ]);
  for (const { content } of mail.attachments)
    expect(new Uint8Array(content as ArrayBuffer)).toEqual(bytes);
});

it("a plain text stays readable without decoding", async () => {
  const { raw } = await read({});

  expect(raw).toContain("\r\n\r\nHello Bob\r\n");
});
