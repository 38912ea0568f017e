/** The result of a thread, as a message of the exchange to the threads that joined it. */
import { toForeignEntries } from "../../mess/wire/content/content.ts";
import type { Entry } from "../../mess/wire/content/entries.ts";
import { readBlocks } from "../../mess/wire/message.ts";
import { isFinal } from "../../mess/status.ts";
import type { ThreadRpc, SystemMessage } from "../../contracts/thread.ts";

/** Maximum characters of JSON that are copied; the requestor can read the rest in the joined thread. */
const MAX_JSON_CHARS = 128 * 1024;

/**
 * Builds a message with the newest answers of the thread; their files are referenced by address. Undefined while the
 * thread has not ended.
 */
export async function buildJoinedAnswer(
  thread: ThreadRpc,
  household: string,
  ref: string,
): Promise<Pick<SystemMessage, "message" | "context"> | undefined> {
  const read = await thread.readThread({ household, actor: "exchange", role: "owner" });
  if (!read.ok || !isFinal(read.value.envelope.status)) return undefined;
  const { envelope, messages } = read.value;
  if (envelope.status !== "completed")
    return {
      message: `${ref}, which asked the same, is ${envelope.status}. Send the request again if you still need the answer.`,
      context: [{ ref }],
    };
  const context: Entry[] = [];
  let size = 0;
  for (const { MESS } of messages.toReversed()) {
    const content = readBlocks(MESS).flatMap(({ type, body }): Entry[] => {
      if (type !== "response") return [];
      return [...toForeignEntries(body.content ?? [], ref), ...(body.notes ? [body.notes] : [])];
    });
    size += JSON.stringify(content).length;
    if (size > MAX_JSON_CHARS) break;
    context.unshift(...content);
  }
  return {
    // The exchange sends this message, so the text names the author of the answer.
    message:
      `${ref}, which asked the same, is completed` +
      (envelope.executor === null || context.length === 0
        ? "."
        : `. The answer of ${envelope.executor} follows.`),
    context: [...context, { ref }],
  };
}
