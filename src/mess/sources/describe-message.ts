/** One line about a message, by which owners recognize it. Its parts were written by strangers. */
import { cutLine, toOneLine } from "../one-line.ts";
import type { Tier } from "./vocabulary.ts";

const MAX_NAME_CHARS = 60;
const MAX_SUBJECT_CHARS = 120;

export interface DescribedMessage {
  kind: string;
  sender: string;
  sender_name?: string | null | undefined;
  subject?: string | null | undefined;
  excerpt: string;
}

/** `email from Ann: Water in the cellar` */
export function describeSourceMessage({
  kind,
  sender,
  sender_name,
  subject,
  excerpt,
}: DescribedMessage): string {
  const name = toOneLine(sender_name ?? "") || toOneLine(sender);
  const about = toOneLine(subject ?? "") || toOneLine(excerpt);
  const from = `${kind} from ${cutLine(name, MAX_NAME_CHARS)}`;
  return about === "" ? from : `${from}: ${cutLine(about, MAX_SUBJECT_CHARS)}`;
}

/** `URGENT email from Ann: Water in the cellar` */
export const buildNoticeText = (tier: Tier, message: DescribedMessage): string =>
  `${tier === "NOTIFY" ? "URGENT " : ""}${describeSourceMessage(message)}`;
