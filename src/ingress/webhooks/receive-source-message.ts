/** Stores a chat message in the household's source of the kind, with its files, because it answers no request. */
import type { FileStream, RemoteFile } from "../../channels/chat-event.ts";
import { readKeyword } from "../../channels/replies/reply-keywords.ts";
import { isTransient } from "../../channels/shared/remote-file.ts";
import { receiveParsedMessages } from "../../exchange/source-calls/receive-parsed-messages.ts";
import { log } from "../../log.ts";
import type { MessError, Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import type { ParsedMessage } from "../../source-kinds/source-kind.ts";

const KEYWORD_TEXT =
  "This names no task for certain, so it went to the inbox. To answer a task, reply to its message or open its link.";
const INBOX_TEXT = "Received. It went to the inbox, not to a task.";

/** What the sender of a message to a source may read. Strangers get no answer but that of a person. */
export type SourceReceipt = { kind: "none" } | { kind: "seen" } | { kind: "text"; text: string };

interface ChatMessage {
  message: ParsedMessage;
  files: readonly RemoteFile[];
  /** Why the message belongs to no thread; `unknown_executor` for a stranger. */
  refusal: MessError;
  /** The service repeats an event that fails. If not, the message is stored without a file that cannot be had now. */
  isRepeated: boolean;
}

/** Returns the receipt; refuses with `internal` where the same event may succeed later. */
export async function receiveSourceMessage(
  env: Env,
  ids: { household: string; source: string },
  { message, files, refusal, isRepeated }: ChatMessage,
): Promise<Outcome<SourceReceipt>> {
  const isMember = refusal.code !== "unknown_executor";
  const complete = await addFiles(message, files, isRepeated);
  const received = complete.ok ? await receiveParsedMessages(env, ids, [complete.value]) : complete;
  if (!received.ok) {
    log("source_not_received", { ...ids, code: received.error.code });
    if (isTransient(received.error)) return received;
    return ok(isMember ? { kind: "text", text: "This could not be stored." } : { kind: "none" });
  }
  if (!isMember) return ok({ kind: "none" });
  const isKeyword = readKeyword(message.body) !== undefined;
  return ok(isKeyword ? { kind: "text", text: KEYWORD_TEXT } : { kind: "seen" });
}

/** For services without reactions. */
export const getReceiptSentence = (receipt: SourceReceipt): string | undefined =>
  receipt.kind === "text" ? receipt.text : receipt.kind === "seen" ? INBOX_TEXT : undefined;

/** A file that cannot be had is named in the text. A failure that may pass refuses a message that is repeated. */
async function addFiles(
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
