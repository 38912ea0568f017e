/** Adds a draft inside the caller's transaction. */
import type { NewDraft } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { toCanonicalJson } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { buildDraftContent, type DraftedMessage } from "../../mess/sources/draft-fields.ts";
import { AUTOMATIC_AUTHOR, SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import { refuseMessageNotFound } from "../../mess/sources/refusals.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { StoredSourceMessage } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { insertDraft } from "./save-draft.ts";

export interface AddedDraft {
  /** Position of the draft. */
  seq: number;
  id: string;
  digest: string;
}

/**
 * Adds the reply that the watcher suggests; undefined where the message cannot be answered: its kind cannot send, no
 * person wrote it, or the source has too many drafts.
 * @param message position of the message
 */
export function addWatcherDraft(
  store: SourceStore,
  message: number,
  body: string,
  now: number,
): AddedDraft | undefined {
  const answered = store.messages.load(message);
  if (!answered || answered.automatic !== null) return undefined;
  if (checkNewDraft(store)) return undefined;
  const content = buildDraftContent({ body }, toDraftedMessage(answered));
  if (!content.ok) return undefined;
  const revision = { author: AUTOMATIC_AUTHOR, content: content.value };
  const { seq, id, life } = insertDraft(store, revision, answered, now);
  return { seq, id, digest: life.digest };
}

/** Adds the draft of a member, once for each key. */
export function addDraft(
  store: SourceStore,
  author: string,
  { message: id, key, ...fields }: NewDraft,
  now: number,
): Outcome<StoredDraft> {
  const found = id === undefined ? undefined : store.messages.find(id);
  if (id !== undefined && !found) return refuseMessageNotFound();
  const message = found && store.messages.load(found.seq);
  const content = buildDraftContent(fields, message && toDraftedMessage(message));
  if (!content.ok) return content;
  const callKey = key === undefined ? undefined : `${author} ${key}`;
  const repeated = callKey === undefined ? undefined : store.drafts.findByCallKey(callKey);
  if (repeated) {
    const first = store.drafts.getRevision(repeated.seq, 1);
    const isSame =
      repeated.message === (message?.seq ?? null) &&
      toCanonicalJson(first.content) === toCanonicalJson(content.value);
    return isSame ? ok(repeated) : refuseReusedKey();
  }
  const refused = checkNewDraft(store);
  if (refused) return refused;
  return ok(insertDraft(store, { author, content: content.value }, message, now, callKey));
}

function checkNewDraft(store: SourceStore): ReturnType<typeof refuse> | undefined {
  const { name, cannot_send: reason } = store.get();
  if (reason !== undefined) return refuseCannotSend(name, reason);
  return store.state.get().drafts < SOURCE_LIMITS.openDraftsPerSource
    ? undefined
    : refuse(
        "source_full",
        `the source ${name} has ${SOURCE_LIMITS.openDraftsPerSource} open drafts`,
        "Approve or discard some of them.",
      );
}

export const refuseCannotSend = (name: string, reason: string) =>
  refuse("cannot_send", `the source ${name} cannot send: ${reason}`, "Answer by another source.");

const refuseReusedKey = () =>
  refuse(
    "idempotency_conflict",
    "this key was used for another draft",
    "Use a new key for a new draft.",
  );

const toDraftedMessage = ({
  sender,
  sender_name: name,
  subject,
  body,
  details,
  files,
}: StoredSourceMessage): DraftedMessage => ({
  sender: name === null ? sender : `${name} <${sender}>`,
  subject,
  body,
  channel: details.channel,
  attachments: files.attachments,
});
