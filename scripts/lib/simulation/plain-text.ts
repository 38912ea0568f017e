/** Plain English for the terminal: lists of words, durations, lines of at most 80 columns. */

const MAX_COLUMNS = 80;

/** `a`, `a and b`, `a, b and c`. */
export const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;

/** `1 photo`, `2 photos`. */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Seconds with one decimal. */
export const formatDuration = (ms: number): string => `${(ms / 1_000).toFixed(1)} seconds`;

/** Breaks a line between words. @param indent begins every line but the first */
export function wrap(line: string, indent: string = ""): string {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<=\S) /)) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (current !== "" && longer.length > MAX_COLUMNS) {
      lines.push(current);
      current = `${indent}${word}`;
    } else current = longer;
  }
  return [...lines, current].join("\n");
}
