/** Writes messages to the index in D1: those that changed, and all of them during a rebuild. */
import { withTimeout } from "../../object/with-timeout.ts";
import {
  dropSourceRows,
  type IndexedSource,
  type IndexedSourceMessage,
  writeSourceRows,
} from "../../partitions/source-messages.ts";
import type { StoredSourceMessage } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { putIndexJob } from "./receive-messages.ts";

/** Messages of one statement batch. */
const MAX_BATCH_MESSAGES = 50;
/** Before a run, so that the messages of a burst and their classification share one batch. */
const SPACING_MS = 250;
const D1_TIMEOUT_MS = 8_000;
/** A run ends after this time, and another one continues. */
const MAX_RUN_MS = 4_000;

export async function runIndexJob(
  { INDEX }: Pick<Env, "INDEX">,
  store: SourceStore,
): Promise<void> {
  await scheduler.wait(SPACING_MS);
  const end = Date.now() + MAX_RUN_MS;
  for (;;) {
    const hasMore = (await writeChanged(INDEX, store)) || (await writeNextOfRebuild(INDEX, store));
    if (!hasMore) return;
    if (Date.now() >= end) return putIndexJob(store, Date.now());
  }
}

const identify = (store: SourceStore): IndexedSource => {
  const { household, name } = store.get();
  return { household, source: name };
};

/** @returns whether it wrote any */
async function writeChanged(db: D1Database, store: SourceStore): Promise<boolean> {
  const positions = store.unindexed.list(MAX_BATCH_MESSAGES);
  if (positions.length === 0) return false;
  const loaded = positions.map(({ seq }) => ({ seq, message: store.messages.load(seq) }));
  const messages = loaded.flatMap(({ message }) => (message ? [toIndexed(message)] : []));
  const deleted = loaded.flatMap(({ seq, message }) => (message ? [] : [seq]));
  await withTimeout(D1_TIMEOUT_MS, writeSourceRows(db, identify(store), messages, deleted));
  store.unindexed.remove(positions);
  return true;
}

/** Also deletes rows without a message. @returns whether the rebuild continues */
async function writeNextOfRebuild(db: D1Database, store: SourceStore): Promise<boolean> {
  const { reindexed: after } = store.state.get();
  if (after === null) return false;
  const messages = store.messages.loadAfter(after, MAX_BATCH_MESSAGES);
  const last = messages.at(-1)?.seq ?? after;
  const present = new Set(messages.map(({ seq }) => seq));
  const absent = Array.from({ length: last - after }, (_, index) => after + 1 + index).filter(
    (seq) => !present.has(seq),
  );
  const source = identify(store);
  await withTimeout(D1_TIMEOUT_MS, writeSourceRows(db, source, messages.map(toIndexed), absent));
  if (messages.length === MAX_BATCH_MESSAGES) {
    store.state.setReindexed(last);
    return true;
  }
  await withTimeout(D1_TIMEOUT_MS, dropSourceRows(db, source, store.state.get().newest));
  store.state.setReindexed(null);
  return false;
}

const toIndexed = ({ received, ...message }: StoredSourceMessage): IndexedSourceMessage => ({
  ...message,
  at: received,
});
