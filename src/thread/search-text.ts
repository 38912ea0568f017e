import type { MessageDocument } from "../mess/envelope.ts";
import { toPlainText } from "../mess/wire/content.ts";
import { readBlocks } from "../mess/wire/message.ts";

/** Longest searchable text of a thread; the oldest messages are kept. */
const MAX_TEXT_CHARS = 16_000;

export const isSearchTextFull = (searchText: string): boolean =>
  searchText.length >= MAX_TEXT_CHARS;

/** The searchable text with the text of one more message. */
export function appendSearchText(searchText: string, { MESS }: MessageDocument): string {
  if (isSearchTextFull(searchText)) return searchText;
  const more = readBlocks(MESS).flatMap((block) => {
    switch (block.type) {
      case "request":
        return [block.body.intent, toPlainText(block.body.context ?? [])];
      case "response":
        return [toPlainText(block.body.content ?? []), block.body.notes ?? ""];
      case "followup":
        return [block.body.message ?? "", toPlainText(block.body.context ?? [])];
      case "reply":
        return [toPlainText(block.body.context ?? [])];
      default:
        return [];
    }
  });
  return [searchText, ...more]
    .filter((part) => part !== "")
    .join("\n")
    .slice(0, MAX_TEXT_CHARS);
}
