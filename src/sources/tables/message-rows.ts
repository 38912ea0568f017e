/** The rows of messages, as they are stored. */
import type { SourceAttachment, StoredBytes } from "../../contracts/sources.ts";
import type {
  AutomaticKind,
  ClassifiedBy,
  SourceMessageStatus,
  Tier,
  Urgency,
} from "../../mess/sources/vocabulary.ts";

/** A message in lists. */
export interface ListedMessage {
  seq: number;
  id: string;
  external_id: string;
  /** Milliseconds since 1970; rises with `seq`. */
  received: number;
  timestamp: number;
  status: SourceMessageStatus;
  tier: Tier | null;
  reason: string | null;
  classified_by: ClassifiedBy | null;
  provisional: 0 | 1;
  urgency: Urgency;
  seen: 0 | 1;
  flagged: 0 | 1;
  automatic: AutomaticKind | null;
  /** Id of the newest draft that is not discarded. */
  draft: string | null;
  sender: string;
  sender_name: string | null;
  subject: string | null;
  excerpt: string;
  attachments: number;
}

/** The bytes of a message in R2. */
export interface MessageFiles {
  raw?: StoredBytes;
  attachments: SourceAttachment[];
}

export interface SourceMessageDetails {
  recipient: string;
  channel: string;
  headers: [name: string, value: string][];
  /** Provider ids of the messages to which it replies, the nearest first. */
  references: string[];
  /** Ids of its drafts, the oldest first. */
  drafts: string[];
  /** Corrected classifications, the oldest first; `until` is in milliseconds since 1970. */
  former?: { tier: Tier; reason: string; by: ClassifiedBy; until: number }[];
}

export interface StoredSourceMessage extends ListedMessage {
  files: MessageFiles;
  details: SourceMessageDetails;
  body: string;
}

/** The columns of a list, none of which is long. */
export const LISTED_COLUMNS = `seq, id, external_id, received, timestamp, status, tier, reason, classified_by,
  provisional, urgency, seen, flagged, automatic, draft, sender, sender_name, subject, excerpt, attachments`;

export type ListedRow = ListedMessage & Record<string, SqlStorageValue>;

export interface MessageRow extends Record<string, SqlStorageValue> {
  files: string | null;
  details: string;
  body: string;
}

const NO_FILES: MessageFiles = { attachments: [] };

export const readFiles = (json: string | null): MessageFiles =>
  json === null ? NO_FILES : (JSON.parse(json) as MessageFiles);

export const toStoredMessage = ({
  files,
  details,
  ...row
}: ListedRow & MessageRow): StoredSourceMessage => ({
  ...row,
  files: readFiles(files),
  details: JSON.parse(details) as SourceMessageDetails,
});

/** All keys in R2 of a message. */
export const listKeys = ({ raw, attachments }: MessageFiles): string[] => [
  ...(raw ? [raw.key] : []),
  ...attachments.map(({ key }) => key),
];

/** The bytes of a message in R2. */
export const sumBytes = ({ raw, attachments }: MessageFiles): number =>
  attachments.reduce((sum, { size }) => sum + size, raw?.size ?? 0);
