import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buildReply, buildBounce } from "../../../support/channels/mail.ts";
import { expectNaming } from "../../../support/naming.ts";
import { PNG } from "../../../support/media/png.ts";
import { waitUntil, expectOkJson } from "../../support.ts";
import { getEndedText, readRefusal } from "../../../support/answers.ts";
import { ANN, deliverMail, createMailHousehold } from "./mail-household.ts";

afterEach(() => vi.restoreAllMocks());

describe("answers by email", () => {
  it("an answer by email is stored without the quoted mail", async () => {
    const { sent, answer, readOwnThread, listMailMessages } = await createMailHousehold();

    expect(await answer({ text: "Two eggs and milk.\n-- \nAnn" })).toBeUndefined();

    const [message] = await listMailMessages();
    expect(message).toMatchObject({ from: "ann" });
    expect(JSON.stringify(message)).toContain("Two eggs and milk.");
    const link = /https:\/\/\S+/.exec(sent.text)?.[0] ?? "no link";
    expect(sent.text).toContain(link);
    for (const quoted of [link, " wrote:", "-- "])
      expect(JSON.stringify(message)).not.toContain(quoted);
    expect((await readOwnThread()).envelope.executor).toBe("ann");
  });

  it("reply keywords in an email claim and complete a request", async () => {
    const { answer, readOwnThread } = await createMailHousehold();

    await answer({ text: "1" });
    expect((await readOwnThread()).envelope).toMatchObject({ status: "claimed", executor: "ann" });
    await answer({ text: "Done" });
    expect((await readOwnThread()).envelope.status).toBe("completed");
  });

  it("files and pasted pictures of an email become attachments, but not its signatures", async () => {
    const { agent, answer, readOwnThread } = await createMailHousehold();

    const refused = await answer({
      text: "here",
      files: [
        { name: "fridge.png", type: "image/png", bytes: PNG },
        { name: "pasted.png", type: "image/png", bytes: PNG, inline: true },
        { name: "list.txt", type: "text/plain", bytes: new TextEncoder().encode("eggs") },
        { name: "signature.asc", type: "application/pgp-signature", bytes: PNG },
      ],
    });

    expect(refused).toBeUndefined();
    const { attachments } = await readOwnThread();
    expect(attachments).toHaveLength(3);
    const types = await Promise.all(
      attachments.map(async ({ url }: { url: string }) =>
        (await agent.fetch(url)).headers.get("Content-Type"),
      ),
    );
    expect(types.filter((type) => type === "image/png")).toHaveLength(2);
  });

  it("an answer by email can be HTML only, in any alphabet", async () => {
    const { answer, listMailMessages } = await createMailHousehold();

    await answer({ html: "<p>Zwei Eier &amp; Milch 🥚</p><style>p{}</style>" });

    expect(JSON.stringify(await listMailMessages())).toContain("Zwei Eier & Milch 🥚");
  });

  it("the thread of an email is found by the cited mail if the address has lost its code", async () => {
    const { sent, listMailMessages } = await createMailHousehold();

    expect(
      await deliverMail({ ...buildReply(sent, { text: "Two eggs." }), to: "reply@mess.test" }),
    ).toBeUndefined();

    expect(await listMailMessages()).toHaveLength(1);
  });

  it("an email after the end of the request is refused with the reason of the end", async () => {
    const { agent, ref, answer } = await createMailHousehold();
    await answer({ text: "1" });
    await agent.appendBlocks(ref, { cancel: { reason: "found them" } });

    expect(await answer({ text: "done" })).toBe(`5.7.1 ${getEndedText("cancelled")}`);
  });

  it("an email with a header longer than any mail program writes is refused before it is parsed", async () => {
    const { answer, listMailMessages } = await createMailHousehold();
    const headers = { References: `<one@mail.example>${" ".repeat(20_000)}<two@mail.example>` };

    expect(await answer({ text: "Two eggs.", headers })).toMatch(/^5\.6\.0 /);

    expect(await listMailMessages()).toEqual([]);
  });

  it("an empty email is refused, and not stored", async () => {
    const { answer, listMailMessages } = await createMailHousehold();

    expect(await answer({ text: "" })).toBe(`5.7.1 ${readRefusal("empty_message")}`);
    expect(await listMailMessages()).toEqual([]);
  });
});

describe("mails of other senders", () => {
  it.each(["dmarc=pass", "spf=pass; dkim=none", "spf=fail; dkim=pass; dmarc=none", "dmarc=none"])(
    "an email that passes authentication is accepted: %s",
    async (results) => {
      const { answer, listMailMessages } = await createMailHousehold();

      await answer({
        text: "eggs",
        headers: { "Authentication-Results": `mx.mess.test; ${results}` },
      });

      expect(await listMailMessages()).toHaveLength(1);
    },
  );

  it("a reply to an email is refused from any other address, even that of a member with the same offer", async () => {
    const { owner, agent, office, listMessagesIn } = await createMailHousehold();
    const ben = { id: "ben", capabilities: ["look"], notify: { email: "ben@example.com" } };
    await expectOkJson(await owner.postBlocks({ config: { executor: ben } }));
    const ref = await agent.createThread("look at the shelf", { requires: ["look"] });
    const findMailTo = (address: string) =>
      waitUntil(async () => {
        const found = office.messages.find(
          ({ to, replyTo }) => to === address && replyTo.includes(`_${ref}_`),
        );
        expect(found).toBeDefined();
        return found!;
      });
    const [toAnn, toBen] = [await findMailTo(ANN), await findMailTo("ben@example.com")];

    const stolen = await deliverMail(buildReply(toAnn, { text: "1", from: "ben@example.com" }));
    expect(stolen).toMatch(/^5\.7\.1 /);
    expect(await listMessagesIn(ref)).toEqual([]);
    const own = await deliverMail(buildReply(toBen, { text: "1" }));

    expect(own).toBeUndefined();
    expect(await listMessagesIn(ref)).toMatchObject([{ from: "ben" }]);
  });

  it("an email of a removed member is refused, although its code is genuine", async () => {
    const { owner, answer, readOwnThread, listMailMessages } = await createMailHousehold();
    await expectOkJson(await owner.postBlocks({ config: { executors: { ann: null } } }));

    expect(await answer({ text: "1" })).toMatch(/^5\.7\.1 /);

    expect(await listMailMessages()).toEqual([]);
    expect((await readOwnThread()).envelope.status).toBe("pending");
  });

  it("an email with a forged or copied code is refused in every thread", async () => {
    const { sent, listMailMessages } = await createMailHousehold();
    const other = await createMailHousehold();
    const whole = buildReply(sent, { text: "done" });
    const code = /reply\+([^@]+)@/.exec(sent.replyTo)?.[1] ?? "";
    const made = [
      whole.raw.replaceAll(
        code,
        code.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      ),
      whole.raw.replaceAll(code, code.replace(/^[^_]+/, other.id)),
      whole.raw.replaceAll(code, ""),
    ];

    for (const raw of made) {
      const to = /^To: (.*)$/m.exec(raw)?.[1]?.trim() ?? "";
      expect(await deliverMail({ ...whole, to, raw })).toMatch(/^5\.(?:1\.1|7\.1) /);
    }
    expect(await listMailMessages()).toEqual([]);
    expect(await other.listMailMessages()).toEqual([]);
  });
});

describe("automatic mails", () => {
  const AUTOMATIC: Record<string, Record<string, string>> = {
    "an automatic reply": { "Auto-Submitted": "auto-replied" },
    "our own": { "Auto-Submitted": "auto-generated" },
    "bulk mail": { Precedence: "bulk" },
    "an absence, as Exchange says it": { "X-Auto-Response-Suppress": "All" },
    "an absence, in German": { Subject: "Abwesenheitsnotiz: fridge" },
    "a list": { "List-Id": "<home.lists.example>" },
    "a mail server": { From: "MAILER-DAEMON@example.com" },
  };

  it.each(Object.keys(AUTOMATIC))(
    "an automatic mail is dropped without a reply: %s",
    async (kind) => {
      const { answer, listMailMessages } = await createMailHousehold();

      expect(
        await answer({ text: "I am away until Monday.", headers: AUTOMATIC[kind]! }),
      ).toBeUndefined();

      expect(await listMailMessages()).toEqual([]);
    },
  );

  it("a mail whose header states that it is not automatic is accepted", async () => {
    const { answer, listMailMessages } = await createMailHousehold();

    await answer({ text: "eggs", headers: { "Auto-Submitted": "no" } });

    expect(await listMailMessages()).toHaveLength(1);
  });
});

describe("bounced mails", () => {
  it("a permanent bounce marks the address as undeliverable, and the owner sees it", async () => {
    const { owner, sent, listMailMessages } = await createMailHousehold();

    expect(await deliverMail(buildBounce(sent))).toBeUndefined();

    await waitUntil(async () => {
      const { events } = await owner.read("/api/v1/events");
      const gone = events.filter(({ action }: { action?: string }) => action === "channel_gone");
      expect(gone).toMatchObject([{ by: "ann" }]);
    });
    expect(await listMailMessages()).toEqual([]);
  });

  it.each(["4.2.2", "5.7.1"])(
    "a temporary bounce does not mark the address as undeliverable: %s",
    async (status) => {
      const { owner, sent } = await createMailHousehold();

      expect(await deliverMail(buildBounce(sent, status))).toBeUndefined();

      expect(JSON.stringify(await owner.read("/api/v1/events"))).not.toContain("channel_gone");
    },
  );

  it("a bounce marks only its own delivery as failed, once", async () => {
    const { agent, createMailThread, sent, ref, readThread } = await createMailHousehold();
    const other = await createMailThread("look at the shelf");
    const [first, second] = [sent, other.sent];
    const listFailures = async (one: string): Promise<string[]> =>
      (await readThread(one)).envelope.history
        .filter(({ action }: { action: string }) => action === "delivery_failed")
        .map(({ note }: { note: string }) => note);
    const readState = async (one: string) =>
      (await agent.read(`/mess/${one}/deliveries`)).deliveries;
    const report = buildBounce(first, "5.7.1", { messageId: first.messageId! });

    expect(await deliverMail(report)).toBeUndefined();
    expect(await deliverMail(report)).toBeUndefined();

    expect(await listFailures(ref)).toEqual([expectNaming("ann", "email", "5.7.1")]);
    expect(await readState(ref)).toMatchObject([{ state: "due", attempts: 1 }]);
    expect(await listFailures(other.ref)).toEqual([]);
    expect(await readState(other.ref)).toMatchObject([{ state: "delivered", attempts: 0 }]);
    expect(second.messageId).not.toBe(first.messageId);
  });

  it.each<[string, (ours: string, other: string) => string]>([
    ["a foreign mail", () => "<someone-elses@mail.example>"],
    ["the mail of another thread", (_ours, other) => other],
    ["part of our id", (ours) => `${ours.slice(0, -2)}>`],
    ["no id", () => ""],
  ])("a returned mail marks no delivery where it quotes %s", async (_what, quoted) => {
    const { agent, createMailThread, sent, ref, readOwnThread } = await createMailHousehold();
    const other = await createMailThread("look at the shelf");
    const messageId = quoted(sent.messageId!, other.sent.messageId!);

    expect(await deliverMail(buildBounce(sent, "5.7.1", { messageId }))).toBeUndefined();

    for (const one of [ref, other.ref])
      expect((await agent.read(`/mess/${one}/deliveries`)).deliveries).toMatchObject([
        { state: "delivered", attempts: 0 },
      ]);
    expect(JSON.stringify((await readOwnThread()).envelope.history)).not.toContain(
      "delivery_failed",
    );
  });

  it("a forged bounce report changes nothing", async () => {
    const { owner, sent } = await createMailHousehold();
    const report = buildBounce(sent);
    const raw = report.raw.replaceAll(ANN, "ben@example.com");

    expect(await deliverMail({ ...report, raw })).toBeUndefined();

    expect(JSON.stringify(await owner.read("/api/v1/events"))).not.toContain("channel_gone");
  });
});

describe("mails that cannot be parsed", () => {
  beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => undefined));

  it("a mail that is too large is refused before it is parsed", async () => {
    const { sent } = await createMailHousehold();

    expect(await deliverMail(buildReply(sent), 26 * 1024 * 1024)).toMatch(/^5\.3\.4 /);
  });

  it("a mail with endlessly nested parts or an endless header is refused", async () => {
    const { sent } = await createMailHousehold();
    const { from, to } = buildReply(sent);
    const nested = Array.from(
      { length: 100 },
      (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
    ).join("");
    const header = `X-Long: ${"a".repeat(200_000)}\r\n\r\nhello`;

    expect(await deliverMail({ from, to, raw: nested })).toMatch(/^5\.6\.0 /);
    expect(await deliverMail({ from, to, raw: header })).toMatch(/^5\.6\.0 /);
  });

  it.each(["", "\r\n\r\n", "hello", "From: \r\n\r\n", "From: a@b\r\nContent-Type: \r\n\r\n\0\0"])(
    "a malformed mail is refused with a status code: %j",
    async (raw) => {
      const refused = await deliverMail({ from: "a@b", to: "reply@mess.test", raw });

      expect(refused).toMatch(/^5\.(?:1\.1|6\.0) /);
    },
  );
});
