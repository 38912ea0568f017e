/** Comparison of texts without regard to case, in any script. Linear in the length of the text. */

/** The same for texts that differ in case, width or spaces only. Upper case in between, so that `ß` and `ẞ` equal `SS`. */
export const foldText = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    // A sigma at the end of a word is another letter than one inside it.
    .replaceAll("ς", "σ")
    .replace(/\s+/g, " ")
    .trim();

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u;
/** Scripts that do not put spaces between words. */
const UNSPACED_CHARACTER =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

const continuesWord = (character: string | undefined): boolean =>
  character !== undefined && WORD_CHARACTER.test(character) && !UNSPACED_CHARACTER.test(character);

/** The whole character that ends at the position; undefined at the start. */
const getCharacterBefore = (text: string, position: number): string | undefined => {
  const unit = text.charCodeAt(position - 1);
  const start = unit >= 0xdc00 && unit <= 0xdfff ? position - 2 : position - 1;
  const point = text.codePointAt(start);
  return point === undefined ? undefined : String.fromCodePoint(point);
};

const getCharacterAt = (text: string, position: number): string | undefined => {
  const point = text.codePointAt(position);
  return point === undefined ? undefined : String.fromCodePoint(point);
};

/**
 * True if the word, or the words in this order, occur in the text, and not as a part of a longer word.
 * @param text and @param word folded
 */
export function containsWord(text: string, word: string): boolean {
  if (word === "") return false;
  // A word that itself begins with a sign, such as `$5`, can follow a letter.
  const [first, last] = [getCharacterAt(word, 0), getCharacterBefore(word, word.length)];
  const [opens, closes] = [continuesWord(first), continuesWord(last)];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const startsInside = opens && at > 0 && continuesWord(getCharacterBefore(text, at));
    const endsInside = closes && continuesWord(getCharacterAt(text, end));
    if (!startsInside && !endsInside) return true;
  }
  return false;
}
