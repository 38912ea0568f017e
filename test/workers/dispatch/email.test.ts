import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { findReplyCodes, readReplyCode } from "../../../src/auth/links/reply-codes.ts";
import { email } from "../../../src/channels/email/send.ts";
import { checkDeployment } from "../../../src/household/settings/check-deployment.ts";
import { listOfferedAnswers, expectNaming } from "../../support/naming.ts";
import { createPostOffice } from "../../support/channels/mail.ts";
import { INTENT, buildNotice, createSenderTo, SHORT_LINK } from "./channel-support.ts";

const ANN = "ann@example.com";
const SECRET = "test-secret-of-at-least-thirty-two-bytes";
const SETTINGS = { from: "tasks@mess.test" };

const createOffice = (
  settings: { from: string; reply_domain?: string } = SETTINGS,
  suppressed: string[] = [],
) => {
  const post = createPostOffice({ suppressed });
  const rejectFetch = () => Promise.reject(new Error("mail goes by the binding"));
  const bindings = { SEND_EMAIL: post.binding as unknown as SendEmail };
  return { post, sender: createSenderTo(rejectFetch, settings, bindings) };
};

describe("a mail", () => {
  it("an offer by email has the request, its context, link and reply keywords, in text and in HTML", async () => {
    const { post, sender } = createOffice();

    const sent = await email.send(sender, ANN, buildNotice({ context: ["we shop at six"] }));

    expect(sent).toEqual({ ok: true, handle: expect.stringMatching(/^<.+@service\.test>$/) });
    const [mail] = post.messages;
    expect(mail).toMatchObject({
      from: { email: "tasks@mess.test", name: "MESS" },
      to: ANN,
      subject: INTENT,
    });
    const [asked, context, link, hint = "", ...more] = mail?.text.split("\n\n") ?? [];
    expect(asked).toEqual(expectNaming(INTENT));
    expect(context).toBe("we shop at six");
    expect(link).toEqual(expectNaming(SHORT_LINK));
    expect(listOfferedAnswers(hint)).toEqual(["one", "zero"]);
    expect(more).toEqual([]);
    expect(mail?.headers).toMatchObject({ "Auto-Submitted": "auto-generated" });
    expect(mail?.html).toContain(`<a href="${SHORT_LINK}">`);
    expect(mail?.html).not.toMatch(/<img|<script|<link|url\(/);
  });

  it("the reply address of an email identifies the thread, for its recipient only", async () => {
    const { post, sender } = createOffice();
    await email.send(sender, ANN, buildNotice());

    const [code = ""] = findReplyCodes(post.messages[0]?.replyTo ?? "", "");

    expect(post.messages[0]?.replyTo).toMatch(/^reply\+smith_2031-04-05-006_\w{16}@mess\.test$/);
    expect(await readReplyCode(SECRET, code, ANN)).toEqual({
      household: "smith",
      ref: "2031-04-05-006",
    });
    expect(await readReplyCode(SECRET, code, "ben@example.com")).toBeUndefined();
  });

  it("the reply address of an email uses the domain that the household set", async () => {
    const { post, sender } = createOffice({ ...SETTINGS, reply_domain: "in.mess.test" });

    await email.send(sender, ANN, buildNotice());

    expect(post.messages[0]?.replyTo).toMatch(/@in\.mess\.test$/);
  });

  it("all emails of a thread share a subject and a reference", async () => {
    const { post, sender } = createOffice();

    await email.send(sender, ANN, buildNotice());
    await email.send(sender, ANN, buildNotice({ kind: "news", eventText: "the answer: kitchen" }));
    await email.send(sender, ANN, buildNotice({ ref: "2031-04-05-007" }));

    const [offer, news, other] = post.messages;
    expect(news?.headers["References"]).toBe(offer?.headers["References"]);
    expect(news?.subject).toBe(`Re: ${offer?.subject}`);
    expect(other?.headers["References"]).not.toBe(offer?.headers["References"]);
  });

  it("text of an agent cannot add markup or headers to an email", async () => {
    const { post, sender } = createOffice();
    const intent = "<img src=https://evil.test>\r\nBcc: eve@evil.test\r\n\r\nlook";

    await email.send(sender, ANN, buildNotice({ intent, context: ["<script>alert(1)</script>"] }));

    const [mail] = post.messages;
    expect(mail?.html).not.toMatch(/<img|<script/);
    expect(mail?.subject).toBe("<img src=https://evil.test> Bcc: eve@evil.test look");
  });
});

describe("refusals of the mail service", () => {
  it("mails that the service refuses are retried, after a limit with the wait of its error code", async () => {
    const { post, sender } = createOffice();
    post.refuse("E_RATE_LIMIT_EXCEEDED", "E_DAILY_LIMIT_EXCEEDED", "E_SENDER_NOT_VERIFIED");

    const sent = [];
    for (let count = 0; count < 3; count++) sent.push(await email.send(sender, ANN, buildNotice()));
    post.fail("broken");
    sent.push(await email.send(sender, ANN, buildNotice()));

    expect(sent).toEqual([
      { ok: false, reason: expectNaming("E_RATE_LIMIT_EXCEEDED"), retryAfterSeconds: 60 },
      { ok: false, reason: expectNaming("E_DAILY_LIMIT_EXCEEDED"), retryAfterSeconds: 3_600 },
      { ok: false, reason: expectNaming("E_SENDER_NOT_VERIFIED") },
      { ok: false, reason: expect.stringMatching(/./) },
    ]);
  });

  it("configuring email is refused where the deployment has no mail binding", () => {
    const config = { dispatch: { email: SETTINGS } };

    expect(checkDeployment(config, {})).toMatchObject({
      ok: false,
      error: { code: "bad_field", message: expectNaming("config.dispatch.email") },
    });
    expect(checkDeployment(config, env)).toEqual({ ok: true, value: true });
    expect(checkDeployment({ dispatch: { email: null } }, {}).ok).toBe(true);
  });

  it("sending an email fails where the deployment has no mail binding", async () => {
    const { sender } = createOffice();
    const { SEND_EMAIL: _, ...without } = sender.env;

    expect(await email.send({ ...sender, env: without as Env }, ANN, buildNotice())).toEqual({
      ok: false,
      reason: expect.any(String),
    });
  });
});
