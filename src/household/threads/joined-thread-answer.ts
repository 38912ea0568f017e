/** What became of a thread, as the exchange tells it to those that joined it. */
import { elsewhere } from "../../mess/wire/content.ts";
import type { Entry } from "../../mess/wire/entries.ts";
import { blocksOf } from "../../mess/wire/message.ts";
import { isFinal } from "../../mess/status.ts";
import type { ThreadRpc, Told } from "../../contracts/thread.ts";

/** Characters of JSON that are handed on; who joined can read the rest where it stands. */
const MOST = 128 * 1024;

/**
 * The newest answers of the thread, which files they name said by their addresses there; undefined while the thread
 * has not ended.
 */
export async function answerOf(
  thread: ThreadRpc,
  household: string,
  ref: string,
): Promise<Pick<Told, "message" | "context"> | undefined> {
  const read = await thread.read({ household, actor: "exchange", role: "owner" });
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
    const said = blocksOf(MESS).flatMap(({ type, body }): Entry[] => {
      if (type !== "response") return [];
      return [...elsewhere(body.content ?? [], ref), ...(body.notes ? [body.notes] : [])];
    });
    size += JSON.stringify(said).length;
    if (size > MOST) break;
    context.unshift(...said);
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
