/** Reads and writes the header lines of messages and drafts in the message tree. Pure. */
import { type Outcome, refuse } from "../../errors.ts";
import { ok } from "../../result.ts";

type Header = readonly [name: string, value: string];

const NAME_PATTERN = /^[!-9;-~]{1,100}$/;
/** Also the line and paragraph separators, at which some readers break lines. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * One `Name: value` line for each header. A line never continues: line breaks in values become spaces, and names that
 * would end a line are left out, so that a stranger's text cannot add a header.
 */
export const writeHeaderLines = (headers: readonly Header[]): string =>
  headers
    .filter(([name]) => NAME_PATTERN.test(name))
    .map(([name, value]) => `${name}: ${value.replaceAll(BREAKS, " ").trim()}\n`)
    .join("");

/** `Ann <ann@example.com>`; a name with special characters is quoted, so that it cannot look like an address. */
export function writeMailbox(address: string, name: string | undefined): string {
  const shown = (name ?? "").replaceAll(BREAKS, " ").trim();
  if (shown === "") return address;
  return /^[\p{L}\p{N} '-]+$/u.test(shown)
    ? `${shown} <${address}>`
    : `"${shown.replaceAll(/["\\]/g, "\\$&")}" <${address}>`;
}

/** Addresses or chat ids, separated by commas. How many there may be, and how long they are, is checked with the draft. */
export function parseAddresses(text: string): Outcome<string[]> {
  const addresses = text.split(",").map((one) => one.trim());
  return addresses.every((one) => /^[^\s"<>]+$/.test(one))
    ? ok(addresses)
    : refuse(
        "bad_field",
        "to: not a list of plain addresses",
        "Write addresses without names, separated by commas: ann@example.com, ben@example.com.",
        { path: "to" },
      );
}

export interface WrittenHeaders {
  to?: string[];
  subject?: string;
  /** Id of the message that it answers. */
  message?: string;
}

const FIELDS = ["To", "Subject", "In-Reply-To"] as const;
/** Written by the exchange when headers are read: they change nothing when they are written back. */
const SHOWN_PREFIX = "x-mess-";

const refuseHeaders = (message: string, hint: string) =>
  refuse("bad_field", `headers: ${message}`, hint, { valid: FIELDS });

/** @param text header lines, without the body */
export function parseHeaders(text: string): Outcome<WrittenHeaders> {
  const values = new Map<string, string>();
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const [, name = "", value = ""] = /^([!-9;-~]{1,100}):(.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === "")
      return refuseHeaders("a line is not Name: value", "Write each header in one line.");
    if (key.startsWith(SHOWN_PREFIX)) continue;
    if (!FIELDS.some((field) => field.toLowerCase() === key))
      return refuseHeaders("a header is not known", `The headers are ${FIELDS.join(", ")}.`);
    if (values.has(key)) return refuseHeaders("a header is given twice", "Give each header once.");
    values.set(key, value.trim());
  }
  const [to, subject, message] = FIELDS.map((field) => values.get(field.toLowerCase()));
  const addresses = to === undefined ? undefined : parseAddresses(to);
  if (addresses && !addresses.ok) return addresses;
  return ok({
    ...(addresses ? { to: addresses.value } : {}),
    ...(subject === undefined ? {} : { subject }),
    ...(message === undefined ? {} : { message }),
  });
}

/** @param text headers, an empty line, and the body, as in a mail */
export function parseMail(text: string): Outcome<WrittenHeaders & { body: string }> {
  const at = text.startsWith("\n") ? -1 : text.indexOf("\n\n");
  if (at === -1 && !text.startsWith("\n"))
    return refuseHeaders("no empty line after them", "Write headers, an empty line and the body.");
  const headers = parseHeaders(text.slice(0, Math.max(at, 0)));
  const body = text.slice(at === -1 ? 1 : at + 2);
  return headers.ok ? ok({ ...headers.value, body }) : headers;
}
