/**
 * Extracts the reply from a mail: removes the quoted mail and the signature as Gmail, Apple Mail, Thunderbird and Outlook
 * write them in English, German, Spanish, French and Turkish. Text between and below quoted lines is kept.
 */
import { strip, WHITE_SPACE } from "../../mess/strip.ts";

/**
 * `On … wrote:`, which mail programs break into up to three lines. All regexes of one row must match; the text also has
 * a digit, because it contains a time.
 */
const INTRODUCTION_PATTERNS: readonly (readonly RegExp[])[] = [
  [/^On\b/i, /\bwrote\s?:$/i],
  [/^Am\b/i, /\bschrieb\b/i, /:$/],
  [/^El\b/i, /\bescribió\s?:$/i],
  [/^Le\b/i, /\ba écrit\s?:$/i],
  [/\s(?:şunu|şunları) yazdı(?:\s\([^()]{5,60}\))?\s?:$/i],
  // Only a time and a name, as some phones write it.
  [/^\d{4}-\d\d-\d\d \d\d:\d\d/, /<[^<>@\s]+@[^<>@\s]+>\s?:$/],
];
const MAX_INTRODUCTION_LINES = 3;
const MAX_INTRODUCTION_CHARACTERS = 500;

/** Texts that separate the quoted mail, between dashes. */
const SEPARATORS: readonly string[] = [
  "Original Message",
  "Forwarded message",
  "Ursprüngliche Nachricht",
  "Mensaje original",
  "Message d'origine",
  "Message d’origine",
  "Message original",
  "Orijinal İleti",
  "Orijinal Mesaj",
  "Özgün İleti",
].map((separator) => separator.toLowerCase());

/** Outlook introduces the quoted mail with its header: its sender, then its time or its recipient. */
const SENDER_PATTERN = /^\*?(?:From|Von|De|Kimden)\s?:\*?\s+\S/i;
const TIME_PATTERN =
  /^\*?(?:Sent|Date|Gesendet|Datum|Enviado(?: el)?|Fecha|Envoyé|Gönderme Tarihi|Gönderilme|Gönderildi|Tarih)\s?:/i;
const RULE_PATTERN = /^_{10,}$/;

const SIGNATURE_PATTERN = /^--\s?$/;
/** Signatures that phones add as the last line. */
const PHONE_SIGNATURE_PATTERNS: readonly RegExp[] = [
  /^Sent from my \S/i,
  /^Sent from (?:Outlook|Yahoo|Proton|Mail)\b/i,
  /^Get Outlook for /i,
  /^Holen Sie sich Outlook für /i,
  /^(?:Obtenez|Obtenir|Télécharger) Outlook pour /i,
  /^(?:Obtener|Obtén) Outlook para /i,
  /^(?:iOS|Android) için Outlook['’]u /i,
  /^Von meinem .+ gesendet\.?$/i,
  /^Gesendet von ./i,
  /^Enviado desde mi ./i,
  /^Envoyé (?:de|depuis) mon ./i,
  /^.+ (?:cihazımdan|telefonumdan) gönderildi\.?$/i,
  /^iPhone['’]umdan gönderildi\.?$/i,
  /^iPad['’]imden gönderildi\.?$/i,
];
const MAX_PHONE_SIGNATURE_CHARS = 64;

/** Maximum characters that are read: twice the limit of a message, which is checked later. */
const MAX_CHARS = 512 * 1024;

const isSeparator = (line: string): boolean =>
  line.startsWith("--") &&
  line.endsWith("--") &&
  SEPARATORS.includes(strip(line, `-${WHITE_SPACE}`).toLowerCase());

const isQuotedLine = (line: string): boolean => /^\s*>/.test(line);

/** The text that the person wrote; empty if there is none. */
export function extractReplyText(text: string): string {
  const lines = text
    .slice(0, MAX_CHARS)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\u00A0", " ")
    .split("\n");
  const replyLines: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? "").trimEnd();
    if (isQuotedLine(line)) continue;
    if (SIGNATURE_PATTERN.test(line) || isSeparator(line.trim()) || isQuotedHeader(lines, at))
      break;
    const introduction = countIntroductionLines(lines, at);
    if (introduction === 0) {
      replyLines.push(line);
      continue;
    }
    // Quoted lines are skipped one by one, because the reply may be below them.
    if (!isQuotedLine(findNextLine(lines, at + introduction))) break;
    at += introduction - 1;
  }
  return stripPhoneSignature(replyLines.join("\n").trim()).replaceAll(/\n{3,}/g, "\n\n");
}

/** The number of lines from `at` that introduce a quotation; 0 for none. */
function countIntroductionLines(lines: readonly string[], at: number): number {
  let text = "";
  for (let count = 1; count <= MAX_INTRODUCTION_LINES; count += 1) {
    const line = (lines[at + count - 1] ?? "").trim();
    if (line === "") return 0;
    text = text === "" ? line : `${text} ${line}`;
    if (text.length > MAX_INTRODUCTION_CHARACTERS) return 0;
    if (
      /\d/.test(text) &&
      INTRODUCTION_PATTERNS.some((row) => row.every((part) => part.test(text)))
    )
      return count;
  }
  return 0;
}

function isQuotedHeader(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? "").trim();
  if (RULE_PATTERN.test(line)) return SENDER_PATTERN.test(findNextLine(lines, at + 1).trim());
  if (!SENDER_PATTERN.test(line)) return false;
  return lines.slice(at + 1, at + 4).some((next) => TIME_PATTERN.test(next.trim()));
}

/** Maximum blank lines between the introduction and the quotation. */
const MAX_BLANK_LINES = 4;

const findNextLine = (lines: readonly string[], from: number): string =>
  lines.slice(from, from + MAX_BLANK_LINES).find((line) => line.trim() !== "") ?? "";

function stripPhoneSignature(text: string): string {
  const end = text.lastIndexOf("\n");
  const last = text.slice(end + 1).trim();
  const isPhone =
    last.length <= MAX_PHONE_SIGNATURE_CHARS &&
    PHONE_SIGNATURE_PATTERNS.some((signature) => signature.test(last));
  return isPhone ? text.slice(0, Math.max(0, end)).trim() : text;
}
