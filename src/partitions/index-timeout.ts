/** Reading the index is never worth a long wait: threads are read by ref without it. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { withTimeout } from "../object/with-timeout.ts";

/** Milliseconds that a reader waits for D1. */
const INDEX_TIMEOUT_MS = 5_000;

/** What D1 answers, or `index_unavailable` where it fails or does not answer in time. */
export async function readIndex<T>(reading: Promise<T>): Promise<Outcome<T>> {
  try {
    return ok(await withTimeout(INDEX_TIMEOUT_MS, reading));
  } catch {
    return refuse(
      "index_unavailable",
      "lists and search do not answer at the moment",
      "Threads can still be read and answered by ref. Try the list again in a few seconds.",
    );
  }
}
