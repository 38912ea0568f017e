/** Files on their way into a thread. Types only. */

/** Bytes that are stored in R2 and that a message refers to by `token`. */
export interface StagedBlob {
  /** The value of an entry's `file` until the thread names the attachment: `upload-{id}`. */
  token: string;
  /** R2 object key. */
  key: string;
  kind: "image" | "audio" | "video" | "file";
  mime: string;
  size: number;
  original?: string;
}

/** A file that is to be uploaded in parts. */
export interface NewMultipartUpload {
  id: string;
  /** The uploader; only this member may continue the upload. */
  actor: string;
  /** The MIME type that the sender stated. */
  declared: string;
  /** Bytes of the whole file. */
  size: number;
  original?: string;
  /** Keep the location and other metadata, which are removed otherwise. */
  keepMetadata?: boolean;
}

export interface MultipartUpload extends NewMultipartUpload {
  /** Bytes stored so far. */
  offset: number;
  pieces: { number: number; etag: string }[];
  /** Bytes of each part but the last; known after the first part. */
  piece?: number;
  /** R2 key and upload id of the parts, and the MIME type of the file. */
  key?: string;
  multipart?: string;
  mime?: string;
  /** Refers to the complete file in a message. */
  token?: string;
}

/** A part that is stored in R2. */
export interface StoredPart {
  from: number;
  length: number;
  number: number;
  etag: string;
  key: string;
  multipart: string;
  mime: string;
}
