/** Shows stored drafts to readers. */
import type { DraftView } from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import { writeTime } from "../../mess/times.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { SourceStore } from "../tables/source-store.ts";

export function showDraft(store: SourceStore, draft: StoredDraft): DraftView {
  const { seq, id, message, created, life } = draft;
  const { author, content } = store.drafts.getRevision(seq, life.revision);
  const { state, revision, digest, updated, approval, sent_at, external_id, note } = life;
  const answered = message === null ? undefined : store.messages.get(message)?.id;
  return {
    id,
    source: store.get().name,
    ...defined({ message: answered }),
    ...(message === null ? {} : { about_message: true as const }),
    to: content.to,
    ...defined({ subject: content.subject }),
    body: content.body,
    attachments: content.attachments.map(({ name, mime, size }) => ({ name, mime, size })),
    revision,
    digest,
    state,
    author,
    created: writeTime(created, "UTC"),
    updated: writeTime(updated, "UTC"),
    ...(approval ? { approved_by: approval.by, send_at: writeTime(approval.send_at, "UTC") } : {}),
    ...(sent_at === undefined ? {} : { sent_at: writeTime(sent_at, "UTC") }),
    ...defined({ external_id, note }),
  };
}
