/** The headers of messages and drafts as lines of text. */
import type { DraftView, SourceMessageView } from "../../../../contracts/sources.ts";
import { writeHeaderLines, writeMailbox } from "../../../../mess/sources/tree/header-lines.ts";

/** Only the exchange writes these: those of a stranger would pass for its own. */
const OWN_HEADERS: readonly string[] = [
  "from",
  "to",
  "subject",
  "date",
  "x-mess-tier",
  "x-mess-reason",
  "x-mess-urgency",
  "x-mess-attachment",
];

/** `From`, `To`, `Subject` and `Date`, the verdict, and the other headers as they arrived. */
export function writeMessageHeaders(view: SourceMessageView): string {
  const { sender, sender_name: name, recipient, subject, timestamp, tier, reason } = view;
  return writeHeaderLines([
    ["From", writeMailbox(sender, name)],
    ["To", recipient],
    ...(subject === undefined ? [] : [["Subject", subject] as const]),
    ["Date", timestamp],
    ...(tier === undefined ? [] : [["X-Mess-Tier", tier] as const]),
    ...(reason === undefined ? [] : [["X-Mess-Reason", reason] as const]),
    ...(view.urgency === 0 ? [] : [["X-Mess-Urgency", String(view.urgency)] as const]),
    ...view.attachments.map((file) => ["X-Mess-Attachment", file.name] as const),
    ...view.headers.filter(([header]) => !OWN_HEADERS.includes(header.toLowerCase())),
  ]);
}

/** `To`, `Subject` and `In-Reply-To`, and what the exchange knows of the draft. */
export function writeDraftHeaders(draft: DraftView): string {
  const { to, subject, message, state, revision, author, note, send_at: sendAt } = draft;
  return writeHeaderLines([
    ["To", to.join(", ")],
    ...(subject === undefined ? [] : [["Subject", subject] as const]),
    ...(message === undefined ? [] : [["In-Reply-To", message] as const]),
    ["X-Mess-State", state],
    ["X-Mess-Revision", String(revision)],
    ["X-Mess-Author", author],
    ...(sendAt === undefined ? [] : [["X-Mess-Send-At", sendAt] as const]),
    ...(note === undefined ? [] : [["X-Mess-Note", note] as const]),
    ...draft.attachments.map((file) => ["X-Mess-Attachment", file.name] as const),
  ]);
}
