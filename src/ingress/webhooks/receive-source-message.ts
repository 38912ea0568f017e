/** Stores a chat message in the household's source of the kind, with its files, because it answers no request. */
import type { RemoteFile } from "../../channels/chat-event.ts";
import { readKeyword } from "../../channels/replies/reply-keywords.ts";
import { isTransient } from "../../channels/shared/remote-file.ts";
import { receiveParsedMessages } from "../../exchange/source-calls/receive-parsed-messages.ts";
import { log } from "../../log.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { attachFiles } from "../../source-kinds/chat/attach-files.ts";
import type { ParsedMessage } from "../../source-kinds/source-kind.ts";

const KEYWORD_TEXT =
  "This names no task for certain, so it went to the inbox. To answer a task, reply to its message or open its link.";
const INBOX_TEXT = "Received. It went to the inbox, not to a task.";

/** What the sender of a message to a source may read. Strangers get no answer but that of a person. */
export type SourceReceipt = { kind: "none" } | { kind: "seen" } | { kind: "text"; text: string };

interface ChatMessage {
  message: ParsedMessage;
  files: readonly RemoteFile[];
  /** Why the message belongs to no thread; `unknown_executor` for a stranger. Undefined: the sender gets no receipt. */
  refusal: MessError | undefined;
  /** The service will repeat the event often enough. If not, the message is stored without a file that cannot be fetched now. */
  isRepeated: boolean;
  /** By default as `isRepeated`. True also where the service hands a refused message to another address. */
  refusesUnstored?: true;
}

/**
 * Returns the receipt. Refuses with `internal` what may be stored later, so that the service repeats the event. A
 * stranger's message that a full source refuses is not refused for ever, since each attempt fetches its files; the source's status shows the problem. A member reads that it was not stored.
 */
export async function receiveSourceMessage(
  env: Env,
  ids: { household: string; source: string },
  { message, files, refusal, isRepeated, refusesUnstored }: ChatMessage,
): Promise<Outcome<SourceReceipt>> {
  const isMember = refusal !== undefined && refusal.code !== "unknown_executor";
  const complete = await attachFiles(message, files, isRepeated);
  const received = complete.ok ? await receiveParsedMessages(env, ids, [complete.value]) : complete;
  if (!received.ok) {
    log("source_not_received", { ...ids, code: received.error.code });
    if (isTransient(received.error)) return received;
    if (isMember) return ok({ kind: "text", text: "This could not be stored." });
    return isRepeated || refusesUnstored
      ? refuse("internal", "the message could not be stored", "Send it again later.")
      : ok({ kind: "none" });
  }
  if (!isMember) return ok({ kind: "none" });
  const isKeyword = readKeyword(message.body) !== undefined;
  return ok(isKeyword ? { kind: "text", text: KEYWORD_TEXT } : { kind: "seen" });
}

/** For services without reactions. */
export const getReceiptSentence = (receipt: SourceReceipt): string | undefined =>
  receipt.kind === "text" ? receipt.text : receipt.kind === "seen" ? INBOX_TEXT : undefined;
