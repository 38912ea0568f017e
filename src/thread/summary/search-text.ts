import { toPlainText } from "../../mess/wire/content/content.ts";
import type { Block } from "../../mess/wire/schema.ts";

/** Longest searchable text of a thread; the oldest messages are kept. */
const MAX_TEXT_CHARS = 16_000;

export const isSearchTextFull = (searchText: string): boolean =>
  searchText.length >= MAX_TEXT_CHARS;

/** The searchable text with the text of one more message. */
export function appendSearchText(searchText: string, blocks: readonly Block[]): string {
  if (isSearchTextFull(searchText)) return searchText;
  const more = blocks.flatMap((block) => {
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
