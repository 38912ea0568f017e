/** Reads the body of a response up to a limit. */
import { concatBytes } from "../bytes.ts";

/** Reads at most `maxBytes` bytes of the body, and returns whether there were more. */
export async function readUpTo(
  response: Response,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.byteLength;
    if (size > maxBytes) break;
  }
  return { bytes: concatBytes(chunks), isCut: size > maxBytes };
}
