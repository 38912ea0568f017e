/** The message sources of a household, in SQLite. They are set by `sources` of `config` blocks. */
import type { SourceRecord } from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import type { JsonMap } from "../../mess/json.ts";
import type { SourceKindName } from "../../mess/sources/vocabulary.ts";

export interface StoredSource extends Omit<SourceRecord, "household"> {
  /** As configured, with references to secrets. */
  settings: JsonMap;
}

/** The parts of a source that `config` blocks set. */
export type ConfiguredSource = Omit<StoredSource, "revision" | "created" | "cannot_send">;

interface SourceRow extends Record<string, SqlStorageValue> {
  name: string;
  kind: SourceKindName;
  title: string | null;
  status: SourceRecord["status"];
  settings: string;
  cannot_send: string | null;
  revision: number;
  created: number;
}

/** Part of a released migration: change the table by a new migration only. */
export const SOURCES_TABLE = `
  CREATE TABLE message_sources (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    title TEXT,
    status TEXT NOT NULL,
    settings TEXT NOT NULL,
    cannot_send TEXT,
    revision INTEGER NOT NULL,
    created INTEGER NOT NULL
  ) WITHOUT ROWID;`;

const toSource = ({ title, settings, cannot_send, ...row }: SourceRow): StoredSource => ({
  ...row,
  settings: JSON.parse(settings) as JsonMap,
  ...defined({ title: title ?? undefined, cannot_send: cannot_send ?? undefined }),
});

export class MessageSourceTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(name: string): StoredSource | undefined {
    return this.#sql
      .exec<SourceRow>("SELECT * FROM message_sources WHERE name = ?", name)
      .toArray()
      .map(toSource)[0];
  }

  /** The name of the connected source of the kind. */
  findConnected(kind: SourceKindName): string | undefined {
    return this.#sql
      .exec<{ name: string }>(
        "SELECT name FROM message_sources WHERE kind = ? AND status = 'connected' ORDER BY created, name LIMIT 1",
        kind,
      )
      .toArray()[0]?.name;
  }

  list(): StoredSource[] {
    return this.#sql
      .exec<SourceRow>("SELECT * FROM message_sources ORDER BY name")
      .toArray()
      .map(toSource);
  }

  put({
    name,
    kind,
    title,
    status,
    settings,
    revision,
    created,
  }: Omit<StoredSource, "cannot_send">) {
    this.#sql.exec(
      `INSERT INTO message_sources (name, kind, title, status, settings, revision, created)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET title = excluded.title, status = excluded.status,
         settings = excluded.settings, revision = excluded.revision`,
      name,
      kind,
      title ?? null,
      status,
      JSON.stringify(settings),
      revision,
      created,
    );
  }

  setCannotSend(name: string, reason: string | undefined): void {
    this.#sql.exec(
      "UPDATE message_sources SET cannot_send = ?1 WHERE name = ?2 AND cannot_send IS NOT ?1",
      reason ?? null,
      name,
    );
  }

  remove(name: string): void {
    this.#sql.exec("DELETE FROM message_sources WHERE name = ?", name);
  }
}
