import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { codesIn, readReplyCode } from "../../../src/auth/links/reply-codes.ts";
import { email } from "../../../src/channels/email/send.ts";
import { checkDeployment } from "../../../src/household/settings/check-deployment.ts";
import { postOffice } from "../../support/mail.ts";
import { noticeOf, senderTo } from "./channel-support.ts";

const ANN = "ann@example.com";
const SECRET = "test-secret-of-at-least-thirty-two-bytes";
const SETTINGS = { from: "tasks@mess.test" };

const office = (
  settings: { from: string; reply_domain?: string } = SETTINGS,
  suppressed: string[] = [],
) => {
  const post = postOffice({ suppressed });
  const nowhere = () => Promise.reject(new Error("mail goes by the binding"));
  const bindings = { SEND_EMAIL: post.binding as unknown as SendEmail };
  return { post, sender: senderTo(nowhere, settings, bindings) };
};

describe("a mail", () => {
  it("says what is asked, in text and in HTML, with the link and how to answer", async () => {
    const { post, sender } = office();

    const sent = await email.send(sender, ANN, noticeOf({ context: ["we shop at six"] }));

    expect(sent).toEqual({ ok: true, handle: expect.stringMatching(/^<.+@service\.test>$/) });
    const [mail] = post.messages;
    expect(mail).toMatchObject({
      from: { email: "tasks@mess.test", name: "MESS" },
      to: ANN,
      subject: "check what is in the fridge",
      text: [
        "check what is in the fridge",
        "we shop at six",
        "Respond: https://mess.test/r/smith_2031-04-05-006_1abcdefghjkmnpqrs",
        "Reply 1 to take it, 0 to decline. Photos and other files may be attached.\n",
      ].join("\n\n"),
    });
    expect(mail?.headers).toMatchObject({ "Auto-Submitted": "auto-generated" });
    expect(mail?.html).toContain(
      '<a href="https://mess.test/r/smith_2031-04-05-006_1abcdefghjkmnpqrs">',
    );
    expect(mail?.html).not.toMatch(/<img|<script|<link|url\(/);
  });

  it("is answered at an address that leads to the thread, for this member alone", async () => {
    const { post, sender } = office();
    await email.send(sender, ANN, noticeOf());

    const [code = ""] = codesIn(post.messages[0]?.replyTo ?? "", "");

    expect(post.messages[0]?.replyTo).toMatch(/^reply\+smith_2031-04-05-006_\w{16}@mess\.test$/);
    expect(await readReplyCode(SECRET, code, ANN)).toEqual({
      household: "smith",
      ref: "2031-04-05-006",
    });
    expect(await readReplyCode(SECRET, code, "ben@example.com")).toBeUndefined();
  });

  it("takes answers at another domain where the household says so", async () => {
    const { post, sender } = office({ ...SETTINGS, reply_domain: "in.mess.test" });

    await email.send(sender, ANN, noticeOf());

    expect(post.messages[0]?.replyTo).toMatch(/@in\.mess\.test$/);
  });

  it("joins the other mails of its thread, under one subject", async () => {
    const { post, sender } = office();

    await email.send(sender, ANN, noticeOf());
    await email.send(sender, ANN, noticeOf({ kind: "news", news: "the answer: kitchen" }));
    await email.send(sender, ANN, noticeOf({ ref: "2031-04-05-007" }));

    const [offer, news, other] = post.messages;
    expect(news?.headers["References"]).toBe(offer?.headers["References"]);
    expect(news?.subject).toBe(`Re: ${offer?.subject}`);
    expect(other?.headers["References"]).not.toBe(offer?.headers["References"]);
  });

  it("makes no markup and no header of what an agent wrote", async () => {
    const { post, sender } = office();
    const intent = "<img src=https://evil.test>\r\nBcc: eve@evil.test\r\n\r\nlook";

    await email.send(sender, ANN, noticeOf({ intent, context: ["<script>alert(1)</script>"] }));

    const [mail] = post.messages;
    expect(mail?.html).not.toMatch(/<img|<script/);
    expect(mail?.subject).toBe("<img src=https://evil.test> Bcc: eve@evil.test look");
  });
});

describe("what the mail service refuses", () => {
  it("ends an address that has bounced, or whose owner calls it spam", async () => {
    const { sender } = office(SETTINGS, [ANN]);

    expect(await email.send(sender, ANN, noticeOf())).toEqual({
      ok: false,
      reason: "the mail service refused it: E_RECIPIENT_SUPPRESSED",
      gone: true,
    });
  });

  it("is tried again when it says, or as others are", async () => {
    const { post, sender } = office();
    post.refuse("E_RATE_LIMIT_EXCEEDED", "E_DAILY_LIMIT_EXCEEDED", "E_SENDER_NOT_VERIFIED");

    const sent = [];
    for (let count = 0; count < 3; count++) sent.push(await email.send(sender, ANN, noticeOf()));
    post.fail("broken");
    sent.push(await email.send(sender, ANN, noticeOf()));

    expect(sent).toEqual([
      { ok: false, reason: "the mail service refused it: E_RATE_LIMIT_EXCEEDED", retry_after: 60 },
      {
        ok: false,
        reason: "the mail service refused it: E_DAILY_LIMIT_EXCEEDED",
        retry_after: 3_600,
      },
      { ok: false, reason: "the mail service refused it: E_SENDER_NOT_VERIFIED" },
      { ok: false, reason: "the mail service did not take it" },
    ]);
  });

  it("is refused already in a config where the deployment sends no mail", () => {
    const config = { dispatch: { email: SETTINGS } };

    expect(checkDeployment(config, {})).toMatchObject({
      ok: false,
      error: {
        code: "bad_field",
        message: "config.dispatch.email: email is not set up in this deployment",
      },
    });
    expect(checkDeployment(config, env)).toEqual({ ok: true, value: true });
    expect(checkDeployment({ dispatch: { email: null } }, {}).ok).toBe(true);
  });

  it("is said plainly where the deployment sends no mail", async () => {
    const { sender } = office();
    const { SEND_EMAIL: _, ...without } = sender.env;

    expect(await email.send({ ...sender, env: without as Env }, ANN, noticeOf())).toEqual({
      ok: false,
      reason: "email is not set up in this deployment",
    });
  });
});
