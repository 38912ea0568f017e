/**
 * Estimates the tokens of a text without a model's vocabulary, since vendors do not publish theirs and change it.
 *
 * Words of up to six letters are one token, longer ones one more for every six letters begun; a space before a
 * word is part of it. Digits are one token for every three. Every run of up to three punctuation signs is one
 * token, as is every line end. Any other character is one token. For JSON and English the result is some percent
 * above that of byte-pair vocabularies with 100,000 or more entries, so budgets checked with it are safe.
 */
const PIECE_PATTERN = /[A-Za-z]+|\d+|\n+|[^\sA-Za-z\d\u0080-\u{10FFFF}]+|[\u0080-\u{10FFFF}]/gu;

function estimatePiece(piece: string): number {
  if (/^[A-Za-z]/.test(piece)) return Math.ceil(piece.length / 6);
  if (/^\d/.test(piece)) return Math.ceil(piece.length / 3);
  if (piece.startsWith("\n")) return 1;
  return Math.ceil(piece.length / 3);
}

export const estimateTokens = (text: string): number =>
  (text.match(PIECE_PATTERN) ?? []).reduce((total, piece) => total + estimatePiece(piece), 0);
