/** The original names of files as senders give them, stored beside the attachment's own name. */

export const MAX_FILE_NAME_CHARACTERS = 255;
/** Including the dot. */
const MAX_EXTENSION_CHARACTERS = 16;

/** Shortens a name to the limit and keeps its extension. Applied to every name that a sender gives. */
export function cutFileName(name: string): string {
  if (name.length <= MAX_FILE_NAME_CHARACTERS) return name;
  const dot = name.lastIndexOf(".");
  const extension = dot >= name.length - MAX_EXTENSION_CHARACTERS ? name.slice(dot) : "";
  const end = MAX_FILE_NAME_CHARACTERS - extension.length;
  // Half of a surrogate pair is not a character and cannot be written as UTF-8.
  const isSplit = /[\uD800-\uDBFF]/.test(name[end - 1]!);
  return name.slice(0, isSplit ? end - 1 : end) + extension;
}
