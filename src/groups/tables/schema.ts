/** The tables of a group. Only `sync` creates them, so that a look-up of an unknown group stores nothing. */
import { JOBS_TABLE } from "../../object/job-table.ts";
import { OptionalTables } from "../../object/optional-tables.ts";

/**
 * Tables that every group has. A message writes three rows: its own, its entry in the index, and the counters of its
 * receiver and sender. Columns before `details` are read without the pages that a long content takes.
 */
const TABLES = `
  CREATE TABLE record (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    record TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    indexed INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    receiver TEXT NOT NULL,
    sender TEXT NOT NULL,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    read INTEGER NOT NULL DEFAULT 0,
    acknowledged INTEGER,
    key TEXT,
    details TEXT NOT NULL,
    content TEXT NOT NULL
  );
  CREATE INDEX messages_by_channel ON messages (receiver, sender);
  CREATE UNIQUE INDEX messages_by_key ON messages (key) WHERE key IS NOT NULL;
  CREATE UNIQUE INDEX messages_by_given_id ON messages (id) WHERE length(id) = 16;
  CREATE TABLE unread (
    reader TEXT NOT NULL,
    sender TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    latest_at INTEGER NOT NULL,
    types TEXT NOT NULL,
    acks INTEGER NOT NULL,
    PRIMARY KEY (reader, sender)
  ) WITHOUT ROWID;
  CREATE TABLE signs_of_life (
    member TEXT PRIMARY KEY,
    seen INTEGER NOT NULL,
    received INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;`;

/** Tables that a group creates with their first row, in their newest version. */
export const OPTIONAL_TABLES = {
  tasks: `
    CREATE TABLE tasks (
      status TEXT NOT NULL,
      agent TEXT NOT NULL,
      seq INTEGER NOT NULL,
      assigner TEXT NOT NULL,
      epoch INTEGER,
      replaced_by TEXT,
      PRIMARY KEY (status, agent, seq)
    ) WITHOUT ROWID;`,
  deletions: `
    CREATE TABLE deletions (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      count INTEGER NOT NULL
    );`,
  handoffs: `
    CREATE TABLE handoffs (
      n INTEGER PRIMARY KEY,
      former TEXT NOT NULL,
      successor TEXT NOT NULL,
      seq INTEGER NOT NULL
    );`,
  executors: `
    CREATE TABLE executors (
      id TEXT PRIMARY KEY,
      role TEXT NOT NULL,
      name TEXT NOT NULL,
      joined INTEGER NOT NULL
    ) WITHOUT ROWID;`,
  requests: `
    CREATE TABLE requests (
      task INTEGER PRIMARY KEY,
      ref TEXT NOT NULL,
      status TEXT NOT NULL,
      seq INTEGER NOT NULL,
      serial INTEGER NOT NULL
    );`,
  cancelled_waits: `
    CREATE TABLE cancelled_waits (
      member TEXT NOT NULL,
      wait TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (member, wait)
    ) WITHOUT ROWID;`,
  jobs: JOBS_TABLE,
} as const;

export type GroupTables = OptionalTables<keyof typeof OPTIONAL_TABLES>;

export const createGroupTables = (sql: SqlStorage): GroupTables =>
  new OptionalTables(sql, OPTIONAL_TABLES);

/** True once the household has sent the group's record. Reads the schema only. */
export const isCreated = (tables: GroupTables): boolean => tables.has("record");

/** Makes the tables of a new group, inside the caller's transaction. */
export const createTables = (tables: GroupTables): void => tables.create(TABLES);
