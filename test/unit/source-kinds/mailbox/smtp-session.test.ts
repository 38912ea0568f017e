/** Sessions with SMTP servers: encryption, login, one mail, and what counts as sent. */
import { describe, expect, it } from "vitest";
import { withMailServer } from "../../../../src/source-kinds/mailbox/mail-connection.ts";
import { SmtpSession } from "../../../../src/source-kinds/mailbox/smtp-session.ts";
import {
  createScriptedServer,
  type ScriptedServer,
} from "../../../support/mailboxes/scripted-server.ts";

const PLACE = {
  server: { host: "smtp.test", port: 465 },
  field: "smtp_host and smtp_port",
  timeoutMs: 5_000,
};
const GREETING = "220-welcome\r\n220 smtp.test\r\n";
const MAIL = "Subject: x\r\n\r\n.\r\n..two\r\nend\r\n";

const ANSWERS = {
  EHLO: "250-smtp.test\r\n250-SIZE 100\r\n250 AUTH LOGIN PLAIN\r\n",
  "AUTH PLAIN": "235 in\r\n",
  MAIL: "250 ok\r\n",
  RCPT: "250 ok\r\n",
  DATA: "354 go\r\n",
};

/** Answers by the beginning of the line; lines of the mail get no answer. */
const answerBy =
  (answers: Record<string, string | { last: string }>) =>
  (line: string): string | { last: string } | undefined =>
    [...Object.entries(answers), ...Object.entries(ANSWERS)].find(([start]) =>
      start === "." ? line === "." : line.startsWith(start),
    )?.[1];

async function send({ egress }: ScriptedServer) {
  let session: SmtpSession | undefined;
  const result = await withMailServer(egress, PLACE, async (connection) => {
    session = await SmtpSession.open(connection);
    await session.logIn("ann", "hunter2");
    await session.send(
      { from: "ann@mess.test", to: ["bob@x.test", "eve@x.test"] },
      new TextEncoder().encode(MAIL),
    );
  });
  return { ...result, isHandedOver: session?.isHandedOver === true };
}

describe("an SMTP session", () => {
  it("sends a mail once it is logged in, with each dot at the beginning of a line doubled", async () => {
    const server = createScriptedServer(GREETING, answerBy({ ".": "250 queued\r\n" }));

    expect(await send(server)).toMatchObject({ ok: true });

    expect(server.lines).toEqual([
      "EHLO [127.0.0.1]",
      `AUTH PLAIN ${btoa("\0ann\0hunter2")}`,
      "MAIL FROM:<ann@mess.test>",
      "RCPT TO:<bob@x.test>",
      "RCPT TO:<eve@x.test>",
      "DATA",
      "Subject: x",
      "",
      "..",
      "...two",
      "end",
      ".",
    ]);
  });

  it("logs in by two answers where the server knows only that", async () => {
    const server = createScriptedServer(
      GREETING,
      answerBy({
        EHLO: "250-smtp.test\r\n250 AUTH=LOGIN\r\n",
        AUTH: "334 name\r\n",
        [btoa("ann")]: "334 password\r\n",
        [btoa("hunter2")]: "235 in\r\n",
        ".": "250 queued\r\n",
      }),
    );

    expect(await send(server)).toMatchObject({ ok: true });
  });

  it("encrypts before the password, and asks again what the server offers", async () => {
    const server = createScriptedServer(
      GREETING,
      answerBy({ STARTTLS: "220 begin\r\n250 injected\r\n", ".": "250 queued\r\n" }),
      { needsStartTls: true },
    );

    expect(await send(server)).toMatchObject({ ok: true });

    const encrypted = server.lines.indexOf("<TLS>");
    expect(server.lines.slice(0, encrypted)).toEqual(["EHLO [127.0.0.1]", "STARTTLS"]);
    expect(server.lines[encrypted + 1]).toBe("EHLO [127.0.0.1]");
  });

  it("sends no password to a server that does not encrypt", async () => {
    const server = createScriptedServer(GREETING, answerBy({ STARTTLS: "502 unknown\r\n" }), {
      needsStartTls: true,
    });

    expect(await send(server)).toMatchObject({ ok: false, isHandedOver: false });
    expect(server.lines).toEqual(["EHLO [127.0.0.1]", "STARTTLS"]);
  });
});

describe("a mail that the SMTP server does not take", () => {
  it.each([
    ["the second recipient", { "RCPT TO:<eve": "550 unknown\r\n" }, { isPermanent: true }],
    ["the sender", { MAIL: "451 later\r\n" }, { retryAfterSeconds: 60 }],
    ["the password", { "AUTH PLAIN": "535 wrong\r\n" }, { isPermanent: true }],
    ["any password", { EHLO: "250 smtp.test\r\n" }, { isPermanent: true }],
    ["the mail", { ".": "552 too large\r\n" }, { isPermanent: true }],
  ])("is certainly not sent where it refuses %s", async (_name, answers, expected) => {
    const server = createScriptedServer(GREETING, answerBy(answers));

    const result = await send(server);

    expect(result).toEqual({
      ok: false,
      isHandedOver: false,
      reason: expect.any(String),
      ...expected,
    });
    if (!("." in answers)) expect(server.lines).not.toContain("DATA");
  });

  it("may be sent only where the connection ends after the whole mail", async () => {
    const before = createScriptedServer(GREETING, answerBy({ DATA: { last: "" } }));
    const after = createScriptedServer(GREETING, answerBy({ ".": { last: "" } }));

    expect(await send(before)).toMatchObject({ ok: false, isHandedOver: false });
    expect(await send(after)).toMatchObject({ ok: false, isHandedOver: true });
  });

  it.each([
    ["another protocol", "* OK imap\r\n"],
    ["lines without end", "220-x\r\n".repeat(200)],
    ["a refusal", "554 no\r\n"],
  ])("no mail is sent to a server that greets with %s", async (_name, greeting) => {
    const server = createScriptedServer(greeting, answerBy({}));

    expect(await send(server)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("smtp_port"),
    });
    expect(server.lines).toEqual([]);
  });
});
