/** Moves inline data of version 1 files into attachments of the thread (decision 60). */
import { defined } from "../defined.ts";
import {
  type InlineData,
  nameAttachments,
  type StoredFile,
  extractInlineData,
} from "../wire/content/content.ts";
import type { MessageDocument } from "../envelope.ts";
import { buildAttachmentName } from "../refs.ts";
import { toBlocks, toItem } from "./document-items.ts";
import { createDocumentNamer, type ReadDocument } from "./read-document.ts";

export interface DetachedFile {
  /** The attachment's name (decision 61). */
  name: string;
  /** The serial of its message, 0 for the request. */
  serial: number;
  data: InlineData;
}

/**
 * Replaces every data URI above 4 KB by the name of an attachment, and returns the documents and the data. Equal
 * documents get equal names.
 * @param isNameTaken whether the thread already has an attachment of this name
 */
export function detachInline(
  documents: readonly ReadDocument[],
  isNameTaken: (name: string) => boolean,
): { messages: MessageDocument[]; detached: DetachedFile[] } {
  const nameDocument = createDocumentNamer();
  const detached: DetachedFile[] = [];
  const names = new Set<string>();
  const isTaken = (name: string): boolean => isNameTaken(name) || names.has(name);
  const messages = documents.map((read) => {
    const serial = Number(/\d{3,}/.exec(nameDocument(read) ?? "")?.[0] ?? 0);
    const MESS = read.document.MESS.map((item) => {
      const { message, inline } = extractInlineData(
        { blocks: toBlocks(item) },
        createTokenGenerator(),
      );
      if (inline.length === 0) return item;
      const stored = new Map<string, StoredFile>();
      for (const data of inline) {
        const { kind, mime, size, original, token } = data;
        const name = buildAttachmentName(serial, kind, original, mime, isTaken);
        names.add(name);
        detached.push({ name, serial, data });
        stored.set(token, {
          file: name,
          mime,
          size,
          ...defined({ name: original }),
        });
      }
      return toItem(nameAttachments(message, stored).blocks);
    });
    return { ...read.document, MESS };
  });
  return { messages, detached };
}

function createTokenGenerator(): () => string {
  let count = 0;
  return () => `inline-${++count}`;
}
