import { plainText } from "../mess/wire/content.ts";
import type { Message } from "../mess/wire/schema.ts";

/** Characters of a thread that the index searches; what was said first is kept. */
const LONGEST = 16_000;

/** The searchable words of a thread, with those of one more message. */
export function addWords(words: string, message: Message): string {
  if (words.length >= LONGEST) return words;
  const more = message.blocks.flatMap((block) => {
    switch (block.type) {
      case "request":
        return [block.body.intent, plainText(block.body.context ?? [])];
      case "response":
        return [plainText(block.body.content ?? []), block.body.notes ?? ""];
      case "followup":
        return [block.body.message ?? "", plainText(block.body.context ?? [])];
      case "reply":
        return [plainText(block.body.context ?? [])];
      default:
        return [];
    }
  });
  return [words, ...more]
    .filter((part) => part !== "")
    .join("\n")
    .slice(0, LONGEST);
}
