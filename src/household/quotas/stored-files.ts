/**
 * The files of the household in R2, counted when they are stored: by UTC day and member until the cleanup of the day,
 * which counts those that are left, and then as one sum. So a file that a crash left behind is not counted for ever.
 */

/** The member under which the sum of all cleaned up days is stored. */
const SUM_DAY = "";
const ALL_MEMBERS = "";

export interface FileCount {
  files: number;
  bytes: number;
}

const toDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

export class StoredFiles {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(actor: string, { files, bytes }: FileCount, now: number): void {
    this.#sql.exec(
      `INSERT INTO stored_files (day, actor, files, bytes) VALUES (?, ?, ?, ?)
       ON CONFLICT (day, actor) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes`,
      toDay(now),
      actor,
      files,
      bytes,
    );
  }

  /** Subtracts files that were counted today or yesterday. */
  subtract(actor: string, { files, bytes }: FileCount, now: number): void {
    this.#sql.exec(
      `UPDATE stored_files SET files = max(0, files - ?1), bytes = max(0, bytes - ?2)
       WHERE actor = ?3 AND day = (SELECT max(day) FROM stored_files WHERE actor = ?3 AND day <= ?4)`,
      files,
      bytes,
      actor,
      toDay(now),
    );
  }

  /** The bytes of all files. */
  countBytes(): number {
    const { bytes } = this.#sql
      .exec<{ bytes: number }>("SELECT coalesce(sum(bytes), 0) AS bytes FROM stored_files")
      .one();
    return bytes;
  }

  /** Files and bytes of each member today. */
  listToday(now: number): ({ actor: string } & FileCount)[] {
    return this.#sql
      .exec<{ actor: string; files: number; bytes: number }>(
        "SELECT actor, files, bytes FROM stored_files WHERE day = ? ORDER BY actor",
        toDay(now),
      )
      .toArray();
  }

  /** Replaces the counts of all days up to `day`, and their sum, by the bytes that are stored. */
  recount(day: string, bytes: number): void {
    this.#sql.exec("DELETE FROM stored_files WHERE day = ?", SUM_DAY);
    this.settle(day, bytes);
  }

  /** Replaces the counts up to the day by the bytes that the cleanup has found. */
  settle(day: string, bytes: number): void {
    this.#sql.exec("DELETE FROM stored_files WHERE day <= ? AND day <> ?", day, SUM_DAY);
    if (bytes > 0)
      this.#sql.exec(
        `INSERT INTO stored_files (day, actor, files, bytes) VALUES (?, ?, 0, ?)
         ON CONFLICT (day, actor) DO UPDATE SET bytes = bytes + excluded.bytes`,
        SUM_DAY,
        ALL_MEMBERS,
        bytes,
      );
  }
}

/** Seconds until the next UTC day, when the counts of a day start again. */
export const getSecondsToNextDay = (now: number): number =>
  Math.ceil((Date.parse(toDay(now)) + 86_400_000 - now) / 1_000);
