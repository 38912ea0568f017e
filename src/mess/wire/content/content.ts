/** Operations on all entries of a message: extracting inline data, naming files, collecting text for search. */
import { isDataUri, readDataUri } from "./data-uri.ts";
import type { Entry } from "./entries.ts";
import { isMap, type Json, type JsonMap } from "../../json.ts";
import { LIMITS } from "../../limits.ts";
import { isMedia, type Media } from "./media.ts";
import { getAttachmentKind } from "../../refs.ts";
import type { Block, Message } from "../schema.ts";

/** Inline data of a message that becomes an attachment (decision 60). */
export interface InlineData {
  /** The value of the entry's `file` that replaces the data. */
  token: string;
  kind: Media;
  mime: string;
  /** Decoded bytes. */
  size: number;
  /** The name that the sender gave the file. */
  original?: string;
  base64: string;
}

/** Name and description of a stored file. */
export interface StoredFile {
  file: string;
  mime: string;
  size: number;
  name?: string;
}

const ENTRY_LISTS = ["context", "content"];

/** Returns the message with the value of every media entry replaced by `change(value)`: a copy, if it has entries. */
export const mapMedia = (message: Message, change: (value: Json) => Json): Message =>
  mapEntries(message, (entry) =>
    typeof entry === "string"
      ? entry
      : Object.fromEntries(
          Object.entries(entry).map(([key, value]) => [key, isMedia(key) ? change(value) : value]),
        ),
  );

/**
 * Returns the message with every entry replaced by `change`: a copy, if it has entries.
 * @param change gets the entry and the values of its media
 */
export function mapEntries(
  message: Message,
  change: (entry: Entry, media: readonly Json[]) => Entry,
): Message {
  if (!message.blocks.some(({ body }) => ENTRY_LISTS.some((list) => list in body))) return message;
  const mapEntry = (entry: Entry): Entry => {
    const keys = typeof entry === "string" ? [] : Object.keys(entry).filter(isMedia);
    return change(
      entry,
      keys.map((key) => (entry as JsonMap)[key]!),
    );
  };
  const blocks = message.blocks.map((block) => {
    const body: JsonMap = { ...(block.body as JsonMap) };
    for (const list of ENTRY_LISTS)
      if (Array.isArray(body[list])) body[list] = (body[list] as Entry[]).map(mapEntry);
    return { type: block.type, body } as Block;
  });
  return { ...message, blocks };
}

/**
 * Replaces each data URI longer than `LIMITS.attachAboveBytes` by a reference to its token, and returns the data.
 * @param nextToken returns a new token at each call
 */
export function extractInlineData(
  message: Message,
  nextToken: () => string,
): { message: Message; inline: InlineData[] } {
  const inline: InlineData[] = [];
  const changed = mapMedia(message, (value) => {
    const { uri, name, ...otherFields } = isMap(value) ? value : { uri: value };
    if (typeof uri !== "string" || uri.length <= LIMITS.attachAboveBytes || !isDataUri(uri))
      return value;
    const data = readDataUri(uri);
    if (!data) return value;
    const { mime, size, base64 } = data;
    const token = nextToken();
    const original = typeof name === "string" ? { original: name } : {};
    inline.push({ token, kind: getAttachmentKind(mime), mime, size, ...original, base64 });
    return {
      file: token,
      ...(typeof name === "string" ? { name } : {}),
      mime,
      size,
      ...otherFields,
    };
  });
  return { message: changed, inline };
}

/** Lists the distinct `file:` values of the message's entries, in order. */
export function listFileTokens(message: Message): string[] {
  const tokens = new Set<string>();
  mapMedia(message, (value) => {
    if (isMap(value) && typeof value.file === "string") tokens.add(value.file);
    return value;
  });
  return [...tokens];
}

/**
 * Writes references to stored files in the MESSE-AF form: `file`, `name`, `mime`, `size`. A name that the sender
 * gave takes precedence over the stored name; mime and size are always those of the stored file.
 */
export const nameAttachments = (
  message: Message,
  names: ReadonlyMap<string, StoredFile>,
): Message =>
  mapMedia(message, (value) => {
    const stored =
      isMap(value) && typeof value.file === "string" ? names.get(value.file) : undefined;
    if (!stored) return value;
    const { file: _file, name: given, mime: _mime, size: _size, ...otherFields } = value as JsonMap;
    const name = typeof given === "string" ? given : stored.name;
    return {
      file: stored.file,
      ...(name === undefined || name === stored.file ? {} : { name }),
      mime: stored.mime,
      size: stored.size,
      ...otherFields,
    };
  });

/** Copies entries for another thread: files of thread `ref` become `content://` resources (decision 62). */
export function toForeignEntries(list: readonly Entry[], ref: string): Entry[] {
  const body = { content: [...list] };
  const { blocks } = mapMedia({ blocks: [{ type: "response", body }] }, (value) => {
    if (!isMap(value) || typeof value.file !== "string") return value;
    const { file, ...otherFields } = value;
    return { resource: `content://${ref}/${file}`, ...otherFields };
  });
  return (blocks[0]!.body as typeof body).content;
}

/** Returns the text of entries for search, one line each: texts and names, without data. */
export const toPlainText = (list: readonly Entry[]): string =>
  list
    .flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.entries(entry).flatMap(listTexts),
    )
    // Some stores truncate a text at a control character.
    .map((text) => text.replaceAll(/\p{Cc}+/gu, " ").trim())
    .filter((text) => text !== "")
    .join("\n");

function listTexts([kind, value]: [string, Json]): string[] {
  if (kind === "embedding") return [];
  if (!isMedia(kind)) return listLeaves(value);
  return isMap(value) && typeof value.name === "string" ? [value.name] : [];
}

function listLeaves(value: Json): string[] {
  if (typeof value === "string") return isDataUri(value) ? [] : [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(listLeaves);
}
