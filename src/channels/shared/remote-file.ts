/** Fetches a file from a channel, as a stream if its length is known: large files must not fill the memory. */
import type { Egress } from "../../egress/egress.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import type { FileStream } from "../chat-event.ts";

/** Maximum size of a file of unknown length, which is held in memory. */
const MAX_BUFFERED_BYTES = 25 * 1024 * 1024;
/** Timeout for the complete file. */
const FETCH_TIMEOUT_MS = 60_000;

/** Refuses a file that is gone. A temporary failure is refused with `internal`, so that the service repeats the event. */
export const refuseLostFile = (reason: string): Outcome<never> =>
  refuse(
    "bad_attachment",
    `the file could not be fetched: ${reason}`,
    "Send it again, or by the link.",
  );

export const refuseLargeFile = (): Outcome<never> =>
  refuse("too_large", "a file is too large", "Send it by the link.");

/** True if the same event may succeed later. */
export const isTransient = ({ code }: { readonly code: string }): boolean => code === "internal";

/** @param mime type that the channel announced; an HTML page instead of another type is a sign-in page */
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
  if (page && mime !== "text/html") return refuseLostFile("its server sent a web page instead");
  if (size > LIMITS.uploadBytes) return refuseLargeFile();
  const buffered = await egress.fetch(url, init, MAX_BUFFERED_BYTES);
  return buffered.ok ? ok(buffered.value.bytes) : buffered;
}
