/** Aligns the history of an envelope with the rows that the messages show (decision 37). */
import { defined } from "../defined.ts";
import type { HistoryEntry } from "../envelope.ts";
import { isFinal, type Status, STATUSES } from "../status.ts";
import { readTime } from "../times.ts";
import { EXCHANGE } from "./read-document.ts";
import type { SilentAction, ReplayedRow } from "./replayed-thread.ts";

export interface AlignedHistory {
  /** Each row of the envelope with its matching message row, if any. */
  rows: { row: HistoryEntry; replayed?: ReplayedRow }[];
  /** Message rows that the envelope lacks, with the number of envelope rows before each. */
  missing: { replayed: ReplayedRow; before: number }[];
}

const toInstant = (text: string): number | undefined => readTime(text, "UTC");
const isSameTime = (one: string, other: string): boolean =>
  one === other || toInstant(one) === toInstant(other);

/** True for the same action: compared by ref, or by actor and time where the refs differ in format or are missing. */
function isSameRow(row: HistoryEntry, replayed: HistoryEntry): boolean {
  if (row.action !== replayed.action) return false;
  if (row.ref === replayed.ref)
    return row.ref !== undefined || row.by === replayed.by || replayed.action === "created";
  if (row.ref === undefined) return row.by === replayed.by;
  return replayed.ref !== undefined && row.by === replayed.by && isSameTime(row.at, replayed.at);
}

/** Pairs the rows in order, each with the next equal one. */
export function alignHistory(
  history: readonly HistoryEntry[],
  replayed: readonly ReplayedRow[],
): AlignedHistory {
  const rows: AlignedHistory["rows"] = history.map((row) => ({ row }));
  const missing: AlignedHistory["missing"] = [];
  let next = 0;
  for (const one of replayed) {
    const found = rows.findIndex(({ row }, index) => index >= next && isSameRow(row, one.row));
    if (found < 0) missing.push({ replayed: one, before: next });
    else {
      rows[found]!.replayed = one;
      next = found + 1;
    }
  }
  return { rows, missing };
}

const isStatus = (action: string): action is Status => STATUSES.some((status) => status === action);

/** True for an action of the exchange without a message, which only the history shows. */
const isSilentAction = (row: HistoryEntry): boolean =>
  row.by === EXCHANGE &&
  row.ref === undefined &&
  (isStatus(row.action) || row.action === "released");

/**
 * Lists the exchange's silent actions by the index of the document that they follow: the position is given by the
 * documents of the surrounding rows and, for documents without a row, by their time.
 * @param received the time of each document
 */
export function listSilentActions(
  { rows }: AlignedHistory,
  received: readonly string[],
): Map<number, SilentAction[]> {
  const silentActions = new Map<number, SilentAction[]>();
  const nextDocuments = rows.map(({ replayed }) => replayed?.document);
  let document = 0;
  for (const [index, { row, replayed }] of rows.entries()) {
    if (replayed) document = Math.max(document, replayed.document);
    else if (isSilentAction(row)) {
      const next = nextDocuments.slice(index).find((one) => one !== undefined) ?? received.length;
      while (document + 1 < next && !isLater(received[document + 1]!, row.at)) document++;
      silentActions.set(document, [...(silentActions.get(document) ?? []), row]);
    }
  }
  return silentActions;
}

const isLater = (one: string, other: string): boolean =>
  (toInstant(one) ?? 0) > (toInstant(other) ?? 0);

/**
 * Merges both into one history: rows of messages take the messages' values, other rows keep their place, and a
 * status that neither a message nor the exchange caused is left out.
 * @param last the thread's status, whose row is kept even if no message shows it
 * @param differences receives a text for every changed row
 */
export function mergeHistory(
  { rows, missing }: AlignedHistory,
  last: Status,
  differences: string[],
): HistoryEntry[] {
  const merged: HistoryEntry[] = [];
  let at = 0;
  const insert = (index: number): void => {
    for (let one = missing[at]; one && one.before <= index; one = missing[++at]) {
      merged.push(one.replayed.row);
      differences.push(
        `history: ${one.replayed.row.action} by ${one.replayed.row.by} is missing in the envelope`,
      );
    }
  };
  for (const [index, { row, replayed }] of rows.entries()) {
    insert(index);
    if (replayed) merged.push(correctRow(row, replayed.row, index, differences));
    else if (isSilentAction(row) || !(isStatus(row.action) || row.action === "created"))
      merged.push(row);
    else if (row.action === last && isFinal(last)) merged.push(row);
    else differences.push(`history[${index}]: no message shows ${row.action} by ${row.by}`);
  }
  insert(rows.length);
  return merged;
}

function correctRow(
  row: HistoryEntry,
  replayed: HistoryEntry,
  index: number,
  differences: string[],
): HistoryEntry {
  const { action, by, ref } = replayed;
  const at = isSameTime(row.at, replayed.at) ? row.at : replayed.at;
  for (const [key, replayedValue, statedValue] of [
    ["at", at, row.at],
    ["by", by, row.by],
    // A v1 row without a ref gets the ref of its message.
    ["ref", ref, row.ref ?? ref],
  ] as const)
    if (replayedValue !== statedValue)
      differences.push(`history[${index}].${key}: ${statedValue} is ${replayedValue}`);
  return {
    action,
    at,
    by,
    ...defined({ ref, note: row.note }),
  };
}
