/** Names that strangers chose, made fit to be shown: nothing hidden in them, and not long. */

const HIDDEN_PATTERN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const MAX_CHARS = 60;

export function toDisplayName(name: string): string {
  const plain = name.replaceAll(HIDDEN_PATTERN, "").replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(plain);
  const cut = characters.length > MAX_CHARS ? `${characters.slice(0, MAX_CHARS).join("")}…` : plain;
  return cut === "" ? "(no name)" : cut;
}
