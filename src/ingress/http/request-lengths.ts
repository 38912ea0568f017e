/** Limits the length of a request's address and headers, before any code parses them. */
import { type MessError, refuse } from "../../mess/errors.ts";
import { buildTooLongHint } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ACCEPT_CHARS } from "./response-format.ts";

/** Maximum characters of an address: a link's token has several hundred. */
const URL_CHARS = 8_192;

/** All headers that the code reads, each with its maximum length in characters. Other headers are ignored. */
export const HEADER_CHARS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    accept: ACCEPT_CHARS,
    authorization: 8_192,
    "cf-connecting-ip": 64,
    "content-disposition": 4_096,
    "content-encoding": LIMITS.wordChars,
    "content-length": LIMITS.numberChars,
    "content-type": 1_024,
    cookie: 16_384,
    "idempotency-key": 255,
    "if-none-match": 4_096,
    "if-range": 256,
    "last-event-id": 1_024,
    "mcp-method": 256,
    "mcp-name": LIMITS.urlChars,
    "mcp-protocol-version": 256,
    "mcp-session-id": 1_024,
    origin: LIMITS.urlChars,
    prefer: 256,
    range: 256,
    "sec-fetch-site": LIMITS.wordChars,
    upgrade: 256,
    "upload-offset": LIMITS.numberChars,
    "webhook-id": 200,
    "webhook-signature": 4_096,
    "webhook-timestamp": LIMITS.numberChars,
    "x-mess-client": LIMITS.wordChars,
    "x-mess-session": LIMITS.wordChars,
    "x-slack-request-timestamp": LIMITS.numberChars,
    "x-slack-retry-num": LIMITS.numberChars,
    "x-slack-signature": 256,
    "x-telegram-bot-api-secret-token": 256,
    "x-twilio-signature": 256,
  }),
);

/** Refuses a request with a too long address or header; undefined for any other request. */
export function checkRequestLengths({ url, headers }: Request): MessError | undefined {
  if (url.length > URL_CHARS)
    return refuse("bad_parameter", "the address is too long", "Send long values in the body.")
      .error;
  let error: MessError | undefined;
  // An iterator would take longer: every request pays for this loop.
  headers.forEach((value, name) => {
    const maxChars = HEADER_CHARS.get(name);
    if (maxChars !== undefined && value.length > maxChars)
      error ??= refuse(
        "bad_parameter",
        `the header ${name} is longer than ${maxChars} characters`,
        buildTooLongHint(maxChars),
        { path: name },
      ).error;
  });
  return error;
}
