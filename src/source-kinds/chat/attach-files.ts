/** Fetches the files of a chat message from its service. */
import type { FileStream, RemoteFile } from "../../channels/chat-event.ts";
import { isTransient } from "../../channels/shared/remote-file.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import type { ParsedMessage } from "../source-kind.ts";

/**
 * A file that cannot be had is named in the text.
 * @param isRepeated the service repeats a refused event, so a failure that may pass refuses the message
 */
export async function attachFiles(
  message: ParsedMessage,
  files: readonly RemoteFile[],
  isRepeated: boolean,
): Promise<Outcome<ParsedMessage>> {
  const attachments = [...message.attachments];
  const notes: string[] = [];
  let room: number = SOURCE_LIMITS.messageBytes;
  for (const { name, mime, fetch } of files) {
    const fetched = await fetch();
    if (!fetched.ok && isRepeated && isTransient(fetched.error)) return fetched;
    const bytes = fetched.ok ? await readWithin(fetched.value, room) : undefined;
    if (bytes) {
      attachments.push({ name, mime, bytes });
      room -= bytes.byteLength;
    } else notes.push(`(${name} is missing: ${fetched.ok ? "too large" : fetched.error.message})`);
  }
  const body = [message.body, ...notes].filter((line) => line !== "").join("\n");
  return ok({ ...message, body, attachments });
}

/** Undefined if the file is larger than the room that is left. */
async function readWithin(
  file: Uint8Array | FileStream,
  room: number,
): Promise<Uint8Array | undefined> {
  if (file instanceof Uint8Array) return file.byteLength <= room ? file : undefined;
  if (file.size <= room) return new Uint8Array(await new Response(file.body).arrayBuffer());
  await file.body.cancel();
  return undefined;
}
