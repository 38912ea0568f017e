/**
 * What those say in a channel who asked for a thread, or who own the household and were alerted about it. Pure. Their
 * words answer what is asked of them, or are passed on; none of them is the answer to the request itself.
 */
import type { JsonMap } from "../../mess/json.ts";
import {
  blocksOf,
  contentOf,
  followup,
  type Said,
  type Standing,
  status,
} from "./interpret-reply.ts";
import { type ShortWord, shortWordOf } from "./reply-keywords.ts";

export interface Asking extends Standing {
  /** Owners stand beside every requestor; what nobody takes they may take themselves. */
  readonly owner: boolean;
  /** How many questions await them. */
  readonly questions: number;
}

/** The message's blocks in order; none where nothing was said. */
export function askerBlocks(said: Said, standing: Asking): JsonMap[] {
  const { act } = said;
  const text = (said.text ?? "").trim();
  const rest = contentOf(said, "");
  const word = rest.length === 0 ? shortWordOf(text) : undefined;
  if (act === "cancel") return [cancel(text)];
  if (act !== "say") return blocksOf(said, standing);
  if (text === "" && rest.length === 0) return [];
  if (word === "cancel") return [cancel("")];
  return answered(text, word, rest, standing) ?? taken(word, standing) ?? [followup(said, text)];
}

const cancel = (reason: string): JsonMap => ({ cancel: reason === "" ? {} : { reason } });

const YES: readonly (ShortWord | undefined)[] = ["one", "take", "yes", "done"];
const NO: readonly (ShortWord | undefined)[] = ["zero", "no", "stop"];

/** To the one open question, or to what is to be confirmed. */
function answered(
  text: string,
  word: ShortWord | undefined,
  rest: JsonMap[],
  { status: now, questions }: Asking,
): JsonMap[] | undefined {
  if (now === "needs_confirmation" && (YES.includes(word) || NO.includes(word)))
    return [{ reply: { confirm: YES.includes(word) } }];
  if (now !== "needs_input" || questions !== 1 || text === "") return undefined;
  return [{ reply: { answers: text, ...(rest.length > 0 ? { context: rest } : {}) } }];
}

/** What nobody has is an owner's to take, to be done with, or to let be. */
function taken(word: ShortWord | undefined, { owner, executor }: Asking): JsonMap[] | undefined {
  if (!owner || word === undefined) return undefined;
  if (word === "done") return [status("completed")];
  if (YES.includes(word)) return [status("claimed")];
  return NO.includes(word) && executor === null ? [status("declined")] : undefined;
}
