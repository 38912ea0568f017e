/** The tables of a thread. Only `create` and `adopt` create them, so that a look-up of an unknown ref stores nothing. */
import { runMigrations } from "../object/migrations.ts";
import { OptionalTables } from "../object/optional-tables.ts";

/** Tables that every thread has. Columns before `document` are read without the pages that a long document takes. */
const TABLES = `
  CREATE TABLE thread (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    household TEXT NOT NULL,
    state TEXT NOT NULL,
    seq INTEGER NOT NULL,
    indexed INTEGER NOT NULL DEFAULT 0,
    told INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 7
  );
  CREATE TABLE documents (
    serial INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    name TEXT,
    history TEXT,
    attachments TEXT,
    facts TEXT,
    document TEXT NOT NULL,
    acks TEXT NOT NULL,
    yaml TEXT
  );`;

/** Deliveries that need a run. The others are not written to an index, since a thread has few of them. */
const DELIVERIES_INDEX =
  "CREATE INDEX deliveries_open ON deliveries (due) WHERE state = 'due' OR (state = 'dead' AND told = 0);";

/**
 * Tables that a thread creates with their first row, in their newest version. A migration that changes one of them must
 * skip threads that do not have it.
 */
export const OPTIONAL_TABLES = {
  facts: "CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
  history:
    "CREATE TABLE history (n INTEGER PRIMARY KEY, entry TEXT NOT NULL, seq INTEGER NOT NULL DEFAULT 0);",
  attachments: `
    CREATE TABLE attachments (
      name TEXT PRIMARY KEY,
      serial INTEGER NOT NULL,
      original TEXT,
      mime TEXT NOT NULL,
      size INTEGER NOT NULL,
      key TEXT NOT NULL
    ) WITHOUT ROWID;`,
  uploads:
    "CREATE TABLE uploads (token TEXT PRIMARY KEY, blob TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;",
  transfers:
    "CREATE TABLE transfers (id TEXT PRIMARY KEY, transfer TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;",
  idempotency:
    "CREATE TABLE idempotency (key TEXT PRIMARY KEY, digest TEXT NOT NULL, receipt TEXT NOT NULL) WITHOUT ROWID;",
  links: `
    CREATE TABLE links (
      number INTEGER PRIMARY KEY,
      jti TEXT NOT NULL UNIQUE,
      executor TEXT NOT NULL,
      permissions TEXT NOT NULL,
      made INTEGER NOT NULL,
      expires INTEGER NOT NULL,
      revoked INTEGER NOT NULL,
      call TEXT,
      made_with TEXT,
      membership INTEGER
    );
    CREATE UNIQUE INDEX links_by_call ON links (call) WHERE call IS NOT NULL;`,
  asked_for_links:
    "CREATE TABLE asked_for_links (executor TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;",
  ended_access:
    "CREATE TABLE ended_access (subject TEXT PRIMARY KEY, membership INTEGER, at INTEGER NOT NULL) WITHOUT ROWID;",
  deliveries: `
    CREATE TABLE deliveries (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      executor TEXT NOT NULL,
      kind TEXT NOT NULL,
      state TEXT NOT NULL,
      channel TEXT,
      alone INTEGER NOT NULL,
      handle TEXT,
      happening TEXT,
      attempts INTEGER NOT NULL,
      due INTEGER NOT NULL,
      error TEXT,
      at INTEGER NOT NULL,
      told INTEGER NOT NULL DEFAULT 0
    );
    ${DELIVERIES_INDEX}`,
  effects: "CREATE TABLE effects (n INTEGER PRIMARY KEY, effect TEXT NOT NULL);",
} as const;

export type ThreadTables = OptionalTables<keyof typeof OPTIONAL_TABLES>;

export const createThreadTables = (sql: SqlStorage): ThreadTables =>
  new OptionalTables(sql, OPTIONAL_TABLES);

/** Migrations of threads created by versions that did not store `version` in the thread's row; the last one adds it. */
export const FIRST_MIGRATIONS: readonly string[] = [
  `CREATE TABLE thread (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     household TEXT NOT NULL,
     state TEXT NOT NULL,
     seq INTEGER NOT NULL,
     indexed INTEGER NOT NULL DEFAULT 0,
     told INTEGER NOT NULL DEFAULT 0
   );
   CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE documents (
     serial INTEGER PRIMARY KEY,
     seq INTEGER NOT NULL,
     name TEXT,
     document TEXT NOT NULL,
     acks TEXT NOT NULL
   );
   CREATE TABLE history (n INTEGER PRIMARY KEY, entry TEXT NOT NULL);
   CREATE TABLE attachments (
     name TEXT PRIMARY KEY,
     serial INTEGER NOT NULL,
     original TEXT,
     mime TEXT NOT NULL,
     size INTEGER NOT NULL,
     key TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE uploads (token TEXT PRIMARY KEY, blob TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE idempotency (key TEXT PRIMARY KEY, digest TEXT NOT NULL, receipt TEXT NOT NULL) WITHOUT ROWID;`,
  `CREATE TABLE links (
     number INTEGER PRIMARY KEY,
     jti TEXT NOT NULL UNIQUE,
     executor TEXT NOT NULL,
     permissions TEXT NOT NULL,
     made INTEGER NOT NULL,
     expires INTEGER NOT NULL,
     revoked INTEGER NOT NULL
   );
   CREATE TABLE asked_for_links (executor TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE transfers (id TEXT PRIMARY KEY, transfer TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;`,
  `CREATE TABLE deliveries (
     n INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     executor TEXT NOT NULL,
     kind TEXT NOT NULL,
     state TEXT NOT NULL,
     channel TEXT,
     alone INTEGER NOT NULL,
     handle TEXT,
     happening TEXT,
     attempts INTEGER NOT NULL,
     due INTEGER NOT NULL,
     error TEXT,
     at INTEGER NOT NULL,
     told INTEGER NOT NULL DEFAULT 0
   );
   CREATE INDEX deliveries_by_state ON deliveries (state, executor, due);`,
  `ALTER TABLE links ADD COLUMN call TEXT;
   CREATE UNIQUE INDEX links_by_call ON links (call);`,
  `CREATE TABLE effects (n INTEGER PRIMARY KEY, effect TEXT NOT NULL);`,
  `ALTER TABLE links ADD COLUMN made_with TEXT;
   ALTER TABLE links ADD COLUMN membership INTEGER;
   CREATE TABLE ended_access (subject TEXT PRIMARY KEY, membership INTEGER, at INTEGER NOT NULL) WITHOUT ROWID;`,
  `ALTER TABLE thread ADD COLUMN version INTEGER NOT NULL DEFAULT 7;
   ALTER TABLE documents ADD COLUMN history TEXT;
   ALTER TABLE documents ADD COLUMN attachments TEXT;
   ALTER TABLE documents ADD COLUMN facts TEXT;
   ALTER TABLE documents ADD COLUMN yaml TEXT;
   ALTER TABLE history ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
   DROP INDEX deliveries_by_state;
   ${DELIVERIES_INDEX}
   DROP INDEX links_by_call;
   CREATE UNIQUE INDEX links_by_call ON links (call) WHERE call IS NOT NULL;
   DELETE FROM facts WHERE key = 'text';`,
];

/** True once the thread was created here, until it is deleted. Reads the schema only. */
export const isCreated = (tables: ThreadTables): boolean =>
  tables.has("thread") && !tables.has("deleted");

/** Makes the tables of a new thread, inside the caller's transaction. */
export const createTables = (tables: ThreadTables): void => tables.create(TABLES);

/** Applies the migrations that a thread of an earlier version lacks. */
export function migrate(storage: DurableObjectStorage, tables: ThreadTables): void {
  if (!tables.has("migrations")) return;
  storage.transactionSync(() => runMigrations(storage.sql, FIRST_MIGRATIONS));
  tables.clearCache();
}
