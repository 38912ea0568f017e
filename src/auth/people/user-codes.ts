/** The code that a person compares: short, without vowels, so that it spells no word, and without digits. */

export const DEVICE_PATH = "/device";

const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;
/** The highest multiple of the number of letters in a byte, so that no letter is more likely than another. */
const MAX_BYTE = Math.floor(256 / LETTERS.length) * LETTERS.length;

/** Such as `BCDF-GHJK`. */
export function generateUserCode(): string {
  let code = "";
  while (code.length < LENGTH)
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
      if (byte < MAX_BYTE && code.length < LENGTH) code += LETTERS[byte % LETTERS.length];
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** The code as it was generated, from how a person writes it; undefined if it is none. */
export function readUserCode(text: string): string | undefined {
  const letters = text
    .slice(0, 32)
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, "");
  return letters.length === LENGTH && Array.from(letters).every((one) => LETTERS.includes(one))
    ? `${letters.slice(0, 4)}-${letters.slice(4)}`
    : undefined;
}
