/** Files of threads by their `content://` URI (decision 62). */
import { encodeBase64 } from "../../../bytes.ts";
import { locateFile } from "../../../attachments/file-store.ts";
import type { DownloadLink } from "../../../auth/links/download-links.ts";
import type { Principal } from "../../../auth/principal.ts";
import { findFile } from "../../../exchange/files/find-file.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { getThreadStub } from "../../../stubs.ts";
import type { Attachment } from "../../../mess/envelope.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { findUploadDay } from "../../../mess/names.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { ok } from "../../../mess/result.ts";
import { buildContentUri } from "../../../mess/messe-af/resource-documents.ts";

/** Maximum bytes of a file sent in one response: as an image for a model, as text, or as a resource. */
export const CONTENT_LIMITS = {
  imageBytes: 700_000,
  textBytes: 400_000,
  resourceBytes: 8_000_000,
} as const;

export interface ContentRef {
  thread: string;
  file: string;
}

const CONTENT_URI_PATTERN = /^content:\/\/([^/?#]+)\/(?:[^/?#]+\/)?([^/?#]+)$/;

/** Parses `content://{thread}/{file}` and `content://{thread}/{message}/{file}`: names are unique within a thread. */
export function readContentUri(uri: string): Outcome<ContentRef> {
  const [, thread, file] =
    uri.length > LIMITS.urlChars ? [] : (CONTENT_URI_PATTERN.exec(uri.trim()) ?? []);
  try {
    if (thread !== undefined && file !== undefined)
      return ok({ thread: decodeURIComponent(thread), file: decodeURIComponent(file) });
  } catch {
    // Invalid percent-encoding: refused below.
  }
  return refuse(
    "bad_parameter",
    "uri: not a file URI",
    "Copy a content://{ref}/{file} URI from a result.",
  );
}

export interface OpenedContent {
  uri: string;
  /** The data from which a download link for the file is made. */
  link: DownloadLink;
  attachment: Attachment;
  /** The sender. */
  from: string;
  /** Opens the bytes once more. */
  reopen: () => Promise<ReadableStream<Uint8Array> | undefined>;
  body: {
    base64(): Promise<string>;
    text(): Promise<string>;
    cancel(): Promise<void>;
  };
}

/**
 * Finds the file and opens its bytes. The media type is the one detected on upload, not the one that the sender
 * claimed.
 */
export async function openContent(
  env: ExchangeBindings,
  principal: Principal,
  { thread, file }: ContentRef,
): Promise<Outcome<OpenedContent>> {
  const found = await findFile(env, principal, thread, file);
  if (!found.ok) return found;
  const { ref } = found.value;
  const isUpload = findUploadDay(ref) !== undefined;
  const view = isUpload
    ? undefined
    : await getThreadStub(env, principal.household, ref).readResources(principal);
  const { store, attachment } = locateFile(env.BLOBS, found.value.file);
  const object = await store.get(attachment.key);
  if (!object)
    return refuse(
      "not_found",
      "the file's bytes are no longer stored",
      "Ask its sender for the file again.",
    );
  const mime = object.httpMetadata?.contentType ?? "application/octet-stream";
  const uri = buildContentUri(ref, attachment.name);
  const messages = view?.ok ? view.value.messages : [];
  const sender = messages.find(({ MESS }) => JSON.stringify(MESS).includes(uri));
  const body = new Response(object.body);
  return ok({
    uri,
    link: { principal, ref, file: attachment.name },
    attachment: { ...attachment, mime, size: object.size },
    from:
      sender?.from ?? (isUpload ? "the person with your upload link" : "somebody in this thread"),
    reopen: async () => (await store.get(attachment.key))?.body,
    body: {
      base64: async () => encodeBase64(new Uint8Array(await body.arrayBuffer())),
      text: () => body.text(),
      cancel: async () => await object.body.cancel(),
    },
  });
}
