/**
 * Deletes a file of the thread, for an owner: its message shows that it was deleted, and a job deletes its bytes.
 * Runs in the caller's transaction.
 */
import type { Principal } from "../../auth/principal.ts";
import type { AuditSource } from "../../contracts/audit.ts";
import type { MessageDocument } from "../../mess/envelope.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { type FileInDocument, removeFile } from "../../mess/messe-af/remove-file.ts";
import { ok } from "../../mess/result.ts";
import { ThreadDraft } from "../../mess/thread/thread-change.ts";
import { writeStoredYaml } from "../document-text.ts";
import { findFile } from "./find-file.ts";
import { FILE_DELETED, findDeletion } from "./file-names.ts";
import type { ThreadLog } from "../thread-log.ts";

/** A repeated call returns what the first one did. */
export function deleteFile(
  sql: SqlStorage,
  log: ThreadLog,
  viewer: Principal,
  name: string,
  by: AuditSource,
): Outcome<{ deleted: string; at: string }> {
  if (viewer.role !== "owner")
    return refuse("wrong_role", "only owners delete a file", "Ask an owner of the household.");
  const found = findFile(log, name);
  if (!found.ok) {
    const before = findDeletion(log.readHistory(), name);
    return before ? ok({ deleted: name, at: before.at }) : found;
  }
  const file = found.value;
  const state = log.getState();
  const draft = new ThreadDraft(state, Date.now());
  const placeholder = `[file deleted by ${by.actor} on ${draft.time.slice(0, 10)}]`;
  const place = findPlace(log, file);
  changeDocument(sql, file.serial, (document) => removeFile(document, place, placeholder));
  log.attachments.remove(file.name, file.serial);
  log.forgetText();
  draft.log(FILE_DELETED, by.actor, undefined, file.name);
  log.commit(draft.change);
  if ("key" in file) log.effects.add({ type: "deleteBlob", key: file.key });
  log.effects.addReport({
    action: FILE_DELETED,
    source: by,
    target: state.ref,
    detail: { file: file.name },
    once: `${FILE_DELETED} ${state.ref} ${file.name}`,
  });
  return ok({ deleted: file.name, at: draft.time });
}

/** Changes a stored message and the text with which it is read. */
function changeDocument(
  sql: SqlStorage,
  serial: number,
  change: (document: MessageDocument) => MessageDocument | undefined,
): void {
  const [row] = sql
    .exec<{ document: string; acks: string }>(
      "SELECT document, acks FROM documents WHERE serial = ?",
      serial,
    )
    .toArray();
  const changed = row && change(JSON.parse(row.document) as MessageDocument);
  if (changed)
    sql.exec(
      "UPDATE documents SET document = ?, yaml = ? WHERE serial = ?",
      JSON.stringify(changed),
      writeStoredYaml([changed, ...(JSON.parse(row.acks) as MessageDocument[])]),
      serial,
    );
}

/** Files that are kept as data have no name in their document, so they are found by their position. */
function findPlace(log: ThreadLog, file: { name: string; serial: number }): FileInDocument {
  if ("key" in file) return { name: file.name };
  const { files } = log.readResourcesAfter(0);
  const ofMessage = files.filter(({ serial }) => serial === file.serial);
  return { inline: ofMessage.findIndex(({ name }) => name === file.name) };
}
