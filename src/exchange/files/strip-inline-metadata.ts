/** Removes location and other metadata from the photos that a message contains as data URIs. */
import { decodeBase64, encodeBase64 } from "../../bytes.ts";
import { stripMetadata } from "../../attachments/metadata/strip-metadata.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { mapMedia } from "../../mess/wire/content/content.ts";
import { isDataUri, readDataUri, writeDataUri } from "../../mess/wire/content/data-uri.ts";
import type { Message } from "../../mess/wire/schema.ts";

const readUri = (value: Json): string | undefined => {
  const uri = isMap(value) ? value.uri : value;
  return typeof uri === "string" && isDataUri(uri) ? uri : undefined;
};

/** Returns the message with each data URI replaced whose bytes contain metadata; the others stay as they were sent. */
export async function stripInlineMetadata(message: Message): Promise<Message> {
  const uris = new Set<string>();
  mapMedia(message, (value) => {
    const uri = readUri(value);
    if (uri !== undefined) uris.add(uri);
    return value;
  });
  const replaced = new Map<string, string>();
  for (const uri of uris) {
    const data = readDataUri(uri);
    const bytes = data && decodeBase64(data.base64);
    if (!data || !bytes) continue;
    const stripped = await stripMetadata(bytes);
    if (stripped !== bytes)
      replaced.set(uri, writeDataUri({ mime: data.mime, base64: encodeBase64(stripped) }));
  }
  if (replaced.size === 0) return message;
  return mapMedia(message, (value) => {
    const uri = replaced.get(readUri(value) ?? "");
    if (uri === undefined) return value;
    return isMap(value) ? { ...value, uri } : uri;
  });
}
