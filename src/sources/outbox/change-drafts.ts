/** Changes of drafts that need no person: revisions, discards, and the request for an approval. */
import type { DraftChange } from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { discardDraft, reviseDraft } from "../../mess/sources/draft.ts";
import { computeDraftDigest } from "../../mess/sources/draft-content.ts";
import { checkDraftContent } from "../../mess/sources/draft-fields.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { saveDraft } from "./save-draft.ts";
import { refuseDraftNotFound } from "../../mess/sources/refusals.ts";

/** Runs the change on the draft with the id. */
export function withDraft<T>(
  store: SourceStore,
  id: string,
  work: (draft: StoredDraft) => Outcome<T>,
): Outcome<T> {
  const draft = store.drafts.find(id);
  return draft ? work(draft) : refuseDraftNotFound();
}

export function revise(
  store: SourceStore,
  author: string,
  draft: StoredDraft,
  { revision: expected, to, subject, body }: DraftChange,
  now: number,
): Outcome<StoredDraft> {
  const { seq, id, message, life } = draft;
  const before = store.drafts.getRevision(seq, life.revision).content;
  const content = checkDraftContent({ ...before, ...defined({ to, subject, body }) });
  if (!content.ok) return content;
  const answered = message === null ? undefined : store.messages.get(message)?.id;
  const revision = life.revision + 1;
  const about = { source: store.get().name, draft: id, message: answered, revision };
  const digest = computeDraftDigest(content.value, about);
  const revised = reviseDraft(life, { expected, digest }, now);
  if (!revised.ok) return revised;
  store.drafts.addRevision(seq, revision, { author, content: content.value });
  return ok(saveDraft(store, draft, revised.value, now));
}

export function discard(store: SourceStore, draft: StoredDraft, now: number): Outcome<StoredDraft> {
  const discarded = discardDraft(draft.life, now);
  return discarded.ok ? ok(saveDraft(store, draft, discarded.value, now)) : discarded;
}
