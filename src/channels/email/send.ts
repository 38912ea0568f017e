/**
 * Sends email by the `send_email` binding. All mails of a thread to one member refer to the same message id, which no
 * mail has, so that mail programs group them. Replies are received by `ingress/email/`.
 */
import type { WorkerSecret } from "../../auth/worker-secret.ts";
import { defined } from "../../mess/defined.ts";
import { html } from "hono/html";
import {
  makeReplyCode,
  buildReplyAddress,
  buildThreadMessageId,
} from "../../auth/links/reply-codes.ts";
import { getConfig } from "../../config.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import {
  buildDetails,
  buildHeadline,
  buildAnswerHint,
  toNoticeLine,
} from "../shared/notice-text.ts";
import { readMailServiceCode, toMailWaitSeconds } from "./mail-service.ts";
import { emailConfig, type EmailSettings } from "./config.ts";

const MAX_SUBJECT_CHARS = 150;

/** The address bounced, or its owner marked a mail as spam. */
const SUPPRESSED_CODE = "E_RECIPIENT_SUPPRESSED";

export const email: Channel<EmailSettings, string> = {
  ...emailConfig,
  features: { edits: false, updates: false, buttons: false },
  send: sendMail,
};

async function sendMail(
  { settings, env }: SendContext<EmailSettings>,
  to: string,
  notice: Notice,
): Promise<SendResult> {
  // A deployment may leave the binding out.
  const { SEND_EMAIL }: Partial<Env> = env;
  if (!SEND_EMAIL) return { ok: false, reason: "email is not set up in this deployment" };
  try {
    const mail = await buildMail(getConfig(env).secret, settings, to, notice);
    const { messageId } = await SEND_EMAIL.send(mail);
    return { ok: true, handle: messageId };
  } catch (error) {
    return toMailFailure(error);
  }
}

function toMailFailure(error: unknown): SendResult {
  const code = readMailServiceCode(error);
  if (code === undefined) return { ok: false, reason: "the mail service did not accept it" };
  return {
    ok: false,
    reason: `the mail service refused it: ${code}`,
    ...defined({ retryAfterSeconds: toMailWaitSeconds(code) }),
    ...(code === SUPPRESSED_CODE ? { isPermanent: true } : {}),
  };
}

/** Builds the mail for the binding, which encodes and signs it and adds `Message-ID` and `Date`. */
export async function buildMail(
  secret: WorkerSecret,
  settings: EmailSettings,
  to: string,
  notice: Notice,
): Promise<EmailMessageBuilder> {
  const { household, ref, kind, intent } = notice;
  const domain = settings.reply_domain ?? settings.from.slice(settings.from.lastIndexOf("@") + 1);
  const code = await makeReplyCode(secret, { household, ref }, to);
  const thread = buildThreadMessageId(code, domain);
  const subject = toNoticeLine(intent, MAX_SUBJECT_CHARS);
  return {
    from: { email: settings.from, name: "MESS" },
    to,
    replyTo: buildReplyAddress(code, domain),
    // Mail programs group mails whose subjects differ only in `Re:`.
    subject: kind === "offer" ? subject : `Re: ${subject}`,
    text: buildText(notice),
    html: (await buildHtml(notice)).toString(),
    headers: { "In-Reply-To": thread, References: thread, "Auto-Submitted": "auto-generated" },
  };
}

/** How to reply by mail. */
function buildMailAnswerHint(notice: Notice): string {
  const hint = buildAnswerHint(notice);
  return hint === "" ? "" : `${hint} Photos and other files may be attached.`;
}

function buildText(notice: Notice): string {
  const link = notice.link === undefined ? "" : `Respond: ${notice.link.short_url}`;
  const parts = [
    buildHeadline(notice),
    buildDetails(notice).join("\n"),
    link,
    buildMailAnswerHint(notice),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const buildHtml = (notice: Notice) => {
  const { link } = notice;
  return html`<!doctype html>
    <html lang="en">
      <body style="font: 16px/1.5 system-ui, sans-serif">
        <p dir="auto"><strong>${buildHeadline(notice)}</strong></p>
        ${buildDetails(notice).map((line) => html`<p dir="auto">${line}</p>`)}
        ${link === undefined ? "" : html`<p><a href="${link.short_url}">Respond</a></p>`}
        <p>${buildMailAnswerHint(notice)}</p>
      </body>
    </html>`;
};
