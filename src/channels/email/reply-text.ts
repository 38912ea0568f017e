/**
 * What a person wrote in a mail, without what their mail program put around it: the mail that is answered, and the
 * signature. Known are the forms of Gmail, Apple Mail, Thunderbird and Outlook in English, German, Spanish, French and
 * Turkish. Answers between quoted lines and below them are kept.
 */

/** `On … wrote:`, which programs break into up to three lines. It names a time, so it has a digit. */
const INTRODUCTIONS: readonly RegExp[] = [
  /^On\b.{5,300}\bwrote\s?:$/i,
  /^Am\b.{5,300}\bschrieb\b.{0,200}:$/i,
  /^El\b.{5,300}\bescribió\s?:$/i,
  /^Le\b.{5,300}\ba écrit\s?:$/i,
  /^.{5,400}\s(?:şunu|şunları) yazdı(?:\s\([^()]{5,60}\))?\s?:$/i,
  // A bare time and name, as some phones write it.
  /^\d{4}-\d\d-\d\d \d\d:\d\d.{0,60}<[^<>\s]+@[^<>\s]+>\s?:$/,
];
const INTRODUCTION_LINES = 3;

const SEPARATOR =
  /^-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Mensaje original|Message d['’]origine|Message original|Orijinal İleti|Orijinal Mesaj|Özgün İleti)\s*-{2,}$/i;

/** Outlook quotes by the old mail's header alone: its sender, then its time or its recipient. */
const SENDER = /^\*?(?:From|Von|De|Kimden)\s?:\*?\s+\S/i;
const TIME =
  /^\*?(?:Sent|Date|Gesendet|Datum|Enviado(?: el)?|Fecha|Envoyé|Gönderme Tarihi|Gönderilme|Gönderildi|Tarih)\s?:/i;
const RULE = /^_{10,}$/;

const SIGNATURE = /^--\s?$/;
/** What phones add of themselves, as the last line. */
const PHONE =
  /^(?:Sent from my \S.{0,40}|Sent from (?:Outlook|Yahoo|Proton|Mail)\b.{0,40}|Get Outlook for .{0,60}|Von meinem .{1,40} gesendet|Gesendet von .{1,40}|Enviado desde mi .{1,40}|Envoyé (?:de|depuis) mon .{1,40}|.{1,30} (?:cihazımdan|telefonumdan) gönderildi|iPhone['’]umdan gönderildi|iPad['’]imden gönderildi)\.?$/i;

/** Characters that are looked at: twice as many as a message may hold, the rest of which is refused there. */
const MOST = 512 * 1024;

const isQuote = (line: string): boolean => /^\s*>/.test(line);

/** The person's own words; empty where there are none. */
export function ownWords(text: string): string {
  const lines = text
    .slice(0, MOST)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\u00A0", " ")
    .split("\n");
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? "").trimEnd();
    if (isQuote(line)) continue;
    if (SIGNATURE.test(line) || SEPARATOR.test(line.trim()) || isOldHeader(lines, at)) break;
    const introduction = introductionAt(lines, at);
    if (introduction === 0) {
      kept.push(line);
      continue;
    }
    // Quoted lines after it are left out one by one, since an answer may stand below them.
    if (!isQuote(nextLine(lines, at + introduction))) break;
    at += introduction - 1;
  }
  return withoutPhone(kept.join("\n").trim()).replaceAll(/\n{3,}/g, "\n\n");
}

/** Lines that introduce a quotation from here on; 0 where none does. */
function introductionAt(lines: readonly string[], at: number): number {
  let text = "";
  for (let count = 1; count <= INTRODUCTION_LINES; count += 1) {
    const line = (lines[at + count - 1] ?? "").trim();
    if (line === "") return 0;
    text = text === "" ? line : `${text} ${line}`;
    if (/\d/.test(text) && INTRODUCTIONS.some((form) => form.test(text))) return count;
  }
  return 0;
}

function isOldHeader(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? "").trim();
  if (RULE.test(line)) return SENDER.test(nextLine(lines, at + 1).trim());
  if (!SENDER.test(line)) return false;
  return lines.slice(at + 1, at + 4).some((next) => TIME.test(next.trim()));
}

/** Blank lines that a mail program puts between an introduction and what it introduces. */
const BLANKS = 4;

const nextLine = (lines: readonly string[], from: number): string =>
  lines.slice(from, from + BLANKS).find((line) => line.trim() !== "") ?? "";

function withoutPhone(text: string): string {
  const end = text.lastIndexOf("\n");
  return PHONE.test(text.slice(end + 1).trim()) ? text.slice(0, Math.max(0, end)).trim() : text;
}
