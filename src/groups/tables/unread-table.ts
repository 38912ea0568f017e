/**
 * The unread messages of a member, counted for each sender and changed together with the messages, so that a summary of ten
 * thousand unread messages reads one row for each sender.
 */
import type { GroupMessageType } from "../../mess/groups/vocabulary.ts";

export interface UnreadCounts {
  /** Keys of the members. */
  reader: string;
  sender: string;
  /** All messages up to this position are read. */
  cursor: number;
  /** Position of the newest message. */
  newest: number;
  /** Position and time of the newest unread message; of any where all are read. */
  latest: number;
  latest_at: number;
  /** Unread messages by type. */
  types: Partial<Record<GroupMessageType, number>>;
  /** Messages that wait for the reader's acknowledgment. */
  acks: number;
}

type UnreadRow = Omit<UnreadCounts, "types"> & { types: string };

export const countUnread = ({ types }: Pick<UnreadCounts, "types">): number =>
  Object.values(types).reduce((sum, count) => sum + count, 0);

export class UnreadTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The counts for every sender that has written to the reader. */
  list(reader: string): UnreadCounts[] {
    return this.#sql
      .exec<UnreadRow & Record<string, SqlStorageValue>>(
        "SELECT * FROM unread WHERE reader = ?",
        reader,
      )
      .toArray()
      .map(toCounts);
  }

  get(reader: string, sender: string): UnreadCounts | undefined {
    const [row] = this.#sql
      .exec<UnreadRow & Record<string, SqlStorageValue>>(
        "SELECT * FROM unread WHERE reader = ? AND sender = ?",
        reader,
        sender,
      )
      .toArray();
    return row && toCounts(row);
  }

  save(counts: UnreadCounts): void {
    const { reader, sender, cursor, newest, latest, latest_at, types, acks } = counts;
    this.#sql.exec(
      `INSERT OR REPLACE INTO unread (reader, sender, cursor, newest, latest, latest_at, types, acks)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      reader,
      sender,
      cursor,
      newest,
      latest,
      latest_at,
      JSON.stringify(types),
      acks,
    );
  }

  countAll(reader: string): number {
    return this.list(reader).reduce((sum, counts) => sum + countUnread(counts), 0);
  }
}

const toCounts = ({ types, ...row }: UnreadRow): UnreadCounts => ({
  ...row,
  types: JSON.parse(types) as UnreadCounts["types"],
});
