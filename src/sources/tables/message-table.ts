/** The messages of a source: stored once each, found by id, and listed. `MessageChanges` changes them. */
import type { IncomingSourceMessage } from "../../contracts/sources.ts";
import { cutText } from "../../mess/sources/cut-message.ts";
import { buildSourceId, ID_BYTES, parseSourceSeq } from "../../mess/sources/ids.ts";
import { boundMailIds } from "../../mess/sources/mail-identity.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import {
  type ListedMessage,
  type ListedRow,
  LISTED_COLUMNS,
  type SourceMessageDetails,
  type MessageFiles,
  type MessageRow,
  readFiles,
  type StoredSourceMessage,
  sumBytes,
  toStoredMessage,
} from "./message-rows.ts";
import type { StateRow } from "./state-row.ts";
import type { UnindexedTable } from "./unindexed-table.ts";

/** Conditions of a list; a message must meet all that are given. */
export interface MessageFilter {
  status?: string | undefined;
  tier?: string | undefined;
  seen?: boolean | undefined;
  flagged?: boolean | undefined;
  /** Only those that wait for a classifier. */
  unclassified?: boolean | undefined;
}

export class SourceMessageTable {
  readonly #sql: SqlStorage;
  readonly #state: StateRow;
  readonly #unindexed: UnindexedTable;

  constructor(sql: SqlStorage, state: StateRow, unindexed: UnindexedTable) {
    this.#sql = sql;
    this.#state = state;
    this.#unindexed = unindexed;
  }

  /** Stores a message whose texts are within their limits. @returns its position and id */
  insert(message: IncomingSourceMessage, now: number): { seq: number; id: string } {
    const state = this.#state.get();
    const seq = state.newest + 1;
    const received = Math.max(now, state.newest_at);
    const id = buildSourceId("m", seq, crypto.getRandomValues(new Uint8Array(ID_BYTES)));
    const { external_id, timestamp, sender, sender_name, subject, body } = message;
    const { recipient, channel, headers, references = [], urgency = 0, automatic } = message;
    const { raw, attachments } = message;
    const files: MessageFiles = { ...(raw ? { raw } : {}), attachments };
    const details: SourceMessageDetails = { recipient, channel, headers, references, drafts: [] };
    this.#sql.exec(
      `INSERT INTO messages (seq, id, external_id, received, timestamp, status, progress, waiting, provisional,
         urgency, seen, flagged, automatic, sender, sender_name, subject, excerpt, attachments, files, details, body)
       VALUES (?, ?, ?, ?, ?, 'new', 'new', 1, 0, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      id,
      external_id,
      received,
      timestamp,
      urgency,
      automatic ?? null,
      sender,
      sender_name ?? null,
      subject ?? null,
      buildExcerpt(body),
      attachments.length,
      raw || attachments.length > 0 ? JSON.stringify(files) : null,
      JSON.stringify(details),
      body,
    );
    this.#state.countNew(seq, received, sumBytes(files));
    this.#unindexed.add(seq);
    return { seq, id };
  }

  /** @param id as readers see it; any text */
  find(id: string): ListedMessage | undefined {
    const seq = parseSourceSeq("m", id);
    const found = seq === undefined ? undefined : this.get(seq);
    return found?.id === id ? found : undefined;
  }

  get(seq: number): ListedMessage | undefined {
    const [row] = this.#sql
      .exec<ListedRow>(`SELECT ${LISTED_COLUMNS} FROM messages WHERE seq = ?`, seq)
      .toArray();
    return row;
  }

  /** The whole message: headers, body and files. */
  load(seq: number): StoredSourceMessage | undefined {
    return this.loadAfter(seq - 1, 1).find((message) => message.seq === seq);
  }

  /** Whole messages after the position, the oldest first. */
  loadAfter(after: number, limit: number): StoredSourceMessage[] {
    return this.#sql
      .exec<ListedRow & MessageRow>(
        `SELECT ${LISTED_COLUMNS}, files, details, body FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`,
        after,
        limit,
      )
      .toArray()
      .map(toStoredMessage);
  }

  readFiles(seq: number): MessageFiles {
    const [row] = this.#sql
      .exec<{ files: string | null }>("SELECT files FROM messages WHERE seq = ?", seq)
      .toArray();
    return readFiles(row?.files ?? null);
  }

  findByExternalId(external_id: string): { seq: number; id: string } | undefined {
    const [row] = this.#sql
      .exec<{ seq: number; id: string }>(
        "SELECT seq, id FROM messages WHERE external_id = ?",
        external_id,
      )
      .toArray();
    return row;
  }

  /** The oldest message that another one names by its external id, or by its Message-ID. */
  findByReference(reference: string): { seq: number; id: string } | undefined {
    const [row] = this.#sql
      .exec<{ seq: number; id: string }>(
        `SELECT seq, id FROM messages WHERE external_id = ? OR (external_id > ? AND external_id < ?)
         ORDER BY +seq LIMIT 1`,
        reference,
        ...boundMailIds(reference),
      )
      .toArray();
    return row;
  }

  /** Messages between the positions, both excluded, the newest first. */
  list(filter: MessageFilter, after: number, before: number, limit: number): ListedMessage[] {
    const { index, conditions, values } = buildConditions(filter);
    return this.#sql
      .exec<ListedRow>(
        `SELECT ${LISTED_COLUMNS} FROM messages ${index}
         WHERE ${[...conditions, "seq > ? AND seq < ?"].join(" AND ")} ORDER BY seq DESC LIMIT ?`,
        ...values,
        after,
        before,
        limit,
      )
      .toArray();
  }

  /** The messages after the position, the oldest first. */
  listAfter(position: number, limit: number): ListedMessage[] {
    return this.#sql
      .exec<ListedRow>(
        `SELECT ${LISTED_COLUMNS} FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`,
        position,
        limit,
      )
      .toArray();
  }

  /** The position of the first message that arrived at or after the instant; one beyond the newest without any. */
  findFirstSince(instant: number): number {
    let [low, high] = [1, this.#state.get().newest + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [next] = this.#sql
        .exec<{ seq: number; received: number }>(
          "SELECT seq, received FROM messages WHERE seq >= ? ORDER BY seq LIMIT 1",
          middle,
        )
        .toArray();
      if (next && next.received < instant) low = next.seq + 1;
      else high = middle;
    }
    return low;
  }

  /** The first message after the position. */
  findNext(after: number): { seq: number; id: string } | undefined {
    const [row] = this.#sql
      .exec<{ seq: number; id: string }>(
        "SELECT seq, id FROM messages WHERE seq > ? ORDER BY seq LIMIT 1",
        after,
      )
      .toArray();
    return row;
  }

  /** Positions of messages that wait for a classifier, the oldest first. */
  listWaiting(after: number, limit: number): number[] {
    return this.#sql
      .exec<{ seq: number }>(
        "SELECT seq FROM messages INDEXED BY messages_waiting WHERE waiting = 1 AND seq > ? ORDER BY seq LIMIT ?",
        after,
        limit,
      )
      .toArray()
      .map(({ seq }) => seq);
  }

  /** Bytes of the messages after the position that have any, the oldest first. */
  listFiles(after: number, limit: number): { seq: number; files: MessageFiles }[] {
    return this.#sql
      .exec<{ seq: number; files: string | null }>(
        "SELECT seq, files FROM messages WHERE seq > ? ORDER BY seq LIMIT ?",
        after,
        limit,
      )
      .toArray()
      .map(({ seq, files }) => ({ seq, files: readFiles(files) }));
  }

  /** Twice the texts and a part for each message, since YAML indents. */
  estimateExportBytes(): number {
    return this.#sql
      .exec<{ bytes: number }>(
        "SELECT coalesce(sum(2 * (octet_length(body) + octet_length(details)) + 1000), 0) AS bytes FROM messages",
      )
      .one().bytes;
  }
}

const buildExcerpt = (body: string): string =>
  cutText(
    body
      .slice(0, 4 * SOURCE_LIMITS.excerptChars)
      .replaceAll(/\s+/g, " ")
      .trim(),
    SOURCE_LIMITS.excerptChars,
  );

/** Names the index of the rarest condition, so that a list does not read messages that it does not show. */
function buildConditions({ status, tier, seen, flagged, unclassified }: MessageFilter): {
  index: string;
  conditions: string[];
  values: SqlStorageValue[];
} {
  const conditions: string[] = [];
  const values: SqlStorageValue[] = [];
  const indexes: string[] = [];
  if (unclassified !== undefined) {
    conditions.push(`waiting = ${unclassified ? 1 : 0}`);
    if (unclassified) indexes.push("messages_waiting");
  }
  if (flagged !== undefined) {
    conditions.push(`flagged = ${flagged ? 1 : 0}`);
    if (flagged) indexes.push("messages_flagged");
  }
  if (seen !== undefined) {
    conditions.push(`seen = ${seen ? 1 : 0}`);
    if (!seen) indexes.push("messages_unseen");
  }
  if (tier !== undefined) {
    conditions.push("tier = ?");
    values.push(tier);
    indexes.push("messages_by_tier");
  }
  if (status !== undefined) {
    conditions.push("status = ?");
    values.push(status);
    indexes.push("messages_by_status");
  }
  const [index] = indexes;
  return { index: index === undefined ? "" : `INDEXED BY ${index}`, conditions, values };
}
