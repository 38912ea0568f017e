/** What the messages of a thread show, in the terms of its envelope. */
import type { HistoryEntry } from "../envelope.ts";
import type { Status } from "../status.ts";

/** A row that the message of `document` accounts for. */
export interface ReplayedRow {
  row: HistoryEntry;
  /** Index of the document. */
  document: number;
}

/** What the exchange did without a message: a status, or `released`. Files of others tell it in the history only. */
export interface SilentAction {
  action: string;
}

export interface ReplayedThread {
  status: Status;
  executor: string | null;
  delegated_to?: string;
  superseded_by?: string;
  rows: ReplayedRow[];
  /** A bare response stands last: the exchange may have completed the thread upon it (decision 28). */
  responded: boolean;
  /** A candidate declined, and nobody holds the thread: the others may have too (decision 31). */
  declined: boolean;
  /** Messages that came after the end, by document. */
  late: number[];
}
