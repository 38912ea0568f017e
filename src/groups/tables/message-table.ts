/** The messages of the group. A channel is the pair of a receiver and a sender, in both directions. */
import type { GroupMessageType, Importance } from "../../mess/groups/vocabulary.ts";
import type { AnswerableMessage } from "../../mess/groups/request-news.ts";
import { buildMessageId, ID_BYTES, parseMessageSeq } from "../../mess/groups/ids.ts";

/** Parts of a message that no query uses. */
export interface MessageDetails {
  importance?: Exclude<Importance, "normal">;
  person?: true;
  reply_to?: string;
  tool_usage?: string[];
  files_modified?: string[];
  late?: true;
  /** For a report: id of the task that it completed. */
  completes?: string;
  /** Key of the former primary ops to whom it was sent. */
  addressed?: string;
  /** For a message to or from a person or robot: id of the task that it is about. */
  request?: string;
  /** For a message of theirs that needs an answer: the message of the request. */
  about?: AnswerableMessage;
}

export interface StoredMessage {
  seq: number;
  id: string;
  /** Keys of the members. */
  receiver: string;
  sender: string;
  type: GroupMessageType;
  at: number;
  /** Read before the messages that came earlier; otherwise the reader's cursor decides. */
  read: number;
  /** 0 until the receiver has acknowledged it, then 1; null where that was not asked for. */
  acknowledged: number | null;
  key: string | null;
  details: MessageDetails;
  content: string;
}

export interface NewMessage extends Omit<StoredMessage, "seq" | "id" | "read"> {
  /** An id that the household has chosen. */
  id?: string | undefined;
}

type MessageRow = Omit<StoredMessage, "details"> & { details: string };

const toMessage = ({ details, ...row }: MessageRow): StoredMessage => ({
  ...row,
  details: JSON.parse(details) as MessageDetails,
});

/** One direction of a channel, and the positions in it. */
export interface SeqRange {
  receiver: string;
  sender: string;
  after?: number;
  before?: number;
  unreadOnly?: boolean;
}

export class MessageTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The position of the newest message, which is the number of all, with deleted ones; 0 without one. */
  getNewestSeq(): number {
    return this.#sql
      .exec<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM messages")
      .one().seq;
  }

  insert(message: NewMessage): StoredMessage {
    const seq = this.getNewestSeq() + 1;
    const id = message.id ?? buildMessageId(seq, crypto.getRandomValues(new Uint8Array(ID_BYTES)));
    const { receiver, sender, type, at, acknowledged, key, details, content } = message;
    this.#sql.exec(
      `INSERT INTO messages (seq, id, receiver, sender, type, at, acknowledged, key, details, content)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      id,
      receiver,
      sender,
      type,
      at,
      acknowledged,
      key,
      JSON.stringify(details),
      content,
    );
    return { ...message, seq, id, read: 0 };
  }

  get(seq: number): StoredMessage | undefined {
    return this.#select("seq = ?", seq);
  }

  /** @param id as readers see it; any text */
  find(id: string): StoredMessage | undefined {
    const seq = parseMessageSeq(id);
    // The second condition lets the query use the index of the ids that the household has chosen.
    if (seq === undefined) return this.#select("id = ? AND length(id) = 16", id);
    const found = this.get(seq);
    return found?.id === id ? found : undefined;
  }

  findByKey(key: string): StoredMessage | undefined {
    return this.#select("key = ?", key);
  }

  #select(condition: string, value: SqlStorageValue): StoredMessage | undefined {
    const [row] = this.#sql
      .exec<MessageRow & Record<string, SqlStorageValue>>(
        `SELECT * FROM messages WHERE ${condition}`,
        value,
      )
      .toArray();
    return row && toMessage(row);
  }

  delete(seq: number): void {
    this.#sql.exec("DELETE FROM messages WHERE seq = ?", seq);
  }

  /** The position of the first message at or after the instant; one beyond the last without any. Times rise with it. */
  findFirstSince(instant: number): number {
    let [low, high] = [1, this.getNewestSeq() + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [next] = this.#sql
        .exec<{ seq: number; at: number }>(
          "SELECT seq, at FROM messages WHERE seq >= ? ORDER BY seq LIMIT 1",
          middle,
        )
        .toArray();
      if (next && next.at < instant) low = next.seq + 1;
      else high = middle;
    }
    return low;
  }

  setRead(seq: number): void {
    this.#sql.exec("UPDATE messages SET read = 1 WHERE seq = ?", seq);
  }

  setAcknowledged(seq: number): void {
    this.#sql.exec("UPDATE messages SET acknowledged = 1 WHERE seq = ?", seq);
  }

  /** Positions in one direction of a channel, without loading contents. */
  listSeqs(
    { receiver, sender, after = 0, before = Number.MAX_SAFE_INTEGER, unreadOnly }: SeqRange,
    order: "oldest" | "newest",
    limit: number,
  ): number[] {
    return this.#sql
      .exec<{ seq: number }>(
        `SELECT seq FROM messages WHERE receiver = ? AND sender = ? AND seq > ? AND seq < ?
         ${unreadOnly ? "AND read = 0" : ""} ORDER BY seq ${order === "oldest" ? "ASC" : "DESC"} LIMIT ?`,
        receiver,
        sender,
        after,
        before,
        limit,
      )
      .toArray()
      .map(({ seq }) => seq);
  }

  /** Positions in all channels, newest first. */
  listAllSeqs(before: number, limit: number): number[] {
    return this.#sql
      .exec<{ seq: number }>(
        "SELECT seq FROM messages WHERE seq < ? ORDER BY seq DESC LIMIT ?",
        before,
        limit,
      )
      .toArray()
      .map(({ seq }) => seq);
  }

  /** Twice the texts and a part for each message, since YAML indents, and pairs of task and report repeat contents. */
  estimateExportBytes(): number {
    return this.#sql
      .exec<{ bytes: number }>(
        "SELECT coalesce(sum(2 * (octet_length(content) + octet_length(details)) + 400), 0) AS bytes FROM messages",
      )
      .one().bytes;
  }

  /** All messages after the position, oldest first. */
  list(after: number, limit: number): StoredMessage[] {
    return this.#sql
      .exec<MessageRow & Record<string, SqlStorageValue>>(
        "SELECT * FROM messages WHERE seq > ? ORDER BY seq LIMIT ?",
        after,
        limit,
      )
      .toArray()
      .map(toMessage);
  }
}
