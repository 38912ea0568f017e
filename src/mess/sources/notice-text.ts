/** The line by which an owner hears of a message. */
import { cutText } from "./cut-message.ts";
import type { Tier } from "./vocabulary.ts";

const MAX_NAME_CHARS = 80;
const MAX_SUBJECT_CHARS = 160;

export interface NoticedMessage {
  kind: string;
  sender: string;
  sender_name: string | null;
  subject: string | null;
  excerpt: string;
}

/** `URGENT email from Ann: Water in the cellar`. Its parts were written by strangers, and stay on one line. */
export function buildNoticeText(
  tier: Tier,
  { kind, sender, sender_name, subject, excerpt }: NoticedMessage,
): string {
  const name = toLine(sender_name ?? "", MAX_NAME_CHARS);
  const about = toLine(subject ?? "", MAX_SUBJECT_CHARS);
  return [
    tier === "NOTIFY" ? "URGENT " : "",
    `${kind} from ${name === "" ? toLine(sender, MAX_NAME_CHARS) : name}: `,
    about === "" ? toLine(excerpt, MAX_SUBJECT_CHARS) : about,
  ].join("");
}

const toLine = (text: string, maxChars: number): string =>
  cutText(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim(), maxChars);
