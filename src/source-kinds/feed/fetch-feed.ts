/** Fetches a feed if it has changed. Every address passes the egress check, also those of redirects. */
import { toRefusedFailure } from "../../channels/shared/send-failures.ts";
import { readUpTo } from "../../egress/read-up-to.ts";
import type { Egress } from "../../egress/egress.ts";
import type { KindFailure } from "../source-kind.ts";

const MAX_FEED_BYTES = 4 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 20_000;
/** A longer ETag or date is not kept: the feed is then fetched whole each time. */
export const MAX_VALIDATOR_CHARS = 1_024;
const ACCEPTED_TYPES =
  "application/atom+xml, application/rss+xml, application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1";

/** Validators of the version that was read last. */
export interface FeedVersion {
  etag?: string;
  /** From `Last-Modified`. */
  modified?: string;
}

export type FetchedFeed =
  | { ok: true; changed: false }
  | { ok: true; changed: true; xml: string; version: FeedVersion }
  | ({ ok: false } & KindFailure);

const fail = (reason: string): FetchedFeed => ({ ok: false, reason });

/** @param now milliseconds since 1970 */
export async function fetchFeed(
  egress: Pick<Egress, "open">,
  url: string,
  known: FeedVersion,
  now: number,
): Promise<FetchedFeed> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const headers = {
    Accept: ACCEPTED_TYPES,
    "User-Agent": "mess-edge-exchange",
    ...(known.etag === undefined ? {} : { "If-None-Match": known.etag }),
    ...(known.modified === undefined ? {} : { "If-Modified-Since": known.modified }),
  };
  let address = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const opened = await egress.open(address, { headers, signal, redirect: "manual" });
    if (!opened.ok)
      return fail(
        redirects > 0 && opened.error.code === "bad_field"
          ? "the feed redirects to an address that is not allowed"
          : `the feed: ${opened.error.message}`,
      );
    const response = opened.value;
    const location = response.headers.get("Location");
    if (![301, 302, 303, 307, 308].includes(response.status))
      return await readResponse(response, now);
    await response.body?.cancel().catch(() => undefined);
    if (location === null || !URL.canParse(location, address))
      return fail("the feed redirects to no address");
    address = new URL(location, address).href;
  }
  return fail("the feed redirects too often");
}

async function readResponse(response: Response, now: number): Promise<FetchedFeed> {
  const { status, headers } = response;
  if (status !== 200) {
    await response.body?.cancel().catch(() => undefined);
    if (status === 304) return { ok: true, changed: false };
    if (status === 410) return { ok: false, reason: "the feed is gone (410)", isPermanent: true };
    return toRefusedFailure("the feed's server", { status, headers, text: "" }, now, false);
  }
  try {
    const { bytes, isCut } = await readUpTo(response, MAX_FEED_BYTES);
    if (isCut) return fail("the feed is larger than 4 MB");
    const [etag, modified] = ["ETag", "Last-Modified"].map((name) => readValidator(headers, name));
    const version = { ...(etag ? { etag } : {}), ...(modified ? { modified } : {}) };
    return { ok: true, changed: true, xml: decode(bytes, headers.get("Content-Type")), version };
  } catch {
    return fail("the connection to the feed's server was interrupted");
  }
}

function readValidator(headers: Headers, name: string): string | undefined {
  const value = headers.get(name) ?? "";
  return value === "" || value.length > MAX_VALIDATOR_CHARS ? undefined : value;
}

const CHARSET_PATTERN = /charset=["']?([\w.:-]{1,40})/i;
const ENCODING_PATTERN = /^[^<]{0,4}<\?xml[^>]{0,100}?encoding=["']([\w.:-]{1,40})["']/i;
/** The declaration stands in the first bytes. */
const DECLARATION_BYTES = 200;

/** By the charset of the response, or else by the XML declaration, or else as UTF-8. */
function decode(bytes: Uint8Array, contentType: string | null): string {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARATION_BYTES));
  const label =
    CHARSET_PATTERN.exec(contentType ?? "")?.[1] ?? ENCODING_PATTERN.exec(start)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
