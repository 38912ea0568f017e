import type { JsonMap } from "./json.ts";
import type { Status } from "./status.ts";

export type Priority = "background" | "normal" | "elevated" | "urgent";
export const PRIORITIES = ["background", "normal", "elevated", "urgent"] as const;

/** A row of the envelope's history: a status or another action (decision 36). Times are ISO 8601 with offset. */
export interface HistoryEntry {
  action: string;
  at: string;
  by: string;
  /** The message that caused it (`{thread}/{type}-{serial}`), if any. */
  ref?: string;
  note?: string;
}

/** Document 1 of a MESSE-AF file (protocol §13.2), with the keys in the order of the file. */
export interface Envelope {
  ref: string;
  client_id?: string;
  requestor: string;
  executor: string | null;
  status: Status;
  created: string;
  updated: string;
  expires?: string;
  intent: string;
  priority: Priority;
  /** Refs of the threads created by the same message, this one included (decision 43). */
  batch?: string[];
  /** Refs that must complete before this thread is dispatched (decision 42). */
  blocked_by?: string[];
  superseded_by?: string;
  delegated_to?: string;
  history: HistoryEntry[];
  /** Unknown keys of an imported envelope (decision 37). */
  extra?: JsonMap;
}

/** One of the documents 2… of a MESSE-AF file: one message, or one ack of the exchange (decision 14). */
export interface MessageDocument {
  from: string;
  received: string;
  channel?: string;
  re?: string;
  MESS: JsonMap[];
  /** Unknown keys of an imported document. */
  extra?: JsonMap;
}

/** A stored file of a thread. `name` is `att-{serial}-{type}-{original}.{ext}` (protocol §13.4). */
export interface Attachment {
  name: string;
  /** The serial of its message; 0 for the request. */
  serial: number;
  /** The file's original name, where it differs from `name`. */
  original?: string;
  mime: string;
  /** Bytes. */
  size: number;
  /** R2 object key. */
  key: string;
}

/** A whole thread, as a file holds it and as a read returns it. Attachment bytes are stored separately. */
export interface Thread {
  envelope: Envelope;
  messages: MessageDocument[];
}
