import { fileTokens } from "../mess/content.ts";
import type { MessError } from "../mess/errors.ts";
import type { Message } from "../mess/schema.ts";
import type { SentFile } from "./blobs.ts";

/** A refusal where a file was sent that no message names: it would be lost without a word. */
export function fileFault(
  messages: readonly Message[],
  files: readonly SentFile[],
): MessError | undefined {
  const named = new Set(messages.flatMap(fileTokens));
  if (files.every(({ name }) => named.has(name))) return undefined;
  return {
    code: "bad_attachment",
    message: "a file was sent that no message names",
    hint: "Name each file by its file name in an entry, as in image: {file: photo.jpg}.",
    ...(named.size > 0 ? { valid: [...named].slice(0, 10) } : {}),
  };
}
