/** Stores an imported thread as the record of this object (decision 63). */
import { isDeleted, refuseDeletedThread } from "./deletion.ts";
import { toCanonicalJson } from "../mess/json.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { LIMITS } from "../mess/limits.ts";
import { ok } from "../mess/result.ts";
import { restoreThread } from "../mess/thread/restore/restore.ts";
import type { ThreadLog } from "./thread-log.ts";
import { createTables, isCreated, type ThreadTables } from "./migrations.ts";
import type { AdoptInput } from "../contracts/thread.ts";

/**
 * Runs inside the caller's transaction. A thread that is already stored, perhaps with more messages by now, stays as it
 * is; another thread under the same ref is refused.
 */
export function adoptThread(
  tables: ThreadTables,
  log: ThreadLog,
  input: AdoptInput,
  now: number,
): Outcome<{ fresh: boolean }> {
  if (isDeleted(tables)) return refuseDeletedThread();
  const { envelope, messages, attachments } = input;
  if (isCreated(tables)) {
    // The messages are the record (decision 37), and the stored thread may have continued after the export.
    const stored = log.readDocumentsAfter(0).slice(0, messages.length);
    const isSame = toCanonicalJson(stored) === toCanonicalJson(messages);
    return isSame
      ? ok({ fresh: false })
      : refuse(
          "already_exists",
          `${envelope.ref} is taken by another thread`,
          "Import it into another household.",
        );
  }
  if (input.dryRun) return ok({ fresh: true });
  const { state, documents } = restoreThread(envelope, messages, input.zone, now);
  const isTooLarge =
    documents.length > LIMITS.messagesPerThread ||
    state.size > LIMITS.threadBytes ||
    [
      envelope.extra,
      ...envelope.history,
      ...documents.flatMap(({ document, acks }) => [document, acks]),
    ].some((part) => part !== undefined && JSON.stringify(part).length > LIMITS.fileBytes);
  if (isTooLarge)
    return refuse(
      "bad_thread_file",
      "the thread is too large",
      `A message may have ${LIMITS.fileBytes / 1024 / 1024} MB, a thread ${LIMITS.threadBytes / 1024 / 1024} MB and ${LIMITS.messagesPerThread} messages, attachments aside.`,
    );
  createTables(tables);
  log.adopt(input.household, { state, documents, history: envelope.history, notices: [] });
  for (const attachment of attachments) log.attachments.insert(attachment);
  if (envelope.extra) log.setFact("extra", JSON.stringify(envelope.extra));
  return ok({ fresh: true });
}
