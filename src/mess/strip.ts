/**
 * Strips characters from the ends of a text with a loop. A regex such as `/-+$/` starts a match at every dash and
 * takes quadratic time on a long run of dashes before another character.
 */

/** The characters that `\s` matches in a regex. */
export const WHITE_SPACE =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

export function stripStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start]!)) start++;
  return text.slice(start);
}

export function stripEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

export const strip = (text: string, characters: string): string =>
  stripEnd(stripStart(text, characters), characters);
