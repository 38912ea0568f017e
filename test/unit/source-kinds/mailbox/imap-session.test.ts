/** Sessions with IMAP servers that answer in unusual, broken or hostile ways. */
import { describe, expect, it } from "vitest";
import { ImapSession } from "../../../../src/source-kinds/mailbox/imap-session.ts";
import { withMailServer } from "../../../../src/source-kinds/mailbox/mail-connection.ts";
import {
  createScriptedServer,
  type ScriptedServer,
} from "../../../support/mailboxes/scripted-server.ts";

const GREETING = "* OK ready\r\n";
const PLACE = {
  server: { host: "imap.test", port: 993 },
  field: "imap_host and imap_port",
  timeoutMs: 5_000,
};

const runSession = <T>(
  { egress }: ScriptedServer,
  work: (session: ImapSession) => Promise<T>,
  timeoutMs = PLACE.timeoutMs,
) =>
  withMailServer(egress, { ...PLACE, timeoutMs }, async (connection) =>
    work(await ImapSession.open(connection)),
  );

const tagOf = (line: string): string => line.split(" ")[0] ?? "";
/** Answers every command by the text and a success. */
const answerBy = (text: string) => (line: string) => `${text}${tagOf(line)} OK done\r\n`;
const readMail = (session: ImapSession) => session.read(7, "", 100);

describe("an IMAP session", () => {
  it("reads a mail from a literal, among unsolicited responses and lists", async () => {
    const server = createScriptedServer(
      GREETING,
      answerBy(
        '* 3 EXISTS\r\n* 9 FETCH (FLAGS (\\Seen))\r\n* 2 FETCH (FLAGS (\\Seen "a (b") BODY[]<0> {5}\r\na)\r\nb UID 7)\r\n',
      ),
    );

    const mail = await runSession(server, readMail);

    expect(mail).toEqual({ ok: true, value: new TextEncoder().encode("a)\r\nb") });
  });

  it("reads a short mail from a quoted text, whose words name no other mail", async () => {
    const server = createScriptedServer(
      GREETING,
      answerBy('* 2 FETCH (BODY[]<0> "UID 8 \\"x\\\\" UID 7)\r\n* 3 FETCH (UID 8 BODY[] "no")\r\n'),
    );

    const mail = await runSession(server, readMail);

    expect(mail).toEqual({ ok: true, value: new TextEncoder().encode('UID 8 "x\\') });
  });

  it("finds no mail that was deleted in the meantime", async () => {
    expect(await runSession(createScriptedServer(GREETING, answerBy("")), readMail)).toEqual({
      ok: true,
      value: undefined,
    });
  });

  it("sends a password with other characters as bytes, and quotes the others", async () => {
    const server = createScriptedServer(GREETING, (line) =>
      line.endsWith("}") ? "+ go\r\n" : `A1 OK done\r\n`,
    );

    await runSession(server, (session) => session.logIn('a"b\\', "grün"));

    expect(server.lines).toEqual([String.raw`A1 LOGIN "a\"b\\" {5}`, "gr\u00c3\u00bcn"]);
  });

  it("finds the next number by a search where the server does not say it", async () => {
    const server = createScriptedServer(GREETING, (line) =>
      line.includes("EXAMINE")
        ? "* OK [UIDVALIDITY 5] valid\r\nA1 OK done\r\n"
        : "* SEARCH 41\r\nA2 OK done\r\n",
    );

    const opened = await runSession(server, (session) => session.openFolder("Grüße & mehr"));

    expect(opened).toEqual({ ok: true, value: { uidValidity: 5, uidNext: 42 } });
    expect(server.lines[0]).toBe('A1 EXAMINE "Gr&APwA3w-e &- mehr"');
  });
});

describe("an IMAP server that misbehaves", () => {
  const cases: [string, ScriptedServer, string][] = [
    ["is no IMAP server", createScriptedServer("220 smtp.test\r\n", answerBy("")), "imap_port"],
    ["is busy", createScriptedServer("* BYE busy\r\n", answerBy("")), "no connections"],
    [
      // No encryption would follow: somebody on the way could have written it.
      "greets as logged in",
      createScriptedServer("* PREAUTH hello\r\n", answerBy("")),
      "not an IMAP server",
    ],
    [
      "ends the connection within a mail",
      createScriptedServer(GREETING, () => ({ last: "* 2 FETCH (UID 7 BODY[] {50}\r\nhalf" })),
      "interrupted",
    ],
    [
      "sends a line without end",
      createScriptedServer(GREETING, () => "x".repeat(200_000)),
      "too long a line",
    ],
    [
      "announces more bytes than it was asked for",
      createScriptedServer(GREETING, () => "* 2 FETCH (UID 7 BODY[] {9999999999}\r\n"),
      "more than it was asked for",
    ],
    [
      "sends responses without end",
      createScriptedServer(GREETING, () => `* 1 EXISTS${" ".repeat(999)}\r\n`.repeat(1_100)),
      "too many responses",
    ],
    ["ends the session", createScriptedServer(GREETING, () => "* BYE\r\n"), "ended the session"],
    [
      "refuses with words of its own",
      createScriptedServer(GREETING, (line) => `${tagOf(line)} NO [INUSE] buy at evil.test\r\n`),
      "refuses to show a mail (INUSE)",
    ],
  ];

  it.each(cases)("one that %s is a failure that passes", async (_name, server, reason) => {
    const result = await runSession(server, readMail);

    expect(result).toEqual({ ok: false, reason: expect.stringContaining(reason) });
    expect(JSON.stringify(result)).not.toContain("evil");
  });

  it("one that says nothing is given up after the time limit", async () => {
    const result = await runSession(
      createScriptedServer(GREETING, () => undefined),
      readMail,
      10,
    );

    expect(result).toEqual({ ok: false, reason: "imap.test did not answer in time" });
  });

  it("a wrong password ends polling until the settings change, and is not quoted", async () => {
    const server = createScriptedServer(
      GREETING,
      () => "A1 NO [AUTHENTICATIONFAILED] hunter2 is wrong\r\n",
    );

    const result = await runSession(server, (session) => session.logIn("ann", "hunter2"));

    expect(result).toMatchObject({ ok: false, isPermanent: true });
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });
});

describe("encryption on the IMAP port for STARTTLS", () => {
  it("begins before the password, and drops what somebody added before it", async () => {
    const server = createScriptedServer(
      GREETING,
      (line) =>
        line.includes("STARTTLS")
          ? "A1 OK begin\r\nA2 NO injected\r\n"
          : `${tagOf(line)} OK done\r\n`,
      { needsStartTls: true },
    );

    const result = await runSession(server, (session) => session.logIn("ann", "hunter2"));

    expect(result.ok).toBe(true);
    expect(server.lines).toEqual(["A1 STARTTLS", "<TLS>", 'A2 LOGIN "ann" "hunter2"']);
  });

  it("sends no password to a server that does not encrypt", async () => {
    const server = createScriptedServer(GREETING, (line) => `${tagOf(line)} BAD unknown\r\n`, {
      needsStartTls: true,
    });

    const result = await runSession(server, (session) => session.logIn("ann", "hunter2"));

    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining("imap_port") });
    expect(server.lines.join("\n")).not.toContain("hunter2");
  });
});
