/** Fetching a file that lies with a channel: as a stream where its length is known, so that no large one is held. */
import type { Egress } from "../../egress/egress.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import type { FileStream } from "../chat-event.ts";

/** Bytes that are held in memory where a file's length is not told. */
const MAX_BUFFERED_BYTES = 25 * 1024 * 1024;
/** Milliseconds for a whole file. */
const FETCH_TIMEOUT_MS = 60_000;

/** Why a file cannot be had, for good. What may pass is refused with `internal`, and the event is to come again. */
export const refuseLostFile = (reason: string): Outcome<never> =>
  refuse(
    "bad_attachment",
    `a file could not be fetched: ${reason}`,
    "Send it again, or by the link.",
  );

export const refuseLargeFile = (): Outcome<never> =>
  refuse("too_large", "a file is too large", "Send it by the link.");

/** True where the same event may be taken when it comes again. */
export const isTransient = ({ code }: { readonly code: string }): boolean => code === "internal";

/** @param mime what the channel said the file is: a page where none was announced is a request to sign in. */
export async function fetchRemoteFile(
  egress: Egress,
  url: string,
  mime: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Outcome<Uint8Array | FileStream>> {
  const init = { headers: { ...headers, "Accept-Encoding": "identity" } };
  const opened = await egress.open(url, { ...init, signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!opened.ok) return opened;
  const { status, body, headers: answered } = opened.value;
  const page = /^text\/html\b/i.test(answered.get("Content-Type") ?? "");
  const size = Number(answered.get("Content-Length") ?? Number.NaN);
  const fits = size <= LIMITS.uploadBytes;
  if (status === 200 && body && fits && (!page || mime === "text/html")) return ok({ body, size });
  await body?.cancel();
  if (status === 429 || status >= 500)
    return refuse("internal", `the file's server answered ${status}`, "Try again later.");
  if (status !== 200) return refuseLostFile(`its server answered ${status}`);
  if (page && mime !== "text/html") return refuseLostFile("a page was sent in its place");
  if (size > LIMITS.uploadBytes) return refuseLargeFile();
  const buffered = await egress.fetch(url, init, MAX_BUFFERED_BYTES);
  return buffered.ok ? ok(buffered.value.bytes) : buffered;
}
