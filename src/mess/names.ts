/** Formats of the names that a sender may give or refer to (decisions 4, 5, 61, 62). */
import { MAX_FILE_NAME_CHARACTERS } from "./file-names.ts";
import { LIMITS } from "./limits.ts";

const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;
const FILE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** True for a valid id that a sender gives to a request, question or suggestion. */
export const isId = (text: string): boolean =>
  text.length <= LIMITS.nameChars && ID_PATTERN.test(text);

/** True for a thread ref, a message ref, a client id or `last`. */
export function isTarget(text: string): boolean {
  if (text.length > LIMITS.targetChars) return false;
  const parts = text.split("/", 3);
  return parts.length <= 2 && parts.every(isId);
}

/** An upload by link: `upload-`, the day on which the link was made, and a random part. */
const UPLOAD_PATTERN = /^upload-(\d{4}-\d\d-\d\d)-[0-9a-f-]{36}$/;

/** The day in the id of an upload by link; undefined for any other name. */
export const findUploadDay = (text: string): string | undefined =>
  text.length <= LIMITS.nameChars ? UPLOAD_PATTERN.exec(text)?.[1] : undefined;

/** True for a file name of a thread: one path segment, without `..`, so that no path leaves its folder. */
export const isFileName = (text: string): boolean =>
  text.length <= MAX_FILE_NAME_CHARACTERS && FILE_PATTERN.test(text) && !text.includes("..");

/** True for `content://{thread}/{file}` or `content://{thread}/{message}/{file}` (decision 62). */
export function isResource(text: string): boolean {
  if (text.length > LIMITS.resourceChars) return false;
  const found = /^content:\/\/(.+)$/.exec(text);
  const parts = found?.[1]!.split("/") ?? [];
  return (
    (parts.length === 2 || parts.length === 3) &&
    parts.slice(0, -1).every(isId) &&
    isFileName(parts.at(-1)!)
  );
}
