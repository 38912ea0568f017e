/** The history of an envelope beside the rows that the messages account for (decision 37). */
import type { HistoryEntry } from "../envelope.ts";
import { isFinal, type Status, STATUSES } from "../status.ts";
import { readTime } from "../times.ts";
import { EXCHANGE } from "./read-document.ts";
import type { Act, ShownRow } from "./replayed-thread.ts";

export interface Aligned {
  /** Each row of the envelope with the message row that it is, where there is one. */
  rows: { row: HistoryEntry; shown?: ShownRow }[];
  /** Message rows that the envelope lacks, each with the number of the envelope's rows before it. */
  missing: { shown: ShownRow; before: number }[];
}

const instant = (text: string): number | undefined => readTime(text, "UTC");
const sameTime = (one: string, other: string): boolean =>
  one === other || instant(one) === instant(other);

/** The same step: by its ref, or by who and when where the file's refs are another exchange's, or none. */
function isSame(row: HistoryEntry, shown: HistoryEntry): boolean {
  if (row.action !== shown.action) return false;
  if (row.ref === shown.ref)
    return row.ref !== undefined || row.by === shown.by || shown.action === "created";
  if (row.ref === undefined) return row.by === shown.by;
  return shown.ref !== undefined && row.by === shown.by && sameTime(row.at, shown.at);
}

/** Pairs the rows in order, each with the next one that is the same. */
export function align(history: readonly HistoryEntry[], shown: readonly ShownRow[]): Aligned {
  const rows: Aligned["rows"] = history.map((row) => ({ row }));
  const missing: Aligned["missing"] = [];
  let next = 0;
  for (const one of shown) {
    const found = rows.findIndex(({ row }, index) => index >= next && isSame(row, one.row));
    if (found < 0) missing.push({ shown: one, before: next });
    else {
      rows[found]!.shown = one;
      next = found + 1;
    }
  }
  return { rows, missing };
}

const isStatus = (action: string): action is Status => STATUSES.some((status) => status === action);

/** What the exchange did without saying so in a message: the history alone has it. */
const isAct = (row: HistoryEntry): boolean =>
  row.by === EXCHANGE &&
  row.ref === undefined &&
  (isStatus(row.action) || row.action === "released");

/**
 * The exchange's silent acts, by the document after which they stand: between the documents of the rows around them,
 * and of those that have no row after the ones that had come by then.
 * @param received when each document came
 */
export function actsOf({ rows }: Aligned, received: readonly string[]): Map<number, Act[]> {
  const acts = new Map<number, Act[]>();
  const nexts = rows.map(({ shown }) => shown?.document);
  let document = 0;
  for (const [index, { row, shown }] of rows.entries()) {
    if (shown) document = Math.max(document, shown.document);
    else if (isAct(row)) {
      const next = nexts.slice(index).find((one) => one !== undefined) ?? received.length;
      while (document + 1 < next && !isLater(received[document + 1]!, row.at)) document++;
      acts.set(document, [...(acts.get(document) ?? []), row]);
    }
  }
  return acts;
}

const isLater = (one: string, other: string): boolean =>
  (instant(one) ?? 0) > (instant(other) ?? 0);

/**
 * One history of both: rows that the messages account for say what those say, rows of no message stay where they
 * are, and a status that no message and no act of the exchange shows is left out.
 * @param last the thread's status, whose row may stand though no message shows it
 * @param differences told of every row that changed
 */
export function mergeHistory(
  { rows, missing }: Aligned,
  last: Status,
  differences: string[],
): HistoryEntry[] {
  const merged: HistoryEntry[] = [];
  let at = 0;
  const insert = (index: number): void => {
    for (let one = missing[at]; one && one.before <= index; one = missing[++at]) {
      merged.push(one.shown.row);
      differences.push(`history: ${one.shown.row.action} by ${one.shown.row.by} was missing`);
    }
  };
  for (const [index, { row, shown }] of rows.entries()) {
    insert(index);
    if (shown) merged.push(corrected(row, shown.row, index, differences));
    else if (isAct(row) || !(isStatus(row.action) || row.action === "created")) merged.push(row);
    else if (row.action === last && isFinal(last)) merged.push(row);
    else differences.push(`history[${index}]: no message shows ${row.action} by ${row.by}`);
  }
  insert(rows.length);
  return merged;
}

function corrected(
  row: HistoryEntry,
  shown: HistoryEntry,
  index: number,
  differences: string[],
): HistoryEntry {
  const { action, by, ref } = shown;
  const at = sameTime(row.at, shown.at) ? row.at : shown.at;
  for (const [key, is, says] of [
    ["at", at, row.at],
    ["by", by, row.by],
    // A row without a ref, as v1 has it, gets the ref of its message.
    ["ref", ref, row.ref ?? ref],
  ] as const)
    if (is !== says) differences.push(`history[${index}].${key}: ${says} is ${is}`);
  return {
    action,
    at,
    by,
    ...(ref === undefined ? {} : { ref }),
    ...(row.note === undefined ? {} : { note: row.note }),
  };
}
