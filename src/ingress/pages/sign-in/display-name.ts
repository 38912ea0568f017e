/** Names that strangers chose, made fit to be shown: nothing hidden in them, and not long. */

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const MOST = 60;

export function visible(name: string): string {
  const plain = name.replaceAll(HIDDEN, "").replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(plain);
  const shown = characters.length > MOST ? `${characters.slice(0, MOST).join("")}…` : plain;
  return shown === "" ? "(no name)" : shown;
}
