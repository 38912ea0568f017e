/** Deletes the drafts of a message that is deleted. */
import { isOpenDraft } from "../../mess/sources/draft.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { withdrawRequest } from "./withdraw-requests.ts";

/**
 * Deletes the drafts of the message, inside the caller's transaction. Kept without it are those that were sent or that
 * a person has approved.
 * @param message position of the message
 * @returns keys in R2 that drafts still use, such as attachments of a forwarded message: they are not deleted
 */
export function deleteUnsentDrafts(store: SourceStore, message: number, now: number): string[] {
  const { drafts, messages, state, requests } = store;
  for (const request of requests.listOfMessage(message)) withdrawRequest(store, request, now);
  const ids = messages.load(message)?.details.drafts ?? [];
  return ids.flatMap((id) => {
    const draft = drafts.find(id);
    if (!draft) return [];
    if (draft.life.state === "sent" || draft.life.state === "approved") {
      const { content } = drafts.getRevision(draft.seq, draft.life.revision);
      return draft.life.state === "approved" ? content.attachments.map(({ key }) => key) : [];
    }
    drafts.delete(draft.seq);
    state.count({ drafts: -Number(isOpenDraft(draft.life)) });
    return [];
  });
}
