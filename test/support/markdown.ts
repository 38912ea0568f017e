/** Reads the Markdown pages of the repository and the parts that tests check. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";

export const readPage = (path: string): string => readFileSync(join(ROOT, path), "utf8");

export interface Fence {
  language: string;
  text: string;
}

/** Code blocks without indentation. */
export const listFences = (markdown: string): Fence[] =>
  [...markdown.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));

export const listFencesOf = (markdown: string, language: string): string[] =>
  listFences(markdown)
    .filter((fence) => fence.language === language)
    .map(({ text }) => text);

/** The text below a heading, up to the next heading of any level. */
export function getSection(markdown: string, heading: string): string {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.endsWith(` ${heading}`));
  if (start < 0) throw new Error(`the page has no heading ${heading}`);
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join("\n");
}

/** The tables of a text: the trimmed cells of each row, without the header and the line below it. */
export function parseTables(markdown: string): string[][][] {
  const found: string[][][] = [];
  let open = false;
  for (const line of markdown.split("\n")) {
    const isRow = line.startsWith("|");
    if (isRow && !open) found.push([]);
    if (isRow)
      found.at(-1)!.push(
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    open = isRow;
  }
  return found.map((rows) => rows.slice(2));
}

/** The code spans of a text. */
export const listCodes = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
