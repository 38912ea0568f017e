/** The content of one revision of a draft, and its digest, which an approval names. Pure. */
import { toCanonicalJson } from "../json.ts";
import { computeSha256 } from "../sha256.ts";

/** Bytes in R2 that are sent with the draft. */
export interface DraftAttachment {
  key: string;
  name: string;
  mime: string;
  size: number;
}

export interface DraftContent {
  /** Mail addresses or chat ids. */
  to: string[];
  subject?: string;
  body: string;
  attachments: DraftAttachment[];
  /** It passes the message on to others. */
  forward?: true;
}

/**
 * SHA-256 in hex over everything that is sent, and where. The revision is part of it, so that an approval of an earlier
 * revision with the same text is void.
 */
export function computeDraftDigest(
  content: DraftContent,
  about: { source: string; draft: string; message: string | undefined; revision: number },
): string {
  const { subject = null, forward = false } = content;
  const { message = null } = about;
  return computeSha256(toCanonicalJson({ ...content, subject, forward, ...about, message }));
}
