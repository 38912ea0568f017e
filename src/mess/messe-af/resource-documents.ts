/**
 * Shows documents of a thread outside of its directory: each stored file, and each file that is kept as data in its
 * message, becomes a `content://` resource (decision 62).
 */
import { defined } from "../defined.ts";
import type { Attachment, MessageDocument } from "../envelope.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { buildAttachmentName, getAttachmentKind } from "../refs.ts";
import { mapMedia } from "../wire/content/content.ts";
import { isDataUri, readDataUri, writeDataUri } from "../wire/content/data-uri.ts";
import { toBlocks, toItem } from "./document-items.ts";

/** A file that is kept as a data URI in its message. It is named like an attachment. */
export type InlineFile = Omit<Attachment, "key"> & { data: string };

export const buildContentUri = (ref: string, name: string): string => `content://${ref}/${name}`;

interface ResourceDocument {
  document: MessageDocument;
  files: InlineFile[];
}

/**
 * Replaces the files of a document by resources, and returns those that were data. Equal documents give equal names.
 * @param serial the serial of the document, 0 for the request
 * @param isNameTaken whether the thread has an attachment of this name
 */
export function toResourceDocument(
  document: MessageDocument,
  ref: string,
  serial: number,
  isNameTaken: (name: string) => boolean,
): ResourceDocument {
  const files: InlineFile[] = [];
  const isTaken = (name: string): boolean =>
    isNameTaken(name) || files.some((file) => file.name === name);
  const change = (value: Json): Json => {
    const {
      uri,
      file,
      data: _data,
      ...details
    } = isMap(value) ? value : ({ uri: value } as JsonMap);
    if (typeof file === "string") return { resource: buildContentUri(ref, file), ...details };
    const inline = typeof uri === "string" && isDataUri(uri) ? readDataUri(uri) : undefined;
    if (!inline) return value;
    const { mime, size } = inline;
    const original = typeof details.name === "string" ? details.name : undefined;
    const name = buildAttachmentName(serial, getAttachmentKind(mime), original, mime, isTaken);
    files.push({
      name,
      serial,
      mime,
      size,
      ...defined({ original }),
      data: writeDataUri(inline),
    });
    return { resource: buildContentUri(ref, name), ...details, mime, size };
  };
  const MESS = document.MESS.map((item) => {
    const { blocks } = mapMedia({ blocks: toBlocks(item) }, change);
    return toItem(blocks);
  });
  return { document: { ...document, MESS }, files };
}
