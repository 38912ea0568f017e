/** Mail sources: addresses, what is read of a mail, refusals, replies in their threads, and hostile mails. */
import PostalMime from "postal-mime";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isAutomatic } from "../../../src/channels/email/automatic-mail.ts";
import { buildBounce, buildMail, type Delivered } from "../../support/channels/mail.ts";
import { createMailHousehold, deliverMail } from "../ingress/email/mail-household.ts";
import { expectOkJson } from "../support.ts";
import { LocalSource } from "./local-source.ts";
import { createLocalSource, LOCAL_PROVIDERS } from "./local-sources.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const ANN = "ann@elsewhere.example";

const addressOf = (source: LocalSource): string => `${source.name}.${source.home.id}@mess.test`;

type MailTexts = Partial<Parameters<typeof buildMail>[0]>;

const mailTo = (source: LocalSource, mail: MailTexts = {}): Delivered =>
  buildMail({ from: ANN, to: addressOf(source), subject: "Hello", text: "Is it done?", ...mail });

describe("mail to a source", () => {
  it("the address of a mail source is read in any case, with a suffix and on any domain", async () => {
    const source = await createLocalSource("email");
    const { home, name } = source;
    const addresses = [
      addressOf(source).toUpperCase(),
      `${name}.${home.id}+shop@mess.test`,
      `${name}.${home.id}@other.example`,
    ];

    for (const to of addresses) expect(await deliverMail(mailTo(source, { to }))).toBeUndefined();

    expect(await source.list()).toHaveLength(addresses.length);
  });

  it.each(["nothing", "alerts"])(
    "mail to %s, which is no mail source of the household, is refused",
    async (name) => {
      const source = await createLocalSource("email");
      const alerts = { kind: "webhook", secret: `whsec_${btoa(crypto.randomUUID())}` };
      await expectOkJson(await source.home.owner.postBlocks({ config: { sources: { alerts } } }));

      const refused = await deliverMail(
        mailTo(source, { to: `${name}.${source.home.id}@mess.test` }),
      );

      expect(refused).toMatch(/^5\.1\.1 /);
    },
  );

  it("mail to a household that does not exist is refused like mail to a source that does not exist", async () => {
    const source = await createLocalSource("email");

    const [unknownHousehold, unknownSource] = [
      await deliverMail(mailTo(source, { to: "mail.nobody-lives-here@mess.test" })),
      await deliverMail(mailTo(source, { to: `other.${source.home.id}@mess.test` })),
    ];

    expect(unknownHousehold).toBe(unknownSource);
  });

  it("the texts, the sender and the thread of a mail are read", async () => {
    const source = await createLocalSource("email");
    await deliverMail(
      mailTo(source, {
        subject: "=?utf-8?B?V2Fzc2VyIGltIEtlbGxlciDwn5Kn?=",
        text: "Grüße\r\nund Küsse",
        headers: {
          "Message-ID": "<c@elsewhere.example>",
          "In-Reply-To": "<b@elsewhere.example>",
          References: "<a@elsewhere.example> <b@elsewhere.example>",
          "Reply-To": "Office <office@elsewhere.example>",
          Cc: "bob@elsewhere.example",
        },
      }),
    );

    const message = await source.readOnly();

    expect(message).toMatchObject({
      sender: ANN,
      sender_name: "Somebody",
      recipient: addressOf(source),
      subject: "Wasser im Keller 💧",
      body: "Grüße\nund Küsse",
      channel: "office@elsewhere.example",
      reply_to: "<b@elsewhere.example>",
    });
    expect(message.headers).toContainEqual(["Cc", "bob@elsewhere.example"]);
    expect(message).not.toHaveProperty("automatic");
  });

  it("a mail that is HTML only becomes text, with the mail that it forwards", async () => {
    const source = await createLocalSource("email");
    await deliverMail(
      mailTo(source, {
        html: "<p>See <b>below</b></p><script>alert(1)</script><blockquote>the old mail</blockquote>",
      }),
    );

    const { body } = await source.readOnly();

    expect(body).toMatch(/^See below\s+the old mail$/);
  });

  it("a mail without Message-ID is stored once however often it arrives", async () => {
    const source = await createLocalSource("email");
    const mail = mailTo(source, { headers: { "Message-ID": "" } });

    await deliverMail(mail);
    await deliverMail(mail);
    await deliverMail({ ...mail, raw: mail.raw.replace("Hello", "Bye") });

    expect(await source.list()).toHaveLength(2);
  });

  it("a mail with the Message-ID of another mail does not suppress it, and a repeated mail counts once", async () => {
    const source = await createLocalSource("email");
    const results = { "Authentication-Results": "mess.test; dmarc=pass" };
    const id = { "Message-ID": "<known@elsewhere.example>" };
    const real = mailTo(source, { headers: { ...id, ...results } });
    const copies = [
      mailTo(source, { headers: id }),
      mailTo(source, { headers: { ...id, ...results }, text: "Pay this." }),
      mailTo(source, { headers: { ...id, ...results, "Reply-To": "mallory@elsewhere.example" } }),
      mailTo(source, { headers: { ...id, ...results, "X-Loop": "1" } }),
    ];
    for (const mail of copies) await deliverMail(mail);

    await deliverMail(real);
    await deliverMail({ ...real, raw: `Received: from relay.example\r\n${real.raw}` });

    expect(await source.list()).toHaveLength(copies.length + 1);
  });

  it("a mail shows the message that it answers", async () => {
    const source = await createLocalSource("email");
    await deliverMail(mailTo(source, { headers: { "Message-ID": "<first@elsewhere.example>" } }));
    const first = await source.readOnly();

    await deliverMail(
      mailTo(source, {
        text: "And now?",
        headers: {
          "In-Reply-To": "<first@elsewhere.example>",
          "Message-ID": "<second@elsewhere.example>",
        },
      }),
    );

    const [second] = await source.list();
    expect(await source.read(second!.id)).toMatchObject({ reply_to: first.id });
  });

  it("the raw bytes of a mail are kept as they arrived", async () => {
    const source = await createLocalSource("email");
    const mail = mailTo(source);
    await deliverMail(mail);

    const { id } = await source.readOnly();

    expect(new TextDecoder().decode(await source.readBytes(id, "raw"))).toBe(mail.raw);
  });

  it.each<[string, Record<string, string>, string]>([
    ["an automatic reply", { "Auto-Submitted": "auto-replied" }, "auto_reply"],
    ["an out-of-office notice", { Subject: "Out of office: back on Monday" }, "auto_reply"],
    ["a mailing list", { "List-Id": "<news.elsewhere.example>" }, "list"],
    ["a bulk mail", { Precedence: "bulk" }, "bulk"],
    ["a newsletter", { "List-Unsubscribe": "<https://elsewhere.example/leave>" }, "bulk"],
    ["a bounce", { From: "MAILER-DAEMON@elsewhere.example" }, "bounce"],
  ])("%s is stored and recognized as %s", async (_name, headers, expected) => {
    const source = await createLocalSource("email");

    expect(await deliverMail(mailTo(source, { headers }))).toBeUndefined();

    expect(await source.readOnly()).toMatchObject({ automatic: expected });
  });

  it.each([
    ["mess.test; dmarc=pass", "authentic"],
    ["mess.test; dmarc=fail", "forged"],
    ["", "unknown"],
  ])("the authentication results %s are noted in the headers as %s", async (results, expected) => {
    const source = await createLocalSource("email");
    const headers = {
      "Authentication-Results": results,
      "X-Mess-Sender": "authentic because I say so",
    };
    await deliverMail(mailTo(source, { headers }));

    const stored = (await source.readOnly()).headers;

    const noted = stored.filter(([name]) => name.toLowerCase() === "x-mess-sender");
    expect(noted).toEqual([["X-Mess-Sender", expected]]);
  });
});

describe("mail between sources and threads", () => {
  it("a reply to the notice of a task stays in its thread, although the household has a mail source", async () => {
    const home = await createMailHousehold();
    const provider = await LOCAL_PROVIDERS.email!(home.id);
    const source = await new LocalSource(home, "email", "inbox", provider).connect();

    expect(await home.answer({ text: "There is milk." })).toBeUndefined();
    const moved = { ...home.sent, replyTo: addressOf(source) };
    const cited = { References: home.sent.headers["References"] ?? "" };
    await deliverMail(
      buildMail({
        from: home.sent.to,
        to: moved.replyTo,
        subject: "Re: fridge",
        text: "And butter.",
        headers: cited,
      }),
    );

    expect(await home.listMailMessages()).toHaveLength(2);
    expect(await source.list()).toEqual([]);
  });

  it("a bounce of a member's notice is reported, and a bounce of a source's mail lands in the source", async () => {
    const home = await createMailHousehold();
    const provider = await LOCAL_PROVIDERS.email!(home.id);
    const source = await new LocalSource(home, "email", "inbox", provider).connect();

    await deliverMail(buildBounce(home.sent));
    expect(await source.list()).toEqual([]);
    const own = { ...home.sent, to: "stranger@elsewhere.example", headers: {} };
    await deliverMail(buildBounce(own, "5.1.1", { to: addressOf(source) }));

    expect(await source.readOnly()).toMatchObject({ automatic: "bounce" });
  });
});

describe("hostile mail", () => {
  it("a mail beyond 25 MB is refused before it is read", async () => {
    const source = await createLocalSource("email");

    const refused = await deliverMail(mailTo(source), 26 * 1024 * 1024);

    expect(refused).toMatch(/^5\.3\.4 /);
    expect(await source.list()).toEqual([]);
  });

  it("a mail of 24 MB is stored with its file", { timeout: 60_000 }, async () => {
    const source = await createLocalSource("email");
    const bytes = new Uint8Array(17 * 1024 * 1024).fill(65);
    const file = { name: "plan.bin", type: "application/x-plan", bytes };

    expect(await deliverMail(mailTo(source, { files: [file] }))).toBeUndefined();

    const message = await source.readOnly();
    expect(message.attachments).toMatchObject([{ name: "plan.bin", size: bytes.byteLength }]);
  });

  it.each<[string, string]>([
    ["no end of its parts", 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nhello'],
    ["an unknown encoding", "Content-Transfer-Encoding: rot13\r\n\r\nhello"],
    ["an unknown charset", "Content-Type: text/plain; charset=klingon\r\n\r\nhello"],
    ["bytes that are not UTF-8", "Content-Type: text/plain; charset=utf-8\r\n\r\nhello \xff\xfe"],
    ["no headers", "\r\nhello"],
  ])("a mail with %s is stored as far as it can be read", async (_name, rest) => {
    const source = await createLocalSource("email");
    const to = addressOf(source);

    expect(await deliverMail({ from: ANN, to, raw: `Subject: broken\r\n${rest}` })).toBeUndefined();

    const message = await source.readOnly();
    expect(message.sender).toBe(ANN);
    expect(message.body).toContain("hello");
  });

  it("a mail with 1,000 recipients is stored with a bounded header", async () => {
    const source = await createLocalSource("email");
    const recipients = Array.from({ length: 1_000 }, (_, n) => `r${n}@elsewhere.example`);
    const headers = { To: recipients.join(",\r\n ") };

    expect(await deliverMail(mailTo(source, { headers }))).toBeUndefined();

    const to = (await source.readOnly()).headers.find(([name]) => name === "To")?.[1] ?? "";
    expect(to).toContain("r0@elsewhere.example");
    expect(to.length).toBeLessThanOrEqual(2_000);
  });
});

describe("mail from a source", () => {
  const ANSWERED = {
    external_id: "<c@elsewhere.example> sha256:0f3a",
    references: ["<b@elsewhere.example>", "<a@elsewhere.example>"],
    subject: "Re: RE: AW: The cellar",
    channel: ANN,
    headers: [["From", ANN]] as [string, string][],
  };

  /** The bytes that the mail service would send, as another parser reads them. */
  async function parseSent(source: LocalSource, message: Parameters<LocalSource["send"]>[0]) {
    const sent: (EmailMessageBuilder & { to: string[]; replyTo?: string })[] = [];
    const binding = {
      send: async (mail: (typeof sent)[number]) => {
        sent.push(mail);
        return { messageId: "<own@service.test>" };
      },
    };
    source.provider.bindings = () => ({ SEND_EMAIL: binding as unknown as SendEmail });
    const result = await source.send(message);
    const [mail] = sent;
    if (!mail) return { result };
    const from = typeof mail.from === "string" ? mail.from : mail.from.email;
    const raw = [
      `From: ${from}`,
      `To: ${mail.to.join(", ")}`,
      `Reply-To: ${mail.replyTo}`,
      `Subject: ${mail.subject}`,
      "Message-ID: <own@service.test>",
      ...Object.entries(mail.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
      "",
      mail.text ?? "",
    ].join("\r\n");
    return { result, mail: await PostalMime.parse(raw) };
  }

  it("a reply is threaded as a mail program reads it, with one Re: and the whole chain", async () => {
    const source = await createLocalSource("email");

    const { result, mail } = await parseSent(source, { answers: ANSWERED });

    expect(result).toEqual({ ok: true, external_id: "<own@service.test>" });
    expect(mail).toMatchObject({
      subject: "Re: The cellar",
      inReplyTo: "<c@elsewhere.example>",
      references: "<a@elsewhere.example> <b@elsewhere.example> <c@elsewhere.example>",
      replyTo: [{ address: addressOf(source) }],
      to: [{ address: ANN }],
    });
    expect(mail!.text?.trim()).toBe("Tuesday suits us.");
    expect(isAutomatic(mail!, "home@mess.test")).toBe(false);
  });

  it("the answer to the reply arrives in the same source and names it", async () => {
    const source = await createLocalSource("email");
    const { mail } = await parseSent(source, { answers: ANSWERED });

    await deliverMail(
      mailTo(source, {
        to: mail!.replyTo![0]!.address!,
        headers: { "In-Reply-To": mail!.messageId! },
      }),
    );

    expect(await source.readOnly()).toMatchObject({ reply_to: "<own@service.test>" });
  });

  it("a long thread keeps its first and its newest messages within the limit of the mail service", async () => {
    const source = await createLocalSource("email");
    const references = Array.from({ length: 300 }, (_, n) => `<${300 - n}@elsewhere.example>`);

    const { mail } = await parseSent(source, { answers: { ...ANSWERED, references } });

    const chain = mail!.references!.split(/\s+/);
    expect(chain[0]).toBe("<1@elsewhere.example>");
    expect(chain.at(-1)).toBe("<c@elsewhere.example>");
    expect(mail!.references!.length).toBeLessThanOrEqual(2_048);
  });

  it("texts of strangers cannot add headers or recipients", async () => {
    const source = await createLocalSource("email");

    const { mail } = await parseSent(source, {
      subject: "Hi\r\nBcc: eve@evil.example",
      answers: {
        ...ANSWERED,
        external_id: "<c@elsewhere.example>\r\nBcc: eve@evil.example",
        references: ["<a b@x>", "x\r\nBcc: eve@evil.example"],
      },
    });
    const injected = await parseSent(source, { to: ["ann@elsewhere.example, eve@evil.example"] });

    expect(mail!.headers.map(({ key }) => key)).not.toContain("bcc");
    expect(mail).not.toHaveProperty("inReplyTo");
    expect(injected.result).toMatchObject({ ok: false, isPermanent: true });
    expect(injected.mail).toBeUndefined();
  });

  it("an answer to a program's mail is marked, so that no program answers it", async () => {
    const source = await createLocalSource("email");
    const headers: [string, string][] = [["Auto-Submitted", "auto-replied"]];

    const { mail } = await parseSent(source, { answers: { ...ANSWERED, headers } });

    expect(isAutomatic(mail!, "home@mess.test")).toBe(true);
  });

  it.each([
    ["more than 50 recipients", { to: Array.from({ length: 51 }, (_, n) => `r${n}@x.example`) }],
    ["no recipient", { to: [] }],
    [
      "files of more than 5 MB",
      {
        attachments: [
          { name: "a.bin", mime: "application/x-a", bytes: new Uint8Array(5 * 1024 * 1024) },
        ],
      },
    ],
  ])("a mail with %s is refused for good and not sent", async (_name, message) => {
    const source = await createLocalSource("email");

    const { result, mail } = await parseSent(source, message);

    expect(result).toMatchObject({ ok: false, isPermanent: true });
    expect(mail).toBeUndefined();
  });
});
