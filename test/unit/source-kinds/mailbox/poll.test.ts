/** Polls of mailboxes whose servers fail in the middle, and of mails that are too large or cannot be read. */
import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/mess/json.ts";
import { mailboxSettingsSchema } from "../../../../src/source-kinds/mailbox/config.ts";
import { pollMailbox } from "../../../../src/source-kinds/mailbox/poll.ts";
import { createScriptedServer } from "../../../support/mailboxes/scripted-server.ts";

const SETTINGS = mailboxSettingsSchema.parse({
  address: "ann@mess.test",
  password: "hunter2",
  imap_host: "imap.mess.test",
});
const NOW = Date.parse("2031-01-02T03:04:05Z");
const TOO_LARGE = 30_000_000;

interface FakeMail {
  raw: string;
  size?: number;
  /** The connection ends when it is read. */
  isBroken?: true;
  /** The server refuses to show it. */
  isRefused?: true;
}

/** A folder with these mails, by their numbers. */
function createFolder(mails: Record<number, FakeMail>, { uidValidity = 1 } = {}) {
  const uids = Object.keys(mails).map(Number);
  const uidNext = Math.max(0, ...uids) + 1;
  const server = createScriptedServer("* OK\r\n", (line) => {
    const [tag = "", ...words] = line.split(" ");
    const done = `${tag} OK done\r\n`;
    const command = words.join(" ");
    if (command.startsWith("EXAMINE"))
      return `* OK [UIDVALIDITY ${uidValidity}] x\r\n* OK [UIDNEXT ${uidNext}] x\r\n${done}`;
    if (/^UID SEARCH UID \d+:\d+$/.test(command)) {
      const [from = 0, to = 0] = words[3]!.split(":").map(Number);
      const found = uids.filter((uid) => uid >= from && uid <= to);
      return `* SEARCH ${found.join(" ")}\r\n${done}`;
    }
    if (command.startsWith("UID SEARCH")) return `* SEARCH ${uids.join(" ")}\r\n${done}`;
    if (command.includes("RFC822.SIZE"))
      return `${words[2]!
        .split(",")
        .map((uid) => {
          const { raw, size = raw.length } = mails[Number(uid)]!;
          return `* ${uid} FETCH (UID ${uid} RFC822.SIZE ${size})\r\n`;
        })
        .join("")}${done}`;
    if (!command.startsWith("UID FETCH")) return done;
    const uid = Number(words[2]);
    const { raw, isBroken, isRefused } = mails[uid]!;
    if (isBroken) return { last: `* ${uid} FETCH (UID ${uid} BODY[] {100}\r\nhalf` };
    if (isRefused) return `${tag} NO it is damaged\r\n`;
    const isHeader = command.includes("BODY.PEEK[HEADER]");
    const text = isHeader ? `${raw.split("\r\n\r\n")[0]}\r\n\r\n` : raw;
    const name = isHeader ? "BODY[HEADER]<0>" : "BODY[]<0>";
    return `* ${uid} FETCH (UID ${uid} ${name} {${text.length}}\r\n${text})\r\n${done}`;
  });
  const poll = async (state: Json | undefined) => {
    const { egress } = server;
    const outcome = await pollMailbox(
      {
        household: "home",
        source: "post",
        settings: SETTINGS,
        egress: egress as never,
        env: {} as never,
        now: NOW,
      },
      state,
    );
    return outcome;
  };
  return { poll, lines: server.lines };
}

const writeMail = (id: string, more = "") =>
  `From: Eve <eve@x.test>\r\nSubject: ${id}\r\nMessage-ID: <${id}@x.test>\r\n${more}\r\nHello ${id}\r\n`;

/** The state after the folder was empty. */
async function start(): Promise<Json> {
  const first = await createFolder({}).poll(undefined);
  if (!first.ok) throw new Error(first.reason);
  return first.state;
}

describe("a poll that fails in the middle", () => {
  it("keeps the mails before, and the next poll begins with the one that failed", async () => {
    const mails = { 1: { raw: writeMail("one") }, 2: { raw: writeMail("two") } };
    const state = await start();

    const cut = await createFolder({ ...mails, 2: { ...mails[2], isBroken: true } }).poll(state);
    if (!cut.ok) throw new Error(cut.reason);
    const again = await createFolder({ ...mails, 2: { ...mails[2], isBroken: true } }).poll(
      cut.state,
    );
    const repaired = await createFolder(mails).poll(cut.state);

    expect(cut).toMatchObject({ messages: [{ subject: "one" }], more: true });
    expect(again).toEqual({ ok: false, reason: expect.stringContaining("interrupted") });
    expect(repaired).toMatchObject({ ok: true, messages: [{ subject: "two" }] });
  });

  it("finds the same mails again if its result was lost", async () => {
    const folder = createFolder({ 1: { raw: writeMail("one") } });
    const state = await start();

    const [first, second] = [await folder.poll(state), await folder.poll(state)];

    expect(first).toMatchObject({
      ok: true,
      messages: [{ external_id: expect.stringContaining("<one@x.test>") }],
    });
    expect(second).toEqual(first);
  });
});

describe("mails that are not read", () => {
  it("a mail above 25 MB is shown by its headers, and its text is not fetched", async () => {
    const folder = createFolder({ 1: { raw: writeMail("large"), size: TOO_LARGE } });

    const polled = await folder.poll(await start());

    expect(polled).toMatchObject({
      ok: true,
      messages: [
        {
          external_id: expect.stringContaining("<large@x.test>"),
          sender: "eve@x.test",
          subject: "large",
          body: expect.stringContaining("larger than 25 MB"),
          attachments: [],
        },
      ],
    });
    expect(folder.lines.filter((line) => line.includes("BODY.PEEK[]"))).toEqual([]);
  });

  it("a hostile mail is shown by its headers, or by a note alone, and does not stop the others", async () => {
    const parts = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\n".repeat(20_000)}`;
    const polled = await createFolder({
      1: { raw: writeMail("parts", parts) },
      2: { raw: `References: ${"<x@y> ".repeat(5_000)}\r\n\r\nlong` },
      3: { raw: "", isRefused: true },
      4: { raw: writeMail("last") },
    }).poll(await start());

    if (!polled.ok) throw new Error(polled.reason);
    expect(polled.messages.map(({ subject, body }) => [subject, body.split(".")[0]])).toEqual([
      ["parts", "This mail was not read, because it is broken or too complex"],
      [undefined, "This mail was not read, because it is broken or too complex"],
      [undefined, "This mail was not read, because the server does not hand it out"],
      ["last", "Hello last"],
    ]);
    expect(new Set(polled.messages.map((one) => one.external_id)).size).toBe(4);
  });

  it("no mail says by itself that its sender is authentic, and a report without a sender is marked", async () => {
    const results = "Authentication-Results: mx.mess.test; dmarc=pass\r\nReturn-Path: <>\r\n";

    const polled = await createFolder({ 1: { raw: writeMail("one", results) } }).poll(
      await start(),
    );

    expect(polled).toMatchObject({ messages: [{ automatic: "auto_reply" }] });
    expect(polled.ok && polled.messages[0]?.headers[0]).toEqual(["X-Mess-Sender", "unknown"]);
  });
});

describe("a large folder", () => {
  it("mails from before the source are not read, however many there are", async () => {
    const folder = createFolder({ 4_000_000_000: { raw: writeMail("old") } });

    const polled = await folder.poll(undefined);

    expect(polled).toMatchObject({ ok: true, messages: [], state: { last_uid: 4_000_000_000 } });
    expect(folder.lines.filter((line) => line.includes("FETCH"))).toEqual([]);
  });

  it("numbers of deleted mails are passed over in steps, and nothing after them is lost", async () => {
    const folder = createFolder({ 25_000: { raw: writeMail("late") } });
    let polled = await folder.poll(await start());
    let polls = 1;
    while (polled.ok && polled.more && polls < 10) {
      expect(polled.messages).toEqual([]);
      polled = await folder.poll(polled.state);
      polls += 1;
    }

    expect(polls).toBe(3);
    expect(polled).toMatchObject({ messages: [{ subject: "late" }], state: { last_uid: 25_000 } });
  });

  it("the mails of one poll are limited by their bytes, too", async () => {
    const size = 15_000_000;
    const mails = { 1: { raw: writeMail("one"), size }, 2: { raw: writeMail("two"), size } };

    const polled = await createFolder(mails).poll(await start());

    expect(polled).toMatchObject({ messages: [{ subject: "one" }], more: true });
  });

  it("new numbers of all mails let those since the last complete poll be read again", async () => {
    const state = await start();
    const folder = createFolder({ 1: { raw: writeMail("one") } }, { uidValidity: 2 });

    const polled = await folder.poll(state);

    expect(folder.lines).toContain("A3 UID SEARCH UID 1:1 SINCE 1-Jan-2031");
    expect(polled).toMatchObject({ messages: [{ subject: "one" }], state: { uid_validity: 2 } });
  });
});
