/**
 * The thread's record in SQLite: state, documents, history, attachments, idempotency keys. A change writes its history
 * and its files into the rows of its documents, so that it costs one row for each. Every method is synchronous; the
 * caller holds the transaction.
 */
import { getChannelFeatures } from "../channels/registry.ts";
import { fanOut } from "../delivery/fan-out.ts";
import type { Attachment, HistoryEntry, MessageDocument } from "../mess/envelope.ts";
import { readBlocks } from "../mess/wire/message.ts";
import { type Status, STATUSES } from "../mess/status.ts";
import type { Block } from "../mess/wire/schema.ts";
import type { Change } from "../mess/thread/thread-change.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import { type InlineFile, toResourceDocument } from "../mess/messe-af/resource-documents.ts";
import { writeStoredYaml } from "./document-text.ts";
import { isFileNameTaken } from "./files/file-names.ts";
import { AttachmentTable } from "./files/attachment-table.ts";
import { DeliveryTable } from "./deliveries/delivery-table.ts";
import { EffectTable } from "./effect-table.ts";
import type { ThreadTables } from "./migrations.ts";
import { appendSearchText, isSearchTextFull } from "./summary/search-text.ts";
import { CallKeys } from "./call-keys.ts";
import { UploadTable } from "./files/upload-table.ts";
import type { Idempotency, Receipt } from "../contracts/thread.ts";

export interface SyncState {
  household: string;
  /** Rises by one with every committed change. */
  seq: number;
  /** The `seq` that the index has, and the one of the summary that the household has (column `told`). */
  indexed: number;
  summarized: number;
}

/** Targets that are notified of every change. */
export type SyncTarget = "indexed" | "summarized";

interface ThreadRow extends SyncState, Record<string, SqlStorageValue> {
  state: string;
}

/** Values that are written once. Those of an import are in a table, because they may be as long as a row. */
export interface CreationFacts {
  /** JSON of the first receipt and of the request's digest. */
  created: string;
  /** JSON of the candidates and the reasons for them. */
  route: string;
}
/** `grouped` is the `seq` that the AI group has, where the request carries out one of its tasks. */
/** `decided_by`: the owner who decided the request of a message source as a person. */
type FactKey = keyof CreationFacts | "extra" | "grouped" | "decided_by";

/** Files and facts that are stored with the documents of a change. */
export interface DocumentDetails {
  attachments?: readonly Attachment[];
  facts?: CreationFacts;
  /** The blocks of the sender's message, so that they are not parsed again. */
  blocks?: readonly Block[];
}

/** Newest changes that a summary considers for its moves: more than a burst has. */
const MAX_MOVES_ROWS = 32;
/** Longer histories, as imports bring them, are stored in rows of their own. */
const MAX_HISTORY_CHARS = 16_000;

export class ThreadLog {
  readonly attachments: AttachmentTable;
  readonly deliveries: DeliveryTable;
  readonly effects: EffectTable;
  readonly uploads: UploadTable;
  readonly #sql: SqlStorage;
  readonly callKeys: CallKeys;
  readonly #tables: ThreadTables;
  // Cached for every append. The object is the only writer of its tables, so a cached value is valid until it is
  // written here or a transaction is rolled back.
  #row: ThreadRow | undefined;
  /** The parsed state of the row. */
  #state: ThreadState | undefined;
  /** Acknowledged values that the next change stores. If they are lost, the targets are called again, which writes nothing. */
  readonly #pendingSync: Partial<Record<SyncTarget, number>> = {};
  #searchText: string | undefined;
  /** Blocks of new documents whose text is not part of the searchable text yet. */
  #unreadBlocks: (readonly Block[])[] = [];
  #history: HistoryEntry[] | undefined;

  constructor(sql: SqlStorage, tables: ThreadTables) {
    this.#sql = sql;
    this.#tables = tables;
    this.callKeys = new CallKeys(tables);
    this.attachments = new AttachmentTable(sql, tables);
    this.deliveries = new DeliveryTable(tables);
    this.effects = new EffectTable(tables);
    this.uploads = new UploadTable(tables);
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.#tables.clearCache();
    this.deliveries.clearCache();
    this.#row = undefined;
    this.#state = undefined;
    this.#searchText = undefined;
    this.#unreadBlocks = [];
    this.uploads.clearCache();
    this.effects.clearCache();
    this.#history = undefined;
  }

  /** Begins the record of a new thread; its first change stores the row. */
  initialize(household: string, seq = 0): void {
    this.#row = { household, state: "", seq, indexed: 0, summarized: 0 };
    this.#state = undefined;
    this.#searchText = "";
    this.#unreadBlocks = [];
  }

  /** False once the thread was deleted. */
  exists(): boolean {
    return this.#row !== undefined || this.#sql.exec("SELECT 1 FROM thread").toArray().length > 0;
  }

  /** A copy that the caller may change. */
  getState(): ThreadState {
    return JSON.parse(this.#getRow().state) as ThreadState;
  }

  /** The cached state, without the cost of a copy: only for reading. */
  readState(): Readonly<ThreadState> {
    return (this.#state ??= this.getState());
  }

  getSyncState(): SyncState {
    return { ...this.#getRow(), ...this.#pendingSync };
  }

  #getRow(): ThreadRow {
    return (this.#row ??= this.#sql
      .exec<ThreadRow>("SELECT household, state, seq, indexed, told AS summarized FROM thread")
      .one());
  }

  /** Records that a target has everything up to this `seq`. */
  recordSync(target: SyncTarget, seq: number): void {
    if (this.getSyncState()[target] < seq) this.#pendingSync[target] = seq;
  }

  /** Stores a change and returns its `seq`. */
  commit(change: Change, details: DocumentDetails = {}): number {
    const row = this.#getRow();
    const { indexed, summarized } = this.getSyncState();
    const seq = row.seq + 1;
    const state = JSON.stringify(change.state);
    const before = row.state === "" ? undefined : this.readState();
    this.#sql.exec(
      `INSERT INTO thread (one, household, state, seq, indexed, told) VALUES (1, ?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (one) DO UPDATE SET state = ?2, seq = ?3, indexed = ?4, told = ?5`,
      row.household,
      state,
      seq,
      indexed,
      summarized,
    );
    this.#row = { ...row, state, seq, indexed, summarized };
    this.#state = change.state;
    this.#storeDocuments(change, details, seq);
    for (const effect of change.effects ?? []) this.effects.add(effect);
    this.#fanOut(before, change);
    return seq;
  }

  /** Stores an imported thread. Each message is a change of its own, so that a page can end after any of them. */
  adopt(household: string, change: Change): void {
    const { documents } = change;
    this.initialize(household, documents.length - 1);
    // An import may be long, and its text is read when it is needed.
    this.#searchText = undefined;
    for (const [index, document] of documents.slice(0, -1).entries())
      this.#storeDocuments({ ...change, documents: [document], history: [] }, {}, index + 1);
    this.commit({ ...change, documents: documents.slice(-1) });
  }

  #storeDocuments(
    { documents, history }: Change,
    { attachments = [], facts, blocks }: DocumentDetails,
    seq: number,
  ): void {
    if (history.length > 0) this.#history = undefined;
    const entries = JSON.stringify(history);
    const isStoredApart = documents.length === 0 || entries.length > MAX_HISTORY_CHARS;
    if (isStoredApart) for (const entry of history) this.insertHistory(entry);
    for (const [index, { serial, name, document, acks }] of documents.entries()) {
      const isLast = index === documents.length - 1;
      const files = attachments.filter((one) => one.serial === serial);
      this.#sql.exec(
        `INSERT INTO documents (serial, seq, name, history, attachments, facts, document, acks, yaml)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        serial,
        seq,
        name ?? null,
        isLast && !isStoredApart && history.length > 0 ? entries : null,
        files.length === 0 ? null : JSON.stringify(files),
        index === 0 && facts ? JSON.stringify(facts) : null,
        JSON.stringify(document),
        JSON.stringify(acks),
        writeStoredYaml([document, ...acks]),
      );
      if (this.#searchText !== undefined)
        this.#unreadBlocks.push(acks.length > 0 && blocks ? blocks : readBlocks(document.MESS));
    }
  }

  /** Stores the deliveries that the change causes. @param before the state before the change */
  #fanOut(before: ThreadState | undefined, change: Change): void {
    const { requestor_reached } = change.state;
    if (change.notices.length === 0 && !requestor_reached && !this.deliveries.hasAny()) return;
    const made = fanOut(before, change, this.deliveries.listEarlier(), getChannelFeatures);
    this.deliveries.add(made, change.state.updated);
  }

  /** Adds an entry after the newest change. */
  insertHistory(entry: HistoryEntry): void {
    this.#history = undefined;
    this.#tables.insert(
      "history",
      "INSERT INTO history (entry, seq) VALUES (?, ?)",
      JSON.stringify(entry),
      this.#getRow().seq,
    );
  }

  readHistory(): readonly HistoryEntry[] {
    return (this.#history ??= this.#readStoredHistory());
  }

  /** The statuses that the newest changes after `seq` entered, in order. Reads few rows, whatever the thread's length. */
  listMovesAfter(seq: number): [seq: number, status: Status][] {
    const ofChanges = this.#sql
      .exec<{ seq: number; entries: string }>(
        `SELECT seq, history AS entries FROM documents
         WHERE serial > (SELECT max(serial) FROM documents) - ? AND seq > ? AND history IS NOT NULL
         ORDER BY serial`,
        MAX_MOVES_ROWS,
        seq,
      )
      .toArray();
    const others = this.#tables.run<{ seq: number; entries: string }>(
      "history",
      "SELECT seq, '[' || entry || ']' AS entries FROM history WHERE seq > ? ORDER BY n DESC LIMIT ?",
      seq,
      MAX_MOVES_ROWS,
    );
    return [...ofChanges, ...others.toReversed()]
      .toSorted((a, b) => a.seq - b.seq)
      .flatMap(({ seq: at, entries }) =>
        (JSON.parse(entries) as HistoryEntry[]).flatMap(({ action }): [number, Status][] => {
          const status = STATUSES.find((one) => one === action);
          return status ? [[at, status]] : [];
        }),
      );
  }

  /** Reads every row, since a thread has few entries but many documents. */
  #readStoredHistory(): HistoryEntry[] {
    const ofChanges = this.#sql
      .exec<{ seq: number; entries: string }>(
        "SELECT seq, history AS entries FROM documents WHERE history IS NOT NULL ORDER BY serial",
      )
      .toArray();
    const others = this.#tables.run<{ seq: number; entries: string }>(
      "history",
      "SELECT seq, '[' || entry || ']' AS entries FROM history ORDER BY n",
    );
    // The sort is stable: entries that were added after a change follow those of the change.
    return [...ofChanges, ...others]
      .toSorted((a, b) => a.seq - b.seq)
      .flatMap(({ entries }) => JSON.parse(entries) as HistoryEntry[]);
  }

  /** Documents of changes after `seq`, each followed by its ack. Reads no row before them. */
  readDocumentsAfter(seq: number): MessageDocument[] {
    return this.#readRowsAfter(seq).flatMap(toDocuments);
  }

  /** Like `readDocumentsAfter`, with files as `content://` resources, and the files that are kept in the messages. */
  readResourcesAfter(seq: number): { messages: MessageDocument[]; files: InlineFile[] } {
    const isTaken = (name: string) => isFileNameTaken(this, name);
    const { ref } = this.readState();
    const read = this.#readRowsAfter(seq).map((row) => {
      const [document, ...acks] = toDocuments(row);
      return { ...toResourceDocument(document!, ref, row.serial, isTaken), acks };
    });
    return {
      messages: read.flatMap(({ document, acks }) => [document, ...acks]),
      files: read.flatMap(({ files }) => files),
    };
  }

  /** About `limit` messages of changes after `seq`, without acks, with files as `content://` resources. */
  readNamedMessagesAfter(seq: number, limit: number): { messages: NamedMessage[]; more: boolean } {
    const isTaken = (name: string) => isFileNameTaken(this, name);
    const { ref } = this.readState();
    const rows = this.#readRowsAfter(seq);
    // The messages of one change stay together, since the next page begins after a change.
    const last = rows[limit - 1]?.seq ?? Infinity;
    const page = rows.filter((row) => row.seq <= last);
    const messages = page.map((row) => {
      const document = JSON.parse(row.document) as MessageDocument;
      const shown = toResourceDocument(document, ref, row.serial, isTaken).document;
      return { seq: row.seq, serial: row.serial, name: row.name, document: shown };
    });
    return { messages, more: rows.length > page.length };
  }

  #readRowsAfter(seq: number): DocumentRow[] {
    const rows: DocumentRow[] = [];
    for (const row of this.#sql.exec<DocumentRow>(
      "SELECT serial, seq, name, document, acks FROM documents ORDER BY serial DESC",
    )) {
      if (row.seq <= seq) break;
      rows.push(row);
    }
    return rows.toReversed();
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

  /** Call it when a stored message was changed. */
  forgetText(): void {
    this.#searchText = undefined;
    this.#unreadBlocks = [];
  }

  getFact(key: FactKey): string | undefined {
    const [row] = this.#sql
      .exec<{ facts: string | null }>("SELECT facts FROM documents WHERE serial = 0")
      .toArray();
    const facts = JSON.parse(row?.facts ?? "{}") as Partial<Record<FactKey, string>>;
    if (facts[key] !== undefined) return facts[key];
    const query = "SELECT value FROM facts WHERE key = ?";
    return this.#tables.run<{ value: string }>("facts", query, key)[0]?.value;
  }

  setFact(key: FactKey, value: string): void {
    const query = "INSERT OR REPLACE INTO facts (key, value) VALUES (?, ?)";
    this.#tables.insert("facts", query, key, value);
  }

  /** The searchable text: of the first documents, up to a maximum. */
  getSearchText(): string {
    this.#searchText ??= this.#readSearchText();
    for (const blocks of this.#unreadBlocks.splice(0))
      this.#searchText = appendSearchText(this.#searchText, blocks);
    return this.#searchText;
  }

  #readSearchText(): string {
    let text = "";
    for (const { document } of this.#sql.exec<{ document: string }>(
      "SELECT document FROM documents ORDER BY serial",
    )) {
      text = appendSearchText(text, readBlocks((JSON.parse(document) as MessageDocument).MESS));
      if (isSearchTextFull(text)) break;
    }
    return text;
  }

  /** R2 keys of attachments and of staged uploads. */
  listBlobKeys(): string[] {
    return [...this.attachments.list(), ...this.uploads.list()].map(({ key }) => key);
  }

  /** The receipt is null if the key was used for a call that was no message. */
  findReceipt(key: string): { digest: string; receipt: Receipt | null } | undefined {
    const [row] = this.#tables.run<{ digest: string; receipt: string }>(
      "idempotency",
      "SELECT digest, receipt FROM idempotency WHERE key = ?",
      key,
    );
    return row && { digest: row.digest, receipt: JSON.parse(row.receipt) as Receipt | null };
  }

  saveReceipt({ key, digest }: Idempotency, receipt: Receipt): void {
    this.#tables.insert(
      "idempotency",
      "INSERT INTO idempotency (key, digest, receipt) VALUES (?, ?, ?)",
      key,
      digest,
      JSON.stringify(receipt),
    );
  }
}

/** A message with its place in the thread. The request and messages of the exchange may have no name. */
export interface NamedMessage {
  seq: number;
  serial: number;
  name: string | null;
  document: MessageDocument;
}

type DocumentRow = {
  serial: number;
  seq: number;
  name: string | null;
  document: string;
  acks: string;
};

/** A document as a file holds it: the message, then the exchange's acks (decision 14). */
const toDocuments = (row: DocumentRow): MessageDocument[] => [
  JSON.parse(row.document) as MessageDocument,
  ...(JSON.parse(row.acks) as MessageDocument[]),
];
