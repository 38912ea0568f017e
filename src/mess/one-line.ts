/** Texts of members and strangers on one line, so that they cannot pass for a line of the exchange. Pure. */

export const toOneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

/** The line, or its beginning and an ellipsis: at most `maxChars` characters (code points). */
export function cutLine(line: string, maxChars: number): string {
  const characters = Array.from(line);
  return characters.length <= maxChars ? line : `${characters.slice(0, maxChars - 1).join("")}…`;
}
