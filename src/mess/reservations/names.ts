/** The names that members reserve: paths of files, globs, devices and rooms. */
import { RESERVATION_LIMITS } from "./limits.ts";

const INVISIBLE_PATTERN = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/**
 * The form in which names are compared: `.\SRC\` and `src/**` are the same folder. Letter case and white space never
 * tell two names apart, since one thing reserved twice does more harm than two things taken for one.
 * @returns undefined for a name without visible characters, and for one that this comparison would misunderstand:
 * `..`, braces and a leading `!`
 */
export function normalizeName(name: string): string | undefined {
  if (name.length > RESERVATION_LIMITS.nameChars) return undefined;
  const text = name
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replaceAll(INVISIBLE_PATTERN, "")
    .normalize("NFC")
    .replaceAll("\\", "/")
    .trim();
  const segments = text
    .split("/")
    .map((segment) => segment.trim())
    .filter((segment) => segment !== "" && segment !== ".");
  if (text.endsWith("/")) segments.push("**");
  const isMisleading = segments.includes("..") || segments[0]?.startsWith("!") || /[{}]/.test(text);
  return isMisleading || segments.length === 0 ? undefined : segments.join("/");
}
