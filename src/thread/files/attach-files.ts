/** Turns the files that a message names into attachments of the thread (decisions 60–62). */
import { defined } from "../../mess/defined.ts";
import { listFileTokens, nameAttachments } from "../../mess/wire/content/content.ts";
import type { Attachment } from "../../mess/envelope.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { getAttachmentKind, buildAttachmentName } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import type { Message } from "../../mess/wire/schema.ts";
import type { ThreadLog } from "../thread-log.ts";
import type { StagedBlob } from "../../contracts/thread-uploads.ts";

export interface MessageWithAttachments {
  message: Message;
  attachments: Attachment[];
  /** Staged uploads that now have their message. */
  tokens: string[];
}

/**
 * Gives every blob that the message names its attachment name under the message's serial. A name that is
 * neither a blob of this call, nor a staged upload, nor an attachment of the thread is refused.
 */
export function attachFiles(
  log: Pick<ThreadLog, "uploads" | "attachments">,
  message: Message,
  blobs: readonly StagedBlob[],
  serial: number,
): Outcome<MessageWithAttachments> {
  const named = new Map<string, { file: string; mime: string; size: number; name?: string }>();
  const attachments: Attachment[] = [];
  const tokens: string[] = [];
  for (const token of listFileTokens(message)) {
    if (named.has(token)) continue;
    const blob = blobs.find((one) => one.token === token) ?? log.uploads.find(token);
    if (!blob) {
      const known = log.attachments.find(token);
      if (!known)
        return refuse(
          "unknown_attachment",
          "the message names a file that was not uploaded to this thread",
          "Upload it to the thread's attachments first and use the name that the upload returns.",
        );
      named.set(token, { file: known.name, mime: known.mime, size: known.size });
      continue;
    }
    const isTaken = (name: string) =>
      attachments.some((one) => one.name === name) || log.attachments.find(name) !== undefined;
    const kind = getAttachmentKind(blob.mime);
    const name = buildAttachmentName(serial, kind, blob.original, blob.mime, isTaken);
    const { mime, size, key, original } = blob;
    attachments.push({
      name,
      serial,
      mime,
      size,
      key,
      ...defined({ original }),
    });
    named.set(token, {
      file: name,
      mime,
      size,
      ...defined({ name: original }),
    });
    tokens.push(token);
  }
  return ok({ message: nameAttachments(message, named), attachments, tokens });
}
