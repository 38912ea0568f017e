/**
 * Email by the `send_email` binding. All mails of a thread to one member cite the same message id, which no mail has,
 * so that mail programs show them together. What is answered is read by `ingress/email/`.
 */
import { html } from "hono/html";
import { makeReplyCode, replyAddress, threadMessageId } from "../../auth/links/reply-codes.ts";
import { configOf } from "../../config.ts";
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import { details, headline, howToAnswer, oneLine } from "../shared/notice-text.ts";
import { CHANNEL_SCHEMAS, type EmailSettings } from "../schemas.ts";

const SUBJECT = 150;

/** Codes of the mail service that say when to try again, in seconds. */
const WAIT: Readonly<Record<string, number>> = {
  E_RATE_LIMIT_EXCEEDED: 60,
  E_DAILY_LIMIT_EXCEEDED: 3_600,
};
/** The address has bounced, or its owner calls our mail spam. */
const GONE = "E_RECIPIENT_SUPPRESSED";

export const email: Channel<EmailSettings, string> = {
  ...CHANNEL_SCHEMAS.email,
  kind: "email",
  carries: { edits: false, updates: false, buttons: false },
  send,
};

async function send(
  { settings, env }: Sender<EmailSettings>,
  to: string,
  notice: Notice,
): Promise<Sent> {
  // A deployment may leave the binding out.
  const { SEND_EMAIL }: Partial<Env> = env;
  if (!SEND_EMAIL) return { ok: false, reason: "email is not set up in this deployment" };
  try {
    const mail = await mailOf(configOf(env).secret, settings, to, notice);
    const { messageId } = await SEND_EMAIL.send(mail);
    return { ok: true, handle: messageId };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Sent {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string" || !/^[A-Z_]{1,64}$/.test(code))
    return { ok: false, reason: "the mail service did not take it" };
  const wait = WAIT[code];
  return {
    ok: false,
    reason: `the mail service refused it: ${code}`,
    ...(wait === undefined ? {} : { retry_after: wait }),
    ...(code === GONE ? { gone: true } : {}),
  };
}

/** The mail for the binding, which writes it as MIME, signs it and gives it its `Message-ID` and `Date`. */
export async function mailOf(
  secret: string,
  settings: EmailSettings,
  to: string,
  notice: Notice,
): Promise<EmailMessageBuilder> {
  const { household, ref, kind, intent } = notice;
  const domain = settings.reply_domain ?? settings.from.slice(settings.from.lastIndexOf("@") + 1);
  const code = await makeReplyCode(secret, { household, ref }, to);
  const thread = threadMessageId(code, domain);
  const subject = oneLine(intent, SUBJECT);
  return {
    from: { email: settings.from, name: "MESS" },
    to,
    replyTo: replyAddress(code, domain),
    // Mail programs keep together what has one subject but for the `Re:`.
    subject: kind === "offer" ? subject : `Re: ${subject}`,
    text: textOf(notice),
    html: (await htmlOf(notice)).toString(),
    headers: { "In-Reply-To": thread, References: thread, "Auto-Submitted": "auto-generated" },
  };
}

/** How to answer: by mail, in words and with files. */
function answering(notice: Notice): string {
  const hint = howToAnswer(notice);
  return hint === "" ? "" : `${hint} Photos and other files may be attached.`;
}

function textOf(notice: Notice): string {
  const link = notice.link === undefined ? "" : `Respond: ${notice.link.short_url}`;
  const parts = [headline(notice), details(notice).join("\n"), link, answering(notice)];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const htmlOf = (notice: Notice) => {
  const { link } = notice;
  return html`<!doctype html>
    <html lang="en">
      <body style="font: 16px/1.5 system-ui, sans-serif">
        <p><strong>${headline(notice)}</strong></p>
        ${details(notice).map((line) => html`<p>${line}</p>`)}
        ${link === undefined ? "" : html`<p><a href="${link.short_url}">Respond</a></p>`}
        <p>${answering(notice)}</p>
      </body>
    </html>`;
};
