/** Finds a file of the thread: an attachment, or data that is kept in a message. */
import type { Attachment } from "../../mess/envelope.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { InlineFile } from "../../mess/messe-af/resource-documents.ts";
import { ok } from "../../mess/result.ts";
import type { ThreadLog } from "../thread-log.ts";

const MAX_LISTED_FILES = 20;

type File = Attachment | InlineFile;

/** Finds a file by its name in the thread, or by its sender's name for it where only one file has that name. */
export function findFile(
  log: Pick<ThreadLog, "attachments" | "readResourcesAfter">,
  name: string,
): Outcome<File> {
  const attachment = log.attachments.find(name);
  if (attachment) return ok(attachment);
  const files: File[] = [...log.attachments.list(), ...log.readResourcesAfter(0).files];
  const exact = files.find((file) => file.name === name);
  if (exact) return ok(exact);
  const [found, ...others] = files.filter(({ original }) => original === name);
  if (found && others.length === 0) return ok(found);
  const listed = found ? [found, ...others] : files;
  return refuse(
    "not_found",
    found ? "several files of the thread have this name" : "file not found in this thread",
    files.length === 0 ? "The thread has no files." : "Use one of the names in valid.",
    { valid: listed.slice(0, MAX_LISTED_FILES).map((file) => file.name) },
  );
}
