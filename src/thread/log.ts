/**
 * The thread's record in SQLite: state, documents, history, attachments, idempotency keys. Every method is
 * synchronous; the caller holds the transaction.
 */
import type { Attachment, HistoryEntry, MessageDocument } from "../mess/envelope.ts";
import type { Change, StoredDocument } from "../mess/thread/draft.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { Idempotency, Receipt, StagedBlob } from "./stub.ts";

export interface Marks {
  household: string;
  /** Rises by one with every committed change. */
  seq: number;
  /** The `seq` that the index has, and the one that the household was told of. */
  indexed: number;
  told: number;
}

/** Facts that are written once, or rarely. */
type Fact = "created" | "route" | "text" | "extra";

export class ThreadLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  begin(household: string, state: ThreadState): void {
    this.#sql.exec(
      "INSERT INTO thread (one, household, state, seq) VALUES (1, ?, ?, 0)",
      household,
      JSON.stringify(state),
    );
  }

  state(): ThreadState {
    const { state } = this.#sql.exec<{ state: string }>("SELECT state FROM thread").one();
    return JSON.parse(state) as ThreadState;
  }

  marks(): Marks {
    const row = this.#sql
      .exec<{ household: string; seq: number; indexed: number; told: number }>(
        "SELECT household, seq, indexed, told FROM thread",
      )
      .one();
    return row;
  }

  mark(column: "indexed" | "told", seq: number): void {
    this.#sql.exec(`UPDATE thread SET ${column} = max(${column}, ?)`, seq);
  }

  /** Stores a change under the next `seq`, and returns that. */
  commit(change: Change): number {
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        "UPDATE thread SET state = ?, seq = seq + 1 RETURNING seq",
        JSON.stringify(change.state),
      )
      .one();
    for (const stored of change.documents) this.insertDocument(stored, seq);
    for (const entry of change.history) this.insertHistory(entry);
    return seq;
  }

  insertDocument({ serial, name, document, acks }: StoredDocument, seq: number): void {
    this.#sql.exec(
      "INSERT INTO documents (serial, seq, name, document, acks) VALUES (?, ?, ?, ?, ?)",
      serial,
      seq,
      name ?? null,
      JSON.stringify(document),
      JSON.stringify(acks),
    );
  }

  insertHistory(entry: HistoryEntry): void {
    this.#sql.exec("INSERT INTO history (entry) VALUES (?)", JSON.stringify(entry));
  }

  history(): HistoryEntry[] {
    return this.#sql
      .exec<{ entry: string }>("SELECT entry FROM history ORDER BY n")
      .toArray()
      .map(({ entry }) => JSON.parse(entry) as HistoryEntry);
  }

  /** Documents of changes after `seq`, each followed by its ack. Reads no row before them. */
  documentsAfter(seq: number): MessageDocument[] {
    const rows: DocumentRow[] = [];
    for (const row of this.#sql.exec<DocumentRow>(
      "SELECT serial, seq, name, document, acks FROM documents ORDER BY serial DESC",
    )) {
      if (row.seq <= seq) break;
      rows.push(row);
    }
    return rows.toReversed().flatMap(written);
  }

  /** The stored message with this serial: its whole name, and its document with the ack. */
  message(serial: number): { name: string | null; documents: MessageDocument[] } | undefined {
    const [row] = this.#sql
      .exec<DocumentRow>(
        "SELECT serial, seq, name, document, acks FROM documents WHERE serial = ?",
        serial,
      )
      .toArray();
    return row && { name: row.name, documents: written(row) };
  }

  fact(key: Fact): string | undefined {
    const [row] = this.#sql
      .exec<{ value: string }>("SELECT value FROM facts WHERE key = ?", key)
      .toArray();
    return row?.value;
  }

  setFact(key: Fact, value: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO facts (key, value) VALUES (?, ?)", key, value);
  }

  attachments(): Attachment[] {
    return this.#sql
      .exec<AttachmentRow>("SELECT * FROM attachments ORDER BY name")
      .toArray()
      .map(attachmentOf);
  }

  attachment(name: string): Attachment | undefined {
    const [row] = this.#sql
      .exec<AttachmentRow>("SELECT * FROM attachments WHERE name = ?", name)
      .toArray();
    return row && attachmentOf(row);
  }

  insertAttachment({ name, serial, original, mime, size, key }: Attachment): void {
    this.#sql.exec(
      "INSERT INTO attachments (name, serial, original, mime, size, key) VALUES (?, ?, ?, ?, ?, ?)",
      name,
      serial,
      original ?? null,
      mime,
      size,
      key,
    );
  }

  stageUpload(blob: StagedBlob, now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO uploads (token, blob, at) VALUES (?, ?, ?)",
      blob.token,
      JSON.stringify(blob),
      now,
    );
  }

  upload(token: string): StagedBlob | undefined {
    const [row] = this.#sql
      .exec<{ blob: string }>("SELECT blob FROM uploads WHERE token = ?", token)
      .toArray();
    return row && (JSON.parse(row.blob) as StagedBlob);
  }

  /** Uploads that were staged before the instant, and when the oldest of the rest was. */
  uploadsBefore(instant: number): StagedBlob[] {
    return this.#sql
      .exec<{ blob: string }>("SELECT blob FROM uploads WHERE at <= ?", instant)
      .toArray()
      .map(({ blob }) => JSON.parse(blob) as StagedBlob);
  }

  oldestUpload(): number | undefined {
    return (
      this.#sql.exec<{ at: number | null }>("SELECT min(at) AS at FROM uploads").one().at ??
      undefined
    );
  }

  dropUpload(token: string): void {
    this.#sql.exec("DELETE FROM uploads WHERE token = ?", token);
  }

  /** R2 keys of attachments and of uploads that still wait for their message. */
  blobKeys(): string[] {
    return this.#sql
      .exec<{ key: string }>(
        "SELECT key FROM attachments UNION SELECT json_extract(blob, '$.key') FROM uploads",
      )
      .toArray()
      .map(({ key }) => key);
  }

  receipt(key: string): { digest: string; receipt: Receipt } | undefined {
    const [row] = this.#sql
      .exec<{ digest: string; receipt: string }>(
        "SELECT digest, receipt FROM idempotency WHERE key = ?",
        key,
      )
      .toArray();
    return row && { digest: row.digest, receipt: JSON.parse(row.receipt) as Receipt };
  }

  keepReceipt({ key, digest }: Idempotency, receipt: Receipt): void {
    this.#sql.exec(
      "INSERT INTO idempotency (key, digest, receipt) VALUES (?, ?, ?)",
      key,
      digest,
      JSON.stringify(receipt),
    );
  }
}

type DocumentRow = {
  serial: number;
  seq: number;
  name: string | null;
  document: string;
  acks: string;
};
type AttachmentRow = {
  name: string;
  serial: number;
  original: string | null;
  mime: string;
  size: number;
  key: string;
};

const attachmentOf = ({ original, ...row }: AttachmentRow): Attachment =>
  original === null ? row : { ...row, original };

/** A document as a file holds it: the message, then the exchange's acks (decision 14). */
const written = (row: DocumentRow): MessageDocument[] => [
  JSON.parse(row.document) as MessageDocument,
  ...(JSON.parse(row.acks) as MessageDocument[]),
];
