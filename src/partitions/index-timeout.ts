/** Reads from the index with a timeout. Threads can be read by ref without the index. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { withTimeout } from "../object/with-timeout.ts";

/** How long a read waits for D1. */
const INDEX_TIMEOUT_MS = 5_000;

/** Returns the result of D1; refuses with `index_unavailable` where it fails or takes too long. */
export async function readIndex<T>(reading: Promise<T>): Promise<Outcome<T>> {
  try {
    return ok(await withTimeout(INDEX_TIMEOUT_MS, reading));
  } catch {
    return refuse(
      "index_unavailable",
      "lists and search are temporarily unavailable",
      "Try again in a few seconds. Threads can still be read and answered by ref.",
    );
  }
}
