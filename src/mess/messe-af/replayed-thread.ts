/** The state that a replay of a thread's messages gives, in the terms of its envelope. */
import type { HistoryEntry } from "../envelope.ts";
import type { Status } from "../status.ts";

/** A history row that the message of `document` causes. */
export interface ReplayedRow {
  row: HistoryEntry;
  /** Index of the document. */
  document: number;
}

/** An action of the exchange without a message: a status or `released`. Only the history of a file shows it. */
export interface SilentAction {
  action: string;
}

export interface ReplayedThread {
  status: Status;
  executor: string | null;
  delegated_to?: string;
  superseded_by?: string;
  rows: ReplayedRow[];
  /** The last message is a response without status: the exchange may have completed the thread (decision 28). */
  responded: boolean;
  /** A candidate declined and the thread has no holder: the others may have declined too (decision 31). */
  declined: boolean;
  /** Indexes of the documents that were received after the end. */
  late: number[];
}
