/** Reads the bytes of a thread's file: an object in R2, or data that is kept in a message. */
import { decodeBase64 } from "../bytes.ts";
import type { Attachment } from "../mess/envelope.ts";
import type { InlineFile } from "../mess/messe-af/resource-documents.ts";
import { readDataUri } from "../mess/wire/content/data-uri.ts";
import type { ByteRange } from "./range-request.ts";
import { SNIFF_BYTES, sniffMime } from "./sniff-mime.ts";

export type StoredFileHead = Pick<R2Object, "size" | "httpMetadata">;

interface OpenedFile extends StoredFileHead {
  readonly body: ReadableStream;
}

/** The methods of an R2 bucket that serving a file needs. */
export interface FileStore {
  head(key: string): Promise<StoredFileHead | null>;
  get(key: string, options?: { range?: ByteRange }): Promise<OpenedFile | null>;
}

interface FileWithStore {
  store: FileStore;
  attachment: Attachment;
}

/** Returns the file as an attachment, and the store that has its key. */
export function locateFile(bucket: R2Bucket, file: Attachment | InlineFile): FileWithStore {
  if ("key" in file) return { store: bucket, attachment: file };
  const { data, ...described } = file;
  const uri = readDataUri(data);
  const bytes = decodeBase64(uri?.base64 ?? "") ?? new Uint8Array();
  const mime = sniffMime(bytes.subarray(0, SNIFF_BYTES), file.mime);
  const attachment = { ...described, mime, size: bytes.byteLength, key: `inline/${file.name}` };
  return { store: createInlineStore(bytes, mime), attachment };
}

function createInlineStore(bytes: Uint8Array<ArrayBuffer>, mime: string): FileStore {
  const head = { size: bytes.byteLength, httpMetadata: { contentType: mime } };
  return {
    head: async () => head,
    get: async (_key, { range } = {}) => {
      const { offset = 0, length = bytes.byteLength } = range ?? {};
      const { body } = new Response(bytes.subarray(offset, offset + length));
      return body ? { ...head, body } : null;
    },
  };
}
