/** Writes a mail in the form in which servers transport it (RFC 5322, MIME): ASCII, with CRLF at the end of each line. */
import { encodeBase64 } from "../../bytes.ts";
import { toAttachmentName } from "./outgoing-mail.ts";

export interface BuiltMail {
  from: { address: string; name?: string };
  to: readonly string[];
  subject: string;
  /** With brackets. */
  messageId: string;
  /** Milliseconds since 1970. */
  date: number;
  /** Further headers, in ASCII. */
  headers: Readonly<Record<string, string>>;
  text: string;
  attachments: readonly { name: string; mime: string; bytes: Uint8Array }[];
}

/** Cannot be in the parts, which are in base64. */
const BOUNDARY = "=_mess_part";
const BASE64_LINE_CHARS = 76;
const MAX_TEXT_LINE_CHARS = 998;
/** Bytes of an encoded word, which has at most 75 characters with its frame (RFC 2047). */
const ENCODED_WORD_BYTES = 45;
const ASCII_PATTERN = /^[\t\n\r\x20-\x7e]*$/;
const MIME_PATTERN = /^[a-z]{1,20}\/[\w.+-]{1,100}$/i;
/** Types whose parts may not be in base64. */
const NESTED_PATTERN = /^(?:message|multipart)\//i;

export function buildMail(mail: BuiltMail): Uint8Array {
  const { from, attachments } = mail;
  const text = mail.text.replaceAll(/\r\n?|\n/g, "\r\n");
  const headers: [name: string, value: string][] = [
    ["From", from.name === undefined ? from.address : `${encodeName(from.name)} <${from.address}>`],
    ["To", mail.to.join(",\r\n ")],
    ["Subject", encodeHeader(mail.subject)],
    ["Date", new Date(mail.date).toUTCString().replace("GMT", "+0000")],
    ["Message-ID", mail.messageId],
    ...Object.entries(mail.headers).map(([name, value]): [string, string] => [
      name,
      value.replaceAll(" ", "\r\n "),
    ]),
    ["MIME-Version", "1.0"],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  if (attachments.length === 0) return toBytes(lines, buildText(text, isSendableText(text)));
  const parts = [buildText(text, false), ...attachments.map((file) => buildFile(file))];
  return toBytes(
    lines,
    `Content-Type: multipart/mixed; boundary="${BOUNDARY}"\r\n\r\n`,
    ...parts.map((part) => `--${BOUNDARY}\r\n${part}`),
    `--${BOUNDARY}--\r\n`,
  );
}

const isSendableText = (text: string): boolean =>
  ASCII_PATTERN.test(text) &&
  text.split("\r\n").every((line) => line.length <= MAX_TEXT_LINE_CHARS);

function buildText(text: string, isPlain: boolean): string {
  const type = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding:";
  return isPlain
    ? `${type} 7bit\r\n\r\n${text}\r\n`
    : `${type} base64\r\n\r\n${encodeLines(new TextEncoder().encode(text))}`;
}

function buildFile({ name, mime, bytes }: BuiltMail["attachments"][number]): string {
  const type =
    MIME_PATTERN.test(mime) && !NESTED_PATTERN.test(mime) ? mime : "application/octet-stream";
  return [
    `Content-Type: ${type}`,
    `Content-Disposition: attachment;\r\n ${encodeFileName(toAttachmentName(name))}`,
    "Content-Transfer-Encoding: base64",
    "",
    encodeLines(bytes),
  ].join("\r\n");
}

/** Base64 in lines, each with its line break. */
function encodeLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  const bytesPerLine = (BASE64_LINE_CHARS / 4) * 3;
  for (let at = 0; at < bytes.length; at += bytesPerLine)
    lines.push(`${encodeBase64(bytes.subarray(at, at + bytesPerLine))}\r\n`);
  return lines.join("");
}

/** A file name in the form of RFC 2231 where it is not ASCII. */
const encodeFileName = (name: string): string =>
  ASCII_PATTERN.test(name)
    ? `filename="${name}"`
    : `filename*=utf-8''${encodeURIComponent(name).replaceAll(/['()*]/g, encodeCharacter)}`;

const encodeCharacter = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** A text without line breaks, as encoded words where it is long or not ASCII. */
const encodeHeader = (text: string): string =>
  ASCII_PATTERN.test(text) && text.length <= BASE64_LINE_CHARS && !text.includes("=?")
    ? text
    : encodeWords(text);

const encodeName = (name: string): string =>
  ASCII_PATTERN.test(name) && name.length <= BASE64_LINE_CHARS && !name.includes("=?")
    ? `"${name.replaceAll(/["\\]/g, "")}"`
    : encodeWords(name);

/** No character is split between two words. */
function encodeWords(text: string): string {
  const encoder = new TextEncoder();
  const words: Uint8Array[] = [];
  let word: number[] = [];
  for (const character of text) {
    const bytes = encoder.encode(character);
    if (word.length + bytes.length > ENCODED_WORD_BYTES) {
      words.push(Uint8Array.from(word));
      word = [];
    }
    word.push(...bytes);
  }
  words.push(Uint8Array.from(word));
  return words.map((bytes) => `=?utf-8?B?${encodeBase64(bytes)}?=`).join("\r\n ");
}

const toBytes = (...parts: string[]): Uint8Array => new TextEncoder().encode(parts.join(""));
