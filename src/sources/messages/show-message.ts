/** Shows stored messages to readers. */
import type {
  SourceMessageSummary,
  SourceMessageView,
  SourceRecord,
} from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import { writeTime } from "../../mess/times.ts";
import type { ListedMessage } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";

export function showSummary(
  { name, kind }: Pick<SourceRecord, "name" | "kind">,
  message: ListedMessage,
): SourceMessageSummary {
  const { tier, reason, classified_by, sender_name, subject, automatic, draft } = message;
  return {
    id: message.id,
    source: name,
    kind,
    sender: message.sender,
    excerpt: message.excerpt,
    timestamp: writeTime(message.timestamp, "UTC"),
    received: writeTime(message.received, "UTC"),
    status: message.status,
    urgency: message.urgency,
    seen: message.seen === 1,
    attachments: message.attachments,
    ...defined({
      sender_name: sender_name ?? undefined,
      subject: subject ?? undefined,
      tier: tier ?? undefined,
      reason: reason ?? undefined,
      classified_by: classified_by ?? undefined,
      automatic: automatic ?? undefined,
      draft: draft ?? undefined,
    }),
    ...(message.provisional === 1 ? { provisional: true } : {}),
    ...(message.flagged === 1 ? { flagged: true } : {}),
  };
}

/** The whole message; undefined where there is none at the position. */
export function showMessage(store: SourceStore, seq: number): SourceMessageView | undefined {
  const message = store.messages.load(seq);
  if (!message) return undefined;
  const { attachments: _count, excerpt: _excerpt, ...summary } = showSummary(store.get(), message);
  const { details, files, body } = message;
  const { recipient, channel, headers, references, drafts, former } = details;
  return {
    ...summary,
    recipient,
    channel,
    body,
    headers,
    ...defined({ reply_to: findReplyTo(store, references) }),
    attachments: files.attachments.map(({ name, mime, size }, index) => ({
      index,
      name,
      mime,
      size,
    })),
    has_raw: files.raw !== undefined,
    drafts,
    ...(former === undefined
      ? {}
      : {
          former_verdicts: former.map((verdict) => ({
            ...verdict,
            until: writeTime(verdict.until, "UTC"),
          })),
        }),
  };
}

/** The nearest referenced message that this source has, or else the provider's id of the nearest. */
function findReplyTo({ messages }: SourceStore, references: readonly string[]): string | undefined {
  for (const external of references) {
    const found = messages.findByReference(external);
    if (found) return found.id;
  }
  return references[0];
}
