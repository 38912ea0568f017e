/** Stores drafts with everything that depends on them, inside the caller's transaction. */
import { isOpenDraft, type Draft } from "../../mess/sources/draft.ts";
import { putIndexJob } from "../messages/receive-messages.ts";
import type { DraftRevision, StoredDraft } from "../tables/draft-table.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { withdrawOutdated } from "./withdraw-requests.ts";

export function insertDraft(
  store: SourceStore,
  revision: DraftRevision,
  message: { seq: number; id: string } | undefined,
  now: number,
  callKey?: string,
): StoredDraft {
  const place = { source: store.get().name, message };
  const draft = store.drafts.insert(revision, place, now, callKey);
  store.state.count({ drafts: 1 });
  if (message) {
    store.changes.addDraft(message.seq, draft.id);
    putIndexJob(store, now);
  }
  return draft;
}

/** Stores what became of the draft, and what follows for its message. */
export function saveDraft(
  store: SourceStore,
  { seq, id, message, life: before, ...rest }: StoredDraft,
  life: Draft,
  now: number,
): StoredDraft {
  const stored = { seq, id, message, life, ...rest };
  if (life === before) return stored;
  store.drafts.saveLife(seq, life);
  if (before.state === "approval_requested") withdrawOutdated(store, seq, now);
  store.state.count({ drafts: Number(isOpenDraft(life)) - Number(isOpenDraft(before)) });
  if (message !== null && life.state !== before.state) {
    if (life.state === "sent") store.changes.setSent(message);
    if (life.state === "discarded") showEarlierDraft(store, message, id);
    putIndexJob(store, now);
  }
  return stored;
}

/** The message shows its newest draft that is not discarded. */
function showEarlierDraft({ messages, changes, drafts }: SourceStore, seq: number, id: string) {
  const message = messages.load(seq);
  if (message?.draft !== id) return;
  const newest = message.details.drafts.findLast((one) => {
    const draft = drafts.find(one);
    return draft !== undefined && draft.life.state !== "discarded";
  });
  changes.replaceDraft(seq, newest);
}
