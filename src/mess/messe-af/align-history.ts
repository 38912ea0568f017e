/** The history of an envelope beside the rows that the messages account for (decision 37). */
import type { HistoryEntry } from "../envelope.ts";
import { isFinal, type Status, STATUSES } from "../status.ts";
import { readTime } from "../times.ts";
import { EXCHANGE } from "./read-document.ts";
import type { SilentAction, ReplayedRow } from "./replayed-thread.ts";

export interface AlignedHistory {
  /** Each row of the envelope with the message row that it is, where there is one. */
  rows: { row: HistoryEntry; replayed?: ReplayedRow }[];
  /** Message rows that the envelope lacks, each with the number of the envelope's rows before it. */
  missing: { replayed: ReplayedRow; before: number }[];
}

const toInstant = (text: string): number | undefined => readTime(text, "UTC");
const isSameTime = (one: string, other: string): boolean =>
  one === other || toInstant(one) === toInstant(other);

/** The same step: by its ref, or by who and when where the file's refs are another exchange's, or none. */
function isSameRow(row: HistoryEntry, replayed: HistoryEntry): boolean {
  if (row.action !== replayed.action) return false;
  if (row.ref === replayed.ref)
    return row.ref !== undefined || row.by === replayed.by || replayed.action === "created";
  if (row.ref === undefined) return row.by === replayed.by;
  return replayed.ref !== undefined && row.by === replayed.by && isSameTime(row.at, replayed.at);
}

/** Pairs the rows in order, each with the next one that is the same. */
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

/** What the exchange did without saying so in a message: the history alone has it. */
const isSilentAction = (row: HistoryEntry): boolean =>
  row.by === EXCHANGE &&
  row.ref === undefined &&
  (isStatus(row.action) || row.action === "released");

/**
 * The exchange's silent acts, by the document after which they stand: between the documents of the rows around them,
 * and of those that have no row after the ones that had come by then.
 * @param received when each document came
 */
export function listSilentActions(
  { rows }: AlignedHistory,
  received: readonly string[],
): Map<number, SilentAction[]> {
  const silentActions = new Map<number, SilentAction[]>();
  const nexts = rows.map(({ replayed }) => replayed?.document);
  let document = 0;
  for (const [index, { row, replayed }] of rows.entries()) {
    if (replayed) document = Math.max(document, replayed.document);
    else if (isSilentAction(row)) {
      const next = nexts.slice(index).find((one) => one !== undefined) ?? received.length;
      while (document + 1 < next && !isLater(received[document + 1]!, row.at)) document++;
      silentActions.set(document, [...(silentActions.get(document) ?? []), row]);
    }
  }
  return silentActions;
}

const isLater = (one: string, other: string): boolean =>
  (toInstant(one) ?? 0) > (toInstant(other) ?? 0);

/**
 * One history of both: rows that the messages account for say what those say, rows of no message stay where they
 * are, and a status that no message and no act of the exchange shows is left out.
 * @param last the thread's status, whose row may stand though no message shows it
 * @param differences told of every row that changed
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
      differences.push(`history: ${one.replayed.row.action} by ${one.replayed.row.by} was missing`);
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
  for (const [key, replayedValue, stated] of [
    ["at", at, row.at],
    ["by", by, row.by],
    // A row without a ref, as v1 has it, gets the ref of its message.
    ["ref", ref, row.ref ?? ref],
  ] as const)
    if (replayedValue !== stated)
      differences.push(`history[${index}].${key}: ${stated} is ${replayedValue}`);
  return {
    action,
    at,
    by,
    ...(ref === undefined ? {} : { ref }),
    ...(row.note === undefined ? {} : { note: row.note }),
  };
}
