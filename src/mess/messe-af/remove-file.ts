/** Removes a file from a document of a thread: a text takes the place of each entry that shows it. Pure. */
import type { MessageDocument } from "../envelope.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { isDataUri } from "../wire/content/data-uri.ts";
import { mapEntries } from "../wire/content/content.ts";
import { toBlocks, toItem } from "./document-items.ts";

/** A file of a document: a stored one by its name, or the n-th that is kept as data in the document. */
export type FileInDocument = { name: string } | { inline: number };

const isInlineData = (value: Json): boolean => {
  const uri = isMap(value) ? value["uri"] : value;
  return typeof uri === "string" && isDataUri(uri);
};

/** The document with `placeholder` instead of the file; undefined where the document does not have it. */
export function removeFile(
  document: MessageDocument,
  file: FileInDocument,
  placeholder: string,
): MessageDocument | undefined {
  let inlineBefore = 0;
  let isRemoved = false;
  const isFile = (value: Json): boolean =>
    "name" in file
      ? isMap(value) && value["file"] === file.name
      : isInlineData(value) && inlineBefore++ === file.inline;
  const MESS = document.MESS.map((item): JsonMap => {
    const { blocks } = mapEntries({ blocks: toBlocks(item) }, (entry, media) => {
      // Every value is visited, so that inline files are counted as they are named.
      if (!media.map(isFile).includes(true)) return entry;
      isRemoved = true;
      return placeholder;
    });
    return toItem(blocks);
  });
  return isRemoved ? { ...document, MESS } : undefined;
}
