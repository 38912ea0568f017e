/** The names that files of a thread have or had. */
import type { HistoryEntry } from "../../mess/envelope.ts";
import type { AttachmentTable } from "./attachment-table.ts";

/** Action in the history; its note is the name of the file. */
export const FILE_DELETED = "file_deleted";

/** The entry about the deletion of the file of this name. */
export const findDeletion = (
  history: readonly HistoryEntry[],
  name: string,
): HistoryEntry | undefined =>
  history.find(({ action, note }) => action === FILE_DELETED && note === name);

/** True for the name of a stored file, and of a deleted one: then the others keep their names. */
export const isFileNameTaken = (
  log: { attachments: Pick<AttachmentTable, "find">; readHistory(): readonly HistoryEntry[] },
  name: string,
): boolean =>
  log.attachments.find(name) !== undefined || findDeletion(log.readHistory(), name) !== undefined;
