/** Notices about classified messages, in SQLite: those that interrupt the owner, and those that wait for the digest. */
import type { MessageNotice, NoticeView } from "../../contracts/household-sources.ts";
import type { Tier, Urgency } from "../../mess/sources/vocabulary.ts";
import { writeTime } from "../../mess/times.ts";

/** Part of a released migration: change the table by a new migration only. `pending`: for the next digest, since `posted`. */
export const NOTICES_TABLE = `
  CREATE TABLE message_notices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    message TEXT NOT NULL,
    tier TEXT NOT NULL,
    urgency INTEGER NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    posted INTEGER NOT NULL,
    UNIQUE (source, message)
  );
  CREATE INDEX message_notices_pending ON message_notices (seq) WHERE pending = 1;
  CREATE INDEX message_notices_notify ON message_notices (seq) WHERE tier = 'NOTIFY';`;

const RETENTION_MS = 30 * 86_400_000;
const MAX_NOTICES = 20_000;

interface NoticeRow extends Record<string, SqlStorageValue> {
  seq: number;
  source: string;
  message: string;
  tier: Tier;
  urgency: Urgency;
  text: string;
  at: number;
  pending: number;
  posted: number;
}

export const toNoticeView = ({
  pending: _pending,
  posted: _posted,
  at,
  ...row
}: NoticeRow): NoticeView => ({
  ...row,
  at: writeTime(at, "UTC"),
});

export class NoticeTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Keeps the last verdict about a message. Returns the position of a new NOTIFY notice: a message interrupts once, also
   * if it was classified again.
   */
  post(
    { source, message, tier, urgency, text, at }: MessageNotice,
    now: number,
  ): number | undefined {
    const [before] = this.#sql
      .exec<NoticeRow>(
        "SELECT * FROM message_notices WHERE source = ? AND message = ?",
        source,
        message,
      )
      .toArray();
    if (before?.tier === "NOTIFY") return undefined;
    const isForDigest = tier === "DEFER" || tier === "DECLINE";
    // One that was in a digest already is not listed again.
    const pending = isForDigest && before?.pending !== 0 ? 1 : 0;
    if (before && isForDigest) {
      this.#sql.exec(
        "UPDATE message_notices SET tier = ?, urgency = ?, text = ?, pending = ? WHERE seq = ?",
        tier,
        urgency,
        text,
        pending,
        before.seq,
      );
      return undefined;
    }
    if (before) this.#sql.exec("DELETE FROM message_notices WHERE seq = ?", before.seq);
    if (tier === "IGNORE") return undefined;
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO message_notices (source, message, tier, urgency, text, at, pending, posted)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
        source,
        message,
        tier,
        urgency,
        text,
        at,
        pending,
        now,
      )
      .one();
    return tier === "NOTIFY" ? seq : undefined;
  }

  /** Position of the newest notice of any kind. */
  getLast(): number {
    const [row] = this.#sql
      .exec<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'message_notices'")
      .toArray();
    return row?.seq ?? 0;
  }

  /** NOTIFY notices after the position, oldest first. @param sources undefined for all */
  listAfter(after: number, limit: number, sources: readonly string[] | undefined): NoticeRow[] {
    return this.#sql
      .exec<NoticeRow>(
        `SELECT * FROM message_notices WHERE tier = 'NOTIFY' AND seq > ?1
           AND (?2 IS NULL OR source IN (SELECT value FROM json_each(?2))) ORDER BY seq LIMIT ?3`,
        after,
        sources === undefined ? null : JSON.stringify(sources),
        limit,
      )
      .toArray();
  }

  /** When the oldest notice was posted that waits for a digest, in milliseconds since 1970. */
  getPendingSince(): number | undefined {
    return this.#sql
      .exec<{ posted: number }>(
        "SELECT posted FROM message_notices WHERE pending = 1 ORDER BY seq LIMIT 1",
      )
      .toArray()[0]?.posted;
  }

  /** For the digest, the oldest first. */
  listPending(): NoticeRow[] {
    return this.#sql
      .exec<NoticeRow>("SELECT * FROM message_notices WHERE pending = 1 ORDER BY seq")
      .toArray();
  }

  clearPending(): void {
    this.#sql.exec("UPDATE message_notices SET pending = 0 WHERE pending = 1");
  }

  removeSource(source: string): void {
    this.#sql.exec("DELETE FROM message_notices WHERE source = ?", source);
  }

  /** Deletes old notices, also those for which no digest is sent. */
  prune(now: number): void {
    this.#sql.exec(
      `DELETE FROM message_notices WHERE posted < ?1 OR seq <=
         (SELECT seq FROM message_notices ORDER BY seq DESC LIMIT 1 OFFSET ?2)`,
      now - RETENTION_MS,
      MAX_NOTICES,
    );
  }
}
