import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { readBounceReport } from "../../../../src/channels/email/bounce-report.ts";

/** A report of a mail server with these fields for the recipient. */
const report = (fields: string[], original = ["Message-ID: <1@service.test>"]): string =>
  [
    "From: MAILER-DAEMON@mail.example",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
    "",
    "--b1",
    "Content-Type: text/plain",
    "",
    "It could not be delivered.",
    "--b1",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mail.example",
    "",
    ...fields,
    "",
    "--b1",
    "Content-Type: message/rfc822",
    "",
    ...original,
    "Subject: fridge",
    "",
    "check what is in the fridge",
    "--b1--",
    "",
  ].join("\r\n");

const read = async (raw: string) => readBounceReport(await PostalMime.parse(raw));

describe("a bounce report", () => {
  it("a bounce report states the recipient, the reason, and the mail that failed", async () => {
    const raw = report([
      "Final-Recipient: rfc822; ann@example.com",
      "Action: failed",
      "Status: 5.1.1",
      "Diagnostic-Code: smtp; 550 5.1.1 no such user",
    ]);

    expect(await read(raw)).toMatchObject({
      address: "ann@example.com",
      status: "5.1.1",
      isPermanent: true,
      messageId: "1@service.test",
    });
  });

  it("a bounce report of a forwarded mail refers to the address to which we sent it", async () => {
    const raw = report([
      "Original-Recipient: rfc822;ann@example.com",
      "Final-Recipient: rfc822;ann.private@other.example",
      "Action: failed",
      "Status: 5.2.2",
    ]);

    expect(await read(raw)).toMatchObject({ address: "ann@example.com", isPermanent: false });
  });

  it.each([
    ["is late", ["Final-Recipient: rfc822; a@b.c", "Action: delayed", "Status: 4.4.1"]],
    ["was delivered", ["Final-Recipient: rfc822; a@b.c", "Action: delivered", "Status: 2.0.0"]],
    ["names no recipient", ["Action: failed", "Status: 5.1.1"]],
  ])("a report is not a bounce if the mail %s", async (_, fields) => {
    expect(await read(report(fields))).toBeUndefined();
  });

  it("a mail that only looks like a bounce report is not one", async () => {
    const raw = "From: a@b.c\r\n\r\nFinal-Recipient: rfc822; ann@example.com\r\nAction: failed";

    expect(await read(raw)).toBeUndefined();
  });

  it("a bounce report is read without a status, and without the original mail", async () => {
    const raw = report(["Final-Recipient: rfc822; ann@example.com", "Action: failed"], []);

    const returned = await read(raw);
    expect(returned).toMatchObject({ status: "5.0.0", isPermanent: false });
    expect(returned).not.toHaveProperty("messageId");
  });
});
