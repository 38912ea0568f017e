/** SQL migrations of a source's object. */
import { JOBS_TABLE } from "../../object/job-table.ts";
import { CLASSIFIER_TABLES } from "./classifier-state.ts";
import { DRAFT_TABLES } from "./draft-table.ts";
import { POLL_TABLE } from "./poll-row.ts";
import { PROBLEMS_TABLE } from "./problem-table.ts";
import { OWNER_REQUESTS_TABLE } from "./owner-request-table.ts";

/**
 * Columns before `files` are read for lists, without the pages that headers and a long body take. `progress` is the
 * status that an archived message has again when it is taken out of the archive.
 */
const MESSAGES_TABLE = `
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    external_id TEXT NOT NULL,
    received INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    status TEXT NOT NULL,
    progress TEXT NOT NULL,
    tier TEXT,
    reason TEXT,
    classified_by TEXT,
    waiting INTEGER NOT NULL,
    provisional INTEGER NOT NULL,
    urgency INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    flagged INTEGER NOT NULL,
    automatic TEXT,
    draft TEXT,
    sender TEXT NOT NULL,
    sender_name TEXT,
    subject TEXT,
    excerpt TEXT NOT NULL,
    attachments INTEGER NOT NULL,
    files TEXT,
    details TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE UNIQUE INDEX messages_by_external_id ON messages (external_id);
  CREATE INDEX messages_by_status ON messages (status);
  CREATE INDEX messages_by_tier ON messages (tier) WHERE tier IS NOT NULL;
  CREATE INDEX messages_unseen ON messages (seq) WHERE seen = 0;
  CREATE INDEX messages_flagged ON messages (seq) WHERE flagged = 1;
  CREATE INDEX messages_waiting ON messages (seq) WHERE waiting = 1;`;

/** The counters that `status` shows, and the state of the kind. `reindexed` is the position up to which a rebuild came. */
const STATE_TABLE = `
  CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    newest INTEGER NOT NULL DEFAULT 0,
    newest_at INTEGER NOT NULL DEFAULT 0,
    messages INTEGER NOT NULL DEFAULT 0,
    unseen INTEGER NOT NULL DEFAULT 0,
    unclassified INTEGER NOT NULL DEFAULT 0,
    drafts INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    reindexed INTEGER,
    kind_state TEXT
  );
  INSERT INTO state (one) VALUES (1);`;

/** Positions of messages that were added, changed or deleted since the index in D1 was written. */
const UNINDEXED_TABLE = `
  CREATE TABLE unindexed (
    seq INTEGER PRIMARY KEY,
    change INTEGER NOT NULL DEFAULT 1
  );`;

export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE record (one INTEGER PRIMARY KEY CHECK (one = 1), record TEXT NOT NULL);
  ${JOBS_TABLE}
  ${MESSAGES_TABLE}
  ${STATE_TABLE}
  ${POLL_TABLE}
  ${UNINDEXED_TABLE}
  ${PROBLEMS_TABLE}
  ${CLASSIFIER_TABLES}
  ${DRAFT_TABLES}
  ${OWNER_REQUESTS_TABLE}`,
];
