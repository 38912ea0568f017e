/**
 * Changes messages, with the counters that depend on them, inside the caller's transaction. The watcher and the outbox
 * change messages only by these functions.
 */
import { cutText } from "../../mess/sources/cut-message.ts";
import type { Classification } from "../../mess/sources/verdict.ts";
import {
  type ClassifiedBy,
  type MessageMark,
  SOURCE_LIMITS,
  type SourceMessageStatus,
  type Tier,
} from "../../mess/sources/vocabulary.ts";
import type { SourceMessageDetails, MessageFiles } from "./message-rows.ts";
import { readFiles, sumBytes } from "./message-rows.ts";
import type { StateRow } from "./state-row.ts";
import type { UnindexedTable } from "./unindexed-table.ts";

const MAX_FORMER_VERDICTS = 20;

type Progress = Exclude<SourceMessageStatus, "archived">;

interface ChangeableRow extends Record<string, SqlStorageValue> {
  progress: Progress;
  status: SourceMessageStatus;
  waiting: 0 | 1;
  seen: 0 | 1;
  flagged: 0 | 1;
}

export class MessageChanges {
  readonly #sql: SqlStorage;
  readonly #state: StateRow;
  readonly #unindexed: UnindexedTable;

  constructor(sql: SqlStorage, state: StateRow, unindexed: UnindexedTable) {
    this.#sql = sql;
    this.#state = state;
    this.#unindexed = unindexed;
  }

  /** Stores the classification. A provisional one leaves the message among those that wait for a classifier. */
  classify(seq: number, { tier, reason, by, provisional, urgency }: Classification): void {
    const row = this.#read(seq);
    if (!row) return;
    const waiting = provisional ? 1 : 0;
    // One statement, since each rewrites the row; the index by status is rewritten only where it changes.
    const moved =
      row.progress !== "new"
        ? ""
        : row.status === "archived"
          ? ", progress = 'classified'"
          : ", progress = 'classified', status = 'classified'";
    this.#sql.exec(
      `UPDATE messages SET tier = ?, reason = ?, classified_by = ?, provisional = ?, waiting = ?, urgency = ?${moved}
       WHERE seq = ?`,
      tier,
      cutText(reason, SOURCE_LIMITS.reasonChars),
      by,
      waiting,
      waiting,
      urgency,
      seq,
    );
    this.#state.count({ unclassified: waiting - row.waiting });
    this.#unindexed.add(seq);
  }

  /** Keeps the present classification among the former ones of the message, before another takes its place. */
  keepVerdict(seq: number, now: number): void {
    const [row] = this.#sql
      .exec<{
        details: string;
        tier: Tier | null;
        reason: string;
        classified_by: ClassifiedBy;
      }>("SELECT details, tier, reason, classified_by FROM messages WHERE seq = ?", seq)
      .toArray();
    if (!row || row.tier === null) return;
    const { former = [], ...details } = JSON.parse(row.details) as SourceMessageDetails;
    const verdict = { tier: row.tier, reason: row.reason, by: row.classified_by, until: now };
    this.#sql.exec(
      "UPDATE messages SET details = ? WHERE seq = ?",
      JSON.stringify({ ...details, former: [...former, verdict].slice(-MAX_FORMER_VERDICTS) }),
      seq,
    );
  }

  /** Also for messages of the tier IGNORE, which nobody needs to see. */
  setSeen(seq: number, seen: boolean): void {
    const row = this.#read(seq);
    if (row) this.#setSeen(seq, row, seen);
  }

  mark(seq: number, mark: MessageMark): void {
    const row = this.#read(seq);
    if (!row) return;
    switch (mark) {
      case "seen":
      case "unseen":
        this.#setSeen(seq, row, mark === "seen");
        break;
      case "flag":
      case "unflag":
        if (row.flagged !== (mark === "flag" ? 1 : 0))
          this.#sql.exec(
            "UPDATE messages SET flagged = ? WHERE seq = ?",
            mark === "flag" ? 1 : 0,
            seq,
          );
        break;
      case "archive":
        this.#setStatus(seq, row, "archived");
        this.#setSeen(seq, row, true);
        break;
      case "unarchive":
        if (row.status === "archived") this.#setStatus(seq, row, row.progress);
        break;
    }
  }

  /** Adds a draft that answers or forwards the message: its newest one from now on, and the message is `drafted`. */
  addDraft(seq: number, draft: string): void {
    const row = this.#read(seq);
    if (!row) return;
    const { details } = this.#sql
      .exec<{ details: string }>("SELECT details FROM messages WHERE seq = ?", seq)
      .one();
    const parsed = JSON.parse(details) as SourceMessageDetails;
    this.#sql.exec(
      "UPDATE messages SET draft = ?, details = ? WHERE seq = ?",
      draft,
      JSON.stringify({ ...parsed, drafts: [...parsed.drafts, draft] }),
      seq,
    );
    if (row.progress !== "sent") this.#setProgress(seq, row, "drafted");
  }

  /** The newest draft was discarded. @param newest id of the newest one that is left, if any */
  replaceDraft(seq: number, newest: string | undefined): void {
    const row = this.#read(seq);
    if (!row) return;
    this.#sql.exec("UPDATE messages SET draft = ? WHERE seq = ?", newest ?? null, seq);
    if (newest === undefined && row.progress === "drafted") {
      const { tier } = this.#sql
        .exec<{ tier: string | null }>("SELECT tier FROM messages WHERE seq = ?", seq)
        .one();
      this.#setProgress(seq, row, tier === null ? "new" : "classified");
    }
  }

  /** A draft that answers or forwards the message was sent. */
  setSent(seq: number): void {
    const row = this.#read(seq);
    if (row) this.#setProgress(seq, row, "sent");
  }

  /** Deletes the row. @returns what the message had in R2 */
  delete(seq: number): MessageFiles {
    const row = this.#read(seq);
    if (!row) return { attachments: [] };
    const { files } = this.#sql
      .exec<{ files: string | null }>("DELETE FROM messages WHERE seq = ? RETURNING files", seq)
      .one();
    const deleted = readFiles(files);
    this.#state.count({
      messages: -1,
      unseen: row.seen - 1,
      unclassified: -row.waiting,
      bytes: -sumBytes(deleted),
    });
    this.#unindexed.add(seq);
    return deleted;
  }

  #read(seq: number): ChangeableRow | undefined {
    const [row] = this.#sql
      .exec<ChangeableRow>(
        "SELECT progress, status, waiting, seen, flagged FROM messages WHERE seq = ?",
        seq,
      )
      .toArray();
    return row;
  }

  #setSeen(seq: number, row: ChangeableRow, seen: boolean): void {
    const value = seen ? 1 : 0;
    if (row.seen === value) return;
    this.#sql.exec("UPDATE messages SET seen = ? WHERE seq = ?", value, seq);
    this.#state.count({ unseen: row.seen - value });
  }

  /** An archived message stays archived. */
  #setProgress(seq: number, row: ChangeableRow, progress: Progress): void {
    if (row.progress === progress) return;
    const status = row.status === "archived" ? row.status : progress;
    this.#sql.exec(
      "UPDATE messages SET progress = ?, status = ? WHERE seq = ?",
      progress,
      status,
      seq,
    );
    if (status !== row.status) this.#unindexed.add(seq);
  }

  #setStatus(seq: number, row: ChangeableRow, status: SourceMessageStatus): void {
    if (row.status === status) return;
    this.#sql.exec("UPDATE messages SET status = ? WHERE seq = ?", status, seq);
    this.#unindexed.add(seq);
  }
}
