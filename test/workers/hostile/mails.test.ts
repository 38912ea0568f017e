import { describe, expect, it } from "vitest";
import { buildReply } from "../../support/channels/mail.ts";
import { deliverMail, createMailHousehold } from "../ingress/email/mail-household.ts";
import { expectSoon } from "./support.ts";

const buildHeaders = (to: string, type: string): string =>
  `From: ann@example.com\r\nTo: ${to}\r\nMessage-ID: <x@example.com>\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n`;

const MAILS: readonly [string, string, string][] = [
  [
    "300,000 parts",
    'multipart/mixed; boundary="b"',
    `${"--b\r\n\r\nx\r\n".repeat(300_000)}--b--\r\n`,
  ],
  ["a million empty lines", "text/plain", "\r\n".repeat(1_000_000)],
  ["a million lines without a carriage return", "text/plain", "a\n".repeat(1_000_000)],
];

describe("a mail that takes long to parse", () => {
  it.each(MAILS)("a malicious mail is refused quickly for %s", async (_what, type, body) => {
    const { sent, listMailMessages } = await createMailHousehold();
    const { to } = buildReply(sent, { text: "here" });

    const refused = await expectSoon(
      deliverMail({ from: "ann@example.com", to, raw: buildHeaders(to, type) + body }),
    );

    expect(refused).toMatch(/^5\.3\.4 /);
    expect(await listMailMessages()).toEqual([]);
  });
});

describe("a mail of many lines", () => {
  it("a mail with the many lines of a large file is accepted", async () => {
    const { answer, readOwnThread } = await createMailHousehold();
    const file = { name: "log.bin", type: "application/pdf", bytes: new Uint8Array(2_000_000) };

    expect(await answer({ text: "here\n".repeat(1_000), files: [file] })).toBeUndefined();

    expect((await readOwnThread()).attachments).toHaveLength(1);
  });
});
