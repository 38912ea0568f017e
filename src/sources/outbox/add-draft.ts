/** Adds a draft inside the caller's transaction. */
import type { SourceStore } from "../tables/source-store.ts";

export interface AddedDraft {
  /** Position of the draft. */
  seq: number;
  id: string;
  digest: string;
}

/**
 * Adds the reply that the watcher suggests; undefined where the message cannot be answered: its kind cannot send, or no
 * person wrote it.
 * @param message position of the message
 */
export const addWatcherDraft = (
  _store: SourceStore,
  _message: number,
  _body: string,
  _now: number,
): AddedDraft | undefined => undefined;
