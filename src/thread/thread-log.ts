/**
 * The thread's record in SQLite: state, documents, history, attachments, idempotency keys. Every method is
 * synchronous; the caller holds the transaction.
 */
import { getChannelFeatures } from "../channels/registry.ts";
import { fanOut } from "../delivery/fan-out.ts";
import type { Attachment, HistoryEntry, MessageDocument } from "../mess/envelope.ts";
import { cutFileName } from "../mess/file-names.ts";
import type { Change, StoredDocument } from "../mess/thread/thread-change.ts";
import type { Effect } from "../mess/thread/effects.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import { DeliveryTable } from "./delivery-table.ts";
import type { Idempotency, Receipt, StagedBlob } from "../contracts/thread.ts";

export interface SyncState {
  household: string;
  /** Rises by one with every committed change. */
  seq: number;
  /** The `seq` that the index has, and the one that the household was notified of. */
  indexed: number;
  told: number;
}

/** Targets that are notified of every change. */
export type SyncTarget = "indexed" | "told";

interface ThreadRow extends SyncState, Record<string, SqlStorageValue> {
  state: string;
}

/** Values that are written once, or rarely. */
type FactKey = "created" | "route" | "text" | "extra";

export class ThreadLog {
  readonly deliveries: DeliveryTable;
  readonly #sql: SqlStorage;
  // Cached for every append. The object is the only writer of its tables, so a cached value is valid until it is
  // written here or a transaction is rolled back.
  #row: ThreadRow | undefined;
  /** Acknowledged values that the next change, or the alarm, stores. If they are lost, the targets are called again. */
  readonly #pendingSync: Partial<Record<SyncTarget, number>> = {};
  #searchText: string | undefined;
  #oldestUpload: { at: number | undefined } | undefined;
  #hasEffects: boolean | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.deliveries = new DeliveryTable(sql);
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.deliveries.clearCache();
    this.#row = undefined;
    this.#searchText = undefined;
    this.#oldestUpload = undefined;
    this.#hasEffects = undefined;
  }

  initialize(household: string, state: ThreadState): void {
    this.#sql.exec(
      "INSERT INTO thread (one, household, state, seq) VALUES (1, ?, ?, 0)",
      household,
      JSON.stringify(state),
    );
  }

  /** A copy that the caller may change. */
  getState(): ThreadState {
    return JSON.parse(this.#getRow().state) as ThreadState;
  }

  getSyncState(): SyncState {
    return { ...this.#getRow(), ...this.#pendingSync };
  }

  #getRow(): ThreadRow {
    return (this.#row ??= this.#sql
      .exec<ThreadRow>("SELECT household, state, seq, indexed, told FROM thread")
      .one());
  }

  /** Records that a target has everything up to this `seq`. */
  recordSync(target: SyncTarget, seq: number): void {
    if (this.getSyncState()[target] < seq) this.#pendingSync[target] = seq;
  }

  /** Whether there are acknowledged values to store. */
  get hasUnsavedSync(): boolean {
    const row = this.#getRow();
    const { indexed, told } = this.getSyncState();
    return row.indexed < indexed || row.told < told;
  }

  saveSync(): void {
    if (!this.hasUnsavedSync) return;
    const { indexed, told } = this.getSyncState();
    this.#sql.exec("UPDATE thread SET indexed = ?, told = ?", indexed, told);
    this.#row = { ...this.#getRow(), indexed, told };
  }

  /** Stores a change and returns its `seq`. */
  commit(change: Change): number {
    const row = this.#getRow();
    const { indexed, told } = this.getSyncState();
    const seq = row.seq + 1;
    const state = JSON.stringify(change.state);
    this.#sql.exec(
      "UPDATE thread SET state = ?, seq = ?, indexed = ?, told = ?",
      state,
      seq,
      indexed,
      told,
    );
    this.#row = { ...row, state, seq, indexed, told };
    for (const stored of change.documents) this.insertDocument(stored, seq);
    for (const entry of change.history) this.insertHistory(entry);
    for (const effect of change.effects ?? [])
      this.#sql.exec("INSERT INTO effects (effect) VALUES (?)", JSON.stringify(effect));
    if (change.effects) this.#hasEffects = true;
    this.#fanOut(row.seq === 0 ? undefined : row.state, change);
    return seq;
  }

  /** Stores the deliveries that the change causes. @param before JSON of the state before the change */
  #fanOut(before: string | undefined, change: Change): void {
    const { requestor_reached } = change.state;
    if (change.notices.length === 0 && !requestor_reached && !this.deliveries.hasAny()) return;
    const state = before === undefined ? undefined : (JSON.parse(before) as ThreadState);
    const made = fanOut(state, change, this.deliveries.listEarlier(), getChannelFeatures);
    this.deliveries.add(made, change.state.updated);
  }

  /** Accepted suggestions that still have to be carried out, in order. */
  listEffects(): { n: number; effect: Effect }[] {
    if (this.#hasEffects === false) return [];
    const rows = this.#sql
      .exec<{ n: number; effect: string }>("SELECT n, effect FROM effects ORDER BY n")
      .toArray();
    this.#hasEffects = rows.length > 0;
    return rows.map(({ n, effect }) => ({ n, effect: JSON.parse(effect) as Effect }));
  }

  deleteEffect(n: number): void {
    this.#sql.exec("DELETE FROM effects WHERE n = ?", n);
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

  readHistory(): HistoryEntry[] {
    return this.#sql
      .exec<{ entry: string }>("SELECT entry FROM history ORDER BY n")
      .toArray()
      .map(({ entry }) => JSON.parse(entry) as HistoryEntry);
  }

  /** Documents of changes after `seq`, each followed by its ack. Reads no row before them. */
  readDocumentsAfter(seq: number): MessageDocument[] {
    const rows: DocumentRow[] = [];
    for (const row of this.#sql.exec<DocumentRow>(
      "SELECT serial, seq, name, document, acks FROM documents ORDER BY serial DESC",
    )) {
      if (row.seq <= seq) break;
      rows.push(row);
    }
    return rows.toReversed().flatMap(toDocuments);
  }

  /** The stored message with this serial: its full name, and its document with the ack. */
  findMessage(serial: number): { name: string | null; documents: MessageDocument[] } | undefined {
    const [row] = this.#sql
      .exec<DocumentRow>(
        "SELECT serial, seq, name, document, acks FROM documents WHERE serial = ?",
        serial,
      )
      .toArray();
    return row && { name: row.name, documents: toDocuments(row) };
  }

  getFact(key: FactKey): string | undefined {
    const [row] = this.#sql
      .exec<{ value: string }>("SELECT value FROM facts WHERE key = ?", key)
      .toArray();
    return row?.value;
  }

  /** The searchable text. */
  getSearchText(): string {
    return (this.#searchText ??= this.getFact("text") ?? "");
  }

  setSearchText(searchText: string): void {
    this.setFact("text", searchText);
    this.#searchText = searchText;
  }

  setFact(key: FactKey, value: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO facts (key, value) VALUES (?, ?)", key, value);
  }

  listAttachments(): Attachment[] {
    return this.#sql
      .exec<AttachmentRow>("SELECT * FROM attachments ORDER BY name")
      .toArray()
      .map(toAttachment);
  }

  findAttachment(name: string): Attachment | undefined {
    const [row] = this.#sql
      .exec<AttachmentRow>("SELECT * FROM attachments WHERE name = ?", name)
      .toArray();
    return row && toAttachment(row);
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
    this.#oldestUpload = undefined;
    this.#sql.exec(
      "INSERT OR REPLACE INTO uploads (token, blob, at) VALUES (?, ?, ?)",
      blob.token,
      JSON.stringify(blob),
      now,
    );
  }

  findUpload(token: string): StagedBlob | undefined {
    const [row] = this.#sql
      .exec<{ blob: string }>("SELECT blob FROM uploads WHERE token = ?", token)
      .toArray();
    return row && parseUpload(row.blob);
  }

  /** Uploads that were staged before the instant. */
  listUploadsBefore(instant: number): StagedBlob[] {
    return this.#sql
      .exec<{ blob: string }>("SELECT blob FROM uploads WHERE at <= ?", instant)
      .toArray()
      .map(({ blob }) => parseUpload(blob));
  }

  /** When the oldest waiting upload was staged. */
  getOldestUpload(): number | undefined {
    this.#oldestUpload ??= {
      at:
        this.#sql.exec<{ at: number | null }>("SELECT min(at) AS at FROM uploads").one().at ??
        undefined,
    };
    return this.#oldestUpload.at;
  }

  deleteUpload(token: string): void {
    this.#oldestUpload = undefined;
    this.#sql.exec("DELETE FROM uploads WHERE token = ?", token);
  }

  /** R2 keys of attachments and of staged uploads. */
  listBlobKeys(): string[] {
    return this.#sql
      .exec<{ key: string }>(
        "SELECT key FROM attachments UNION SELECT json_extract(blob, '$.key') FROM uploads",
      )
      .toArray()
      .map(({ key }) => key);
  }

  findReceipt(key: string): { digest: string; receipt: Receipt } | undefined {
    const [row] = this.#sql
      .exec<{ digest: string; receipt: string }>(
        "SELECT digest, receipt FROM idempotency WHERE key = ?",
        key,
      )
      .toArray();
    return row && { digest: row.digest, receipt: JSON.parse(row.receipt) as Receipt };
  }

  saveReceipt({ key, digest }: Idempotency, receipt: Receipt): void {
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

const toAttachment = ({ original, ...row }: AttachmentRow): Attachment =>
  original === null ? row : { ...row, original: cutFileName(original) };

/** Cuts names that versions without the limit have stored. */
function parseUpload(text: string): StagedBlob {
  const blob = JSON.parse(text) as StagedBlob;
  return blob.original === undefined ? blob : { ...blob, original: cutFileName(blob.original) };
}

/** A document as a file holds it: the message, then the exchange's acks (decision 14). */
const toDocuments = (row: DocumentRow): MessageDocument[] => [
  JSON.parse(row.document) as MessageDocument,
  ...(JSON.parse(row.acks) as MessageDocument[]),
];
