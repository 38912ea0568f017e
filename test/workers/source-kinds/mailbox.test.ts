/** Mailbox sources with real servers for IMAP and SMTP: what is read, what is sent, and what an owner is warned of. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { getSourceStub } from "../../../src/stubs.ts";
import { unwrap } from "../outcomes.ts";
import { createFreshHousehold, expectOkJson } from "../support.ts";
import { createMailboxProvider, LocalMailbox } from "./local-mailbox.ts";
import { LocalSource } from "./local-source.ts";
import { pollNow } from "./poll-now.ts";

const NAME = "post";
/** "привет" in KOI8-R, and the end of the line. */
const KOI8_TEXT = [0xd0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4, 0x0d, 0x0a];
const mail = (id: string) => ({ id, subject: id, text: `text of ${id}` });

async function connect(mailbox: LocalMailbox, more: object = {}): Promise<LocalSource> {
  const home = await createFreshHousehold();
  const provider = await createMailboxProvider(mailbox);
  provider.settings = { ...provider.settings, ...more };
  const source = await new LocalSource(home, "mailbox", NAME, provider).connect();
  await provider.waitForPoll?.();
  return source;
}

const listSubjects = async (source: LocalSource): Promise<(string | undefined)[]> =>
  (await source.list()).map(({ subject }) => subject);

it("new mails are read once, also after the server gave all of them new numbers, and nothing in the mailbox changes", async () => {
  const mailbox = await LocalMailbox.create();
  await mailbox.deliver(mail("before"));
  const source = await connect(mailbox);
  // More than a poll reads.
  const ids = Array.from({ length: 26 }, (_none, index) => `mail-${index}`);
  await Promise.all(ids.map((id) => mailbox.deliver(mail(id))));

  await pollNow(source);
  await vi.waitFor(async () => expect(await source.list()).toHaveLength(ids.length), 20_000);
  await mailbox.renumber();
  await mailbox.deliver(mail("after"));
  await pollNow(source);
  await vi.waitFor(async () => expect(await listSubjects(source)).toContain("after"), 20_000);

  // After that, the mails of the day before are read again, also those from before the source.
  expect(new Set(await listSubjects(source))).toEqual(new Set([...ids, "before", "after"]));
  expect(await source.list()).toHaveLength(ids.length + 2);
  const { folders } = await mailbox.read();
  expect(folders["INBOX"]?.flatMap(({ flags }) => flags)).toEqual([]);
});

it("a mail in another charset is read as it was written", async () => {
  const mailbox = await LocalMailbox.create();
  const source = await connect(mailbox);
  const head = "From: ivan@x.test\r\nSubject: =?koi8-r?B?8NLJ18XU?=\r\n";
  const type =
    "Content-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: 8bit\r\n\r\n";
  await mailbox.deliverRaw(
    Uint8Array.from([...new TextEncoder().encode(head + type), ...KOI8_TEXT]),
  );

  await pollNow(source);

  expect(await source.readOnly()).toMatchObject({ subject: "Привет", body: "привет" });
});

it("an answer stands below its mail, and its copy in the folder that the owner names", async () => {
  const mailbox = await LocalMailbox.create();
  const source = await connect(mailbox, { sent_folder: "Gelöscht", from_name: "Ann Änderung" });

  const answers = {
    external_id: "<2@x.test>",
    references: ["<1@x.test>"],
    subject: "Wasser im Keller – was nun?",
    channel: "bob@x.test",
    headers: [] as const,
  };
  const sent = await source.send({ to: ["bob@x.test", "eve@x.test"], answers });
  const again = await source.send({ to: ["bob@x.test"], answers });

  const state = await mailbox.read();
  const [first] = state.sent;
  expect(first).toMatchObject({ to: ["bob@x.test", "eve@x.test"] });
  expect(first?.raw).toContain("In-Reply-To: <2@x.test>\r\n");
  expect(first?.raw).toContain("References: <1@x.test>\r\n <2@x.test>\r\n");
  expect(first?.raw).toContain(`Message-ID: ${sent.ok && sent.external_id}\r\n`);
  expect(again).toEqual(sent);
  expect((await mailbox.listSent())[0]?.subject).toBe(`Re: ${answers.subject}`);
  expect(state.folders["Gel&APY-scht"]?.[0]).toEqual({ raw: first?.raw, flags: ["\\Seen"] });
});

it("an owner who saves wrong settings is warned of each, and the source shows the problem", async () => {
  const mailbox = await LocalMailbox.create();
  const home = await createFreshHousehold();
  const provider = await createMailboxProvider(mailbox);
  const source = new LocalSource(home, "mailbox", NAME, provider);
  const save = async (changed: object): Promise<string> => {
    const response = await source.configure({ ...mailbox.settings, ...changed });
    return JSON.stringify(await expectOkJson(response));
  };

  const wrongPassword = await save({ password: "not-the-password" });
  await vi.waitFor(async () => {
    const { messages } = getSourceStub(env, home.id, NAME);
    expect(unwrap(await messages.status()).problem).toContain("check user and password");
  }, 20_000);
  const wrongFolder = await save({ folder: "Elsewhere" });
  const noServer = await save({ imap_port: 1 });
  const correct = await save({});

  expect(wrongPassword.match(/sources\.post: 127\.0\.0\.1 refuses the user name/g)).toHaveLength(2);
  expect(wrongPassword).not.toContain("not-the-password");
  expect(wrongFolder).toContain("has no folder Elsewhere: check folder");
  expect(noServer).toContain("cannot be reached on port 1: check imap_host");
  expect(correct).toContain('"warnings":[]');
});
