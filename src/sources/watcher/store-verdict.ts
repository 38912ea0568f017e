/** Stores the classification of a message together with everything that follows from it, in the caller's transaction. */
import type { Classification } from "../../mess/sources/verdict.ts";
import type { Urgency } from "../../mess/sources/vocabulary.ts";
import { putIndexJob } from "../messages/receive-messages.ts";
import { addWatcherDraft } from "../outbox/add-draft.ts";
import type { ListedMessage } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";

/** True until a rule, a classifier, an agent or a person has decided. */
export const isUnclassified = ({ tier, provisional }: ListedMessage): boolean =>
  tier === null || provisional === 1;

/**
 * Stores the verdict unless the message was deleted or classified in the meantime: a classifier can be called twice for
 * a message, but only one verdict counts.
 */
export function storeVerdict(
  store: SourceStore,
  seq: number,
  verdict: Classification,
  now: number,
): void {
  const message = store.messages.get(seq);
  if (!message || !isUnclassified(message)) return;
  // The digest shows a provisional message once, however often it is tried.
  if (verdict.provisional && message.provisional === 1) return;
  applyVerdict(store, message, verdict, now);
  if (verdict.draft !== undefined && !message.automatic && verdict.tier !== "IGNORE")
    addWatcherDraft(store, seq, verdict.draft, now);
}

/** Changes the tier, and starts what it asks for. Also for the correction of a classified message. */
export function applyVerdict(
  store: SourceStore,
  message: ListedMessage,
  verdict: Classification,
  now: number,
): void {
  const { seq } = message;
  // The provider's urgency counts where the verdict knows none.
  const urgency: Urgency = verdict.urgency === 0 ? message.urgency : verdict.urgency;
  store.changes.classify(seq, { ...verdict, urgency });
  if (!verdict.provisional) store.classifier.forget(seq);
  if (verdict.tier === "IGNORE") store.changes.setSeen(seq, true);
  if (verdict.tier === "NOTIFY" && message.tier !== "NOTIFY")
    store.jobs.put("interrupt", `interrupt ${seq}`, { seq }, now);
  if (verdict.tier !== "IGNORE" || message.tier !== null)
    store.jobs.put("notice", `notice ${seq}`, { seq }, now);
  putIndexJob(store, now);
}
