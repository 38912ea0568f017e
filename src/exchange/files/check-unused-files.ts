import { listFileTokens } from "../../mess/wire/content/content.ts";
import type { MessError } from "../../mess/errors.ts";
import type { Message } from "../../mess/wire/schema.ts";
import type { SentFile } from "./message-files.ts";

/** Refuses a file that no message names, since it would be lost silently. */
export function checkFilesUsed(
  messages: readonly Message[],
  files: readonly SentFile[],
): MessError | undefined {
  const usedTokens = new Set(messages.flatMap(listFileTokens));
  if (files.every(({ name }) => usedTokens.has(name))) return undefined;
  return {
    code: "bad_attachment",
    message: "a file was sent that no message names",
    hint: "Name each file by its file name in an entry, as in image: {file: photo.jpg}.",
    ...(usedTokens.size > 0 ? { valid: [...usedTokens].slice(0, 10) } : {}),
  };
}

/**
 * Refuses a request that names a file which was not sent with it. A new thread has no other files, and the check
 * must come before a ref is assigned.
 */
export function checkFilesSent(
  requests: readonly Message[],
  files: readonly SentFile[],
): MessError | undefined {
  const usedTokens = new Set(requests.flatMap(listFileTokens));
  for (const { name } of files) usedTokens.delete(name);
  if (usedTokens.size === 0) return undefined;
  return {
    code: "unknown_attachment",
    message: "the request names a file that was not sent with it",
    hint: "Send the file with the request, as multipart/form-data, under the name that the request uses.",
  };
}
