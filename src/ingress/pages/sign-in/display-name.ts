/** Cleans names by unauthenticated parties for display: no hidden characters, limited length. */

const HIDDEN_PATTERN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const MAX_CHARS = 60;

export function toDisplayName(name: string): string {
  const plain = name.replaceAll(HIDDEN_PATTERN, "").replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(plain);
  const cut = characters.length > MAX_CHARS ? `${characters.slice(0, MAX_CHARS).join("")}…` : plain;
  return cut === "" ? "(no name)" : cut;
}
