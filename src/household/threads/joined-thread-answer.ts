/** What became of a thread, as the exchange tells it to those that joined it. */
import { toForeignEntries } from "../../mess/wire/content.ts";
import type { Entry } from "../../mess/wire/entries.ts";
import { readBlocks } from "../../mess/wire/message.ts";
import { isFinal } from "../../mess/status.ts";
import type { ThreadRpc, SystemMessage } from "../../contracts/thread.ts";

/** Characters of JSON that are handed on; who joined can read the rest where it stands. */
const MAX_JSON_CHARS = 128 * 1024;

/**
 * The newest answers of the thread, which files they name said by their addresses there; undefined while the thread
 * has not ended.
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
      message: `${ref}, which asked the same, is ${envelope.status}. Ask again if you still want to know.`,
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
    // In this thread it is the exchange that speaks, and it says whose words these are.
    message:
      `${ref}, which asked the same, is completed` +
      (envelope.executor === null || context.length === 0
        ? "."
        : `. What follows are the words of ${envelope.executor}.`),
    context: [...context, { ref }],
  };
}
