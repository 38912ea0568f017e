import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answer, answerTo, bounceOf } from "../../support/mail.ts";
import { PNG } from "../../support/png.ts";
import { eventually, expectOk } from "../support.ts";
import { ANN, deliver, mailHome } from "./mail-home.ts";

afterEach(() => vi.restoreAllMocks());

describe("an answer by email", () => {
  it("is the member's own words in the thread, without what they quote", async () => {
    const { answer, thread, said } = await mailHome();

    expect(await answer({ text: "Two eggs and milk.\n-- \nAnn" })).toBeUndefined();

    const [message] = await said();
    expect(message).toMatchObject({ from: "ann" });
    expect(JSON.stringify(message)).toContain("Two eggs and milk.");
    expect(JSON.stringify(message)).not.toMatch(/wrote|Respond|-- /);
    expect((await thread()).envelope.executor).toBe("ann");
  });

  it("takes, declines and ends by the same short words as elsewhere", async () => {
    const { answer, thread } = await mailHome();

    await answer({ text: "1" });
    expect((await thread()).envelope).toMatchObject({ status: "claimed", executor: "ann" });
    await answer({ text: "Done" });
    expect((await thread()).envelope.status).toBe("completed");
  });

  it("brings its files, pasted pictures too", async () => {
    const { agent, answer, thread } = await mailHome();

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
    const { attachments } = await thread();
    expect(attachments).toHaveLength(3);
    const types = await Promise.all(
      attachments.map(async ({ url }: { url: string }) =>
        (await agent.fetch(url)).headers.get("Content-Type"),
      ),
    );
    expect(types.filter((type) => type === "image/png")).toHaveLength(2);
  });

  it("may be HTML alone, and in any alphabet", async () => {
    const { answer, said } = await mailHome();

    await answer({ html: "<p>Zwei Eier &amp; Milch 🥚</p><style>p{}</style>" });

    expect(JSON.stringify(await said())).toContain("Zwei Eier & Milch 🥚");
  });

  it("finds its thread by what it cites, where the address has lost its code", async () => {
    const { sent, said } = await mailHome();

    expect(
      await deliver({ ...answerTo(sent, { text: "Two eggs." }), to: "reply@mess.test" }),
    ).toBeUndefined();

    expect(await said()).toHaveLength(1);
  });

  it("counts once, however often it comes", async () => {
    const { answer, said } = await mailHome();
    const mail = { text: "Two eggs.", messageId: "<one@mail.example>" };

    await answer(mail);
    await Promise.all([answer(mail), answer(mail), answer({ ...mail, text: "Three eggs." })]);

    expect(await said()).toHaveLength(1);
  });

  it("is refused in plain words where the thread takes it no more", async () => {
    const { agent, ref, answer } = await mailHome();
    await answer({ text: "1" });
    await agent.tell(ref, { cancel: { reason: "found them" } });

    expect(await answer({ text: "done" })).toBe("5.7.1 It was called off: nothing more is needed.");
  });

  it("that says nothing is refused, and leaves nothing", async () => {
    const { answer, said } = await mailHome();

    expect(await answer({ text: "" })).toBe(
      "5.7.1 There was nothing in your message that could be passed on.",
    );
    expect(await said()).toEqual([]);
  });
});

describe("a mail that is not the member's", () => {
  const FORGED: Record<string, [Answer, string]> = {
    "from another address": [{ from: "eve@example.com" }, "5.7.1"],
    "that fails DMARC": [
      { headers: { "Authentication-Results": "mx.mess.test; dmarc=fail header.from=example.com" } },
      "5.7.26",
    ],
    "that fails SPF without a signature": [
      {
        headers: { "Authentication-Results": "mx.mess.test; spf=softfail; dkim=none; dmarc=none" },
      },
      "5.7.26",
    ],
    "that claims to pass in a comment": [
      { headers: { "Authentication-Results": "mx.mess.test (dmarc=pass); dmarc=fail" } },
      "5.7.26",
    ],
  };

  it.each(Object.keys(FORGED))("is refused: %s", async (fault) => {
    const { answer, thread, said } = await mailHome();
    const [given, code] = FORGED[fault]!;

    expect(await answer({ text: "done", ...given })).toMatch(new RegExp(`^${code} `));

    expect(await said()).toEqual([]);
    expect((await thread()).envelope.status).toBe("pending");
  });

  it.each(["dmarc=pass", "spf=pass; dkim=none", "spf=fail; dkim=pass; dmarc=none", "dmarc=none"])(
    "is none where its server vouches for it: %s",
    async (results) => {
      const { answer, said } = await mailHome();

      await answer({
        text: "eggs",
        headers: { "Authentication-Results": `mx.mess.test; ${results}` },
      });

      expect(await said()).toHaveLength(1);
    },
  );

  it("is refused where another member answers what was sent to this one", async () => {
    const { owner, answer, said } = await mailHome();
    const ben = { id: "ben", capabilities: ["look"], notify: { email: "ben@example.com" } };
    await expectOk(await owner.say({ config: { executor: ben } }));

    expect(await answer({ text: "1", from: "ben@example.com" })).toBe(
      "5.7.1 Please answer from the address that the task was sent to.",
    );

    expect(await said()).toEqual([]);
  });

  it("is refused whatever code it makes up, and whomever's thread it means", async () => {
    const { sent, said } = await mailHome();
    const other = await mailHome();
    const whole = answerTo(sent, { text: "done" });
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
      expect(await deliver({ ...whole, to, raw })).toMatch(/^5\.(?:1\.1|7\.1) /);
    }
    expect(await said()).toEqual([]);
    expect(await other.said()).toEqual([]);
  });
});

describe("a mail that nobody wrote", () => {
  const AUTOMATIC: Record<string, Record<string, string>> = {
    "an automatic reply": { "Auto-Submitted": "auto-replied" },
    "our own": { "Auto-Submitted": "auto-generated" },
    "bulk mail": { Precedence: "bulk" },
    "an absence, as Exchange says it": { "X-Auto-Response-Suppress": "All" },
    "an absence, in German": { Subject: "Abwesenheitsnotiz: fridge" },
    "a list": { "List-Id": "<home.lists.example>" },
    "a mail server": { From: "MAILER-DAEMON@example.com" },
  };

  it.each(Object.keys(AUTOMATIC))("is dropped without an answer: %s", async (kind) => {
    const { answer, said } = await mailHome();

    expect(
      await answer({ text: "I am away until Monday.", headers: AUTOMATIC[kind]! }),
    ).toBeUndefined();

    expect(await said()).toEqual([]);
  });

  it("is told from a person's mail that says so", async () => {
    const { answer, said } = await mailHome();

    await answer({ text: "eggs", headers: { "Auto-Submitted": "no" } });

    expect(await said()).toHaveLength(1);
  });
});

describe("a mail that came back", () => {
  it("ends the address, and its owner sees it", async () => {
    const { owner, sent, said } = await mailHome();

    expect(await deliver(bounceOf(sent))).toBeUndefined();

    await eventually(async () => {
      const { events } = await owner.read("/api/v1/events");
      const gone = events.filter(({ action }: { action?: string }) => action === "channel_gone");
      expect(gone).toMatchObject([{ by: "ann" }]);
    });
    expect(await said()).toEqual([]);
  });

  it.each(["4.2.2", "5.7.1"])(
    "does not end it where it may be taken another time: %s",
    async (status) => {
      const { owner, sent } = await mailHome();

      expect(await deliver(bounceOf(sent, status))).toBeUndefined();

      expect(JSON.stringify(await owner.read("/api/v1/events"))).not.toContain("channel_gone");
    },
  );

  it("marks the very mail as never arrived, and no other; told again, it changes nothing", async () => {
    const { agent, ask, sent, ref, threadOf } = await mailHome();
    const other = await ask("look at the shelf");
    const [first, second] = [sent, other.sent];
    const failures = async (one: string): Promise<string[]> =>
      (await threadOf(one)).envelope.history
        .filter(({ action }: { action: string }) => action === "delivery_failed")
        .map(({ note }: { note: string }) => note);
    const stateOf = async (one: string) => (await agent.read(`/mess/${one}/deliveries`)).deliveries;
    const report = bounceOf(first, "5.7.1", { messageId: first.messageId! });

    expect(await deliver(report)).toBeUndefined();
    expect(await deliver(report)).toBeUndefined();

    expect(await failures(ref)).toEqual([
      "ann was not reached by email: the mail came back: 5.7.1",
    ]);
    expect(await stateOf(ref)).toMatchObject([{ state: "due", attempts: 1 }]);
    expect(await failures(other.ref)).toEqual([]);
    expect(await stateOf(other.ref)).toMatchObject([{ state: "delivered", attempts: 0 }]);
    expect(second.messageId).not.toBe(first.messageId);
  });

  it.each<[string, (ours: string, other: string) => string]>([
    ["a foreign mail", () => "<someone-elses@mail.example>"],
    ["the mail of another thread", (_ours, other) => other],
    ["part of our id", (ours) => `${ours.slice(0, -2)}>`],
    ["no id", () => ""],
  ])("marks nothing where it quotes %s", async (_what, quoted) => {
    const { agent, ask, sent, ref, thread } = await mailHome();
    const other = await ask("look at the shelf");
    const messageId = quoted(sent.messageId!, other.sent.messageId!);

    expect(await deliver(bounceOf(sent, "5.7.1", { messageId }))).toBeUndefined();

    for (const one of [ref, other.ref])
      expect((await agent.read(`/mess/${one}/deliveries`)).deliveries).toMatchObject([
        { state: "delivered", attempts: 0 },
      ]);
    expect(JSON.stringify((await thread()).envelope.history)).not.toContain("delivery_failed");
  });

  it("ends nothing where it is made up", async () => {
    const { owner, sent } = await mailHome();
    const report = bounceOf(sent);
    const raw = report.raw.replaceAll(ANN, "ben@example.com");

    expect(await deliver({ ...report, raw })).toBeUndefined();

    expect(JSON.stringify(await owner.read("/api/v1/events"))).not.toContain("channel_gone");
  });
});

describe("a mail that cannot be read", () => {
  beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => undefined));

  it("is refused where it is too large, before it is read", async () => {
    const { sent } = await mailHome();

    expect(await deliver(answerTo(sent), 26 * 1024 * 1024)).toBe(
      "5.3.4 The mail is larger than 25 MB.",
    );
  });

  it("is refused where its parts nest without end, or its header does not end", async () => {
    const { sent } = await mailHome();
    const { from, to } = answerTo(sent);
    const nested = Array.from(
      { length: 100 },
      (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
    ).join("");
    const header = `X-Long: ${"a".repeat(200_000)}\r\n\r\nhello`;

    expect(await deliver({ from, to, raw: nested })).toBe("5.6.0 The mail cannot be read.");
    expect(await deliver({ from, to, raw: header })).toBe("5.6.0 The mail cannot be read.");
  });

  it.each(["", "\r\n\r\n", "hello", "From: \r\n\r\n", "From: a@b\r\nContent-Type: \r\n\r\n\0\0"])(
    "never makes the exchange fall over: %j",
    async (raw) => {
      const refused = await deliver({ from: "a@b", to: "reply@mess.test", raw });

      expect(refused).toMatch(/^5\.(?:1\.1|6\.0) /);
    },
  );
});
