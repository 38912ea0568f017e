/** A text of members on one line, so that it cannot pass for a line of the exchange. Pure. */
export const toOneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
