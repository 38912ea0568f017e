/** The tables of a thread. Only `create` and `adopt` make them, so that a look-up of an unknown ref stores nothing. */
import { runMigrations, hasTable } from "../object/migrations.ts";

const MIGRATIONS: readonly string[] = [
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
];

/** True once the thread was created here. Reads the schema only. */
export const isCreated = (sql: SqlStorage): boolean => hasTable(sql, "thread");

/** Applies missing migrations inside the caller's transaction. */
export const migrate = (sql: SqlStorage): void => runMigrations(sql, MIGRATIONS);
