/** File names as senders give them. They are kept beside the name under which the thread stores the file. */

export const MAX_FILE_NAME_CHARACTERS = 255;
/** The dot included. */
const MAX_EXTENSION_CHARACTERS = 16;

/** The start of a name that is too long, with its extension. Every name that comes in is cut by this function. */
export function cutFileName(name: string): string {
  if (name.length <= MAX_FILE_NAME_CHARACTERS) return name;
  const dot = name.lastIndexOf(".");
  const extension = dot >= name.length - MAX_EXTENSION_CHARACTERS ? name.slice(dot) : "";
  const end = MAX_FILE_NAME_CHARACTERS - extension.length;
  // Half of a surrogate pair is no character, and cannot be written as UTF-8.
  const isSplit = /[\uD800-\uDBFF]/.test(name[end - 1]!);
  return name.slice(0, isSplit ? end - 1 : end) + extension;
}
