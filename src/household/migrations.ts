/** SQL migrations of the household's object. Only `setUp` runs the first one, so that probing an id stores nothing. */
import { JOBS_TABLE } from "../object/job-table.ts";
import { runMigrations, hasTable } from "../object/migrations.ts";
import { GROUP_MEMBERS_TABLE } from "./memberships/group-member-store.ts";
import { GROUPS_TABLE } from "./memberships/group-catalog.ts";
import { GUIDANCE_TABLES } from "./message-sources/guidance-table.ts";
import { NOTICES_TABLE } from "./message-sources/notice-table.ts";
import { SOURCES_TABLE } from "./message-sources/source-table.ts";
import { POOL_ENTRIES_TABLE } from "./memberships/pools/pool-store.ts";

export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE members (id TEXT PRIMARY KEY, executor TEXT, created INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE credentials (
     hash TEXT PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     actor TEXT NOT NULL,
     role TEXT NOT NULL,
     label TEXT,
     created INTEGER NOT NULL,
     revoked INTEGER
   ) WITHOUT ROWID;
   CREATE TABLE capabilities (id TEXT PRIMARY KEY, entry TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE serials (day TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE threads (
     n INTEGER PRIMARY KEY AUTOINCREMENT,
     ref TEXT NOT NULL UNIQUE,
     short TEXT,
     requestor TEXT NOT NULL,
     opened INTEGER NOT NULL,
     heard INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     status TEXT NOT NULL,
     executor TEXT,
     participants TEXT NOT NULL
   );
   CREATE INDEX threads_by_short ON threads (short);
   CREATE INDEX threads_by_requestor ON threads (requestor, opened, n);
   CREATE INDEX threads_by_heard ON threads (heard);
   CREATE INDEX threads_awaited ON threads (opened) WHERE seq = 0 AND status = 'pending';
   CREATE TABLE participants (ref TEXT NOT NULL, actor TEXT NOT NULL, PRIMARY KEY (ref, actor)) WITHOUT ROWID;
   CREATE TABLE client_ids (
     n INTEGER PRIMARY KEY,
     actor TEXT NOT NULL,
     client_id TEXT NOT NULL,
     digest TEXT NOT NULL,
     ref TEXT NOT NULL,
     at INTEGER NOT NULL
   );
   CREATE INDEX client_ids_by_name ON client_ids (actor, client_id, at);
   CREATE TABLE calls (
     actor TEXT NOT NULL, key TEXT NOT NULL, digests TEXT NOT NULL, refs TEXT NOT NULL,
     PRIMARY KEY (actor, key)
   ) WITHOUT ROWID;
   CREATE TABLE resolutions (
     actor TEXT NOT NULL, key TEXT NOT NULL, target TEXT NOT NULL, resolved TEXT NOT NULL,
     PRIMARY KEY (actor, key, target)
   ) WITHOUT ROWID;
   CREATE TABLE dependencies (
     ref TEXT NOT NULL, depends_on TEXT NOT NULL, policy TEXT NOT NULL,
     PRIMARY KEY (ref, depends_on)
   ) WITHOUT ROWID;
   CREATE INDEX dependencies_by_target ON dependencies (depends_on);
   CREATE TABLE unblocks (
     ref TEXT NOT NULL, dependency TEXT NOT NULL, status TEXT NOT NULL,
     attempts INTEGER NOT NULL, due INTEGER NOT NULL,
     PRIMARY KEY (ref, dependency)
   ) WITHOUT ROWID;
   CREATE TABLE events (
     cursor INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     ref TEXT NOT NULL,
     status TEXT NOT NULL,
     executor TEXT,
     requestor TEXT NOT NULL
   );`,
  `CREATE TABLE people (
     actor TEXT PRIMARY KEY, role TEXT NOT NULL, created INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE sign_in_links (
     hash TEXT PRIMARY KEY, actor TEXT NOT NULL, expires INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE sessions (
     hash TEXT PRIMARY KEY, actor TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE passkeys (
     id TEXT PRIMARY KEY,
     actor TEXT NOT NULL,
     public_key BLOB NOT NULL,
     counter INTEGER NOT NULL,
     transports TEXT NOT NULL,
     households TEXT NOT NULL,
     created INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX passkeys_by_actor ON passkeys (actor);
   CREATE TABLE challenges (id TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE grants (
     id TEXT PRIMARY KEY,
     person TEXT NOT NULL,
     actor TEXT NOT NULL,
     role TEXT NOT NULL,
     client_id TEXT NOT NULL,
     client TEXT NOT NULL,
     host TEXT NOT NULL,
     created INTEGER NOT NULL,
     used INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX grants_by_person ON grants (person, client_id);
   CREATE TABLE clients (
     person TEXT NOT NULL, label TEXT NOT NULL, actor TEXT NOT NULL UNIQUE,
     PRIMARY KEY (person, label)
   ) WITHOUT ROWID;`,
  `ALTER TABLE events ADD COLUMN action TEXT;
   ALTER TABLE events ADD COLUMN actor TEXT;
   CREATE INDEX events_of_actions ON events (ref) WHERE action IS NOT NULL;`,
  `CREATE TABLE secrets (
     name TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     iv BLOB NOT NULL,
     sealed BLOB NOT NULL,
     fingerprint TEXT NOT NULL,
     derived INTEGER NOT NULL,
     created INTEGER NOT NULL,
     updated INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE breakers (
     executor TEXT NOT NULL,
     channel TEXT NOT NULL,
     failures INTEGER NOT NULL DEFAULT 0,
     pause INTEGER NOT NULL DEFAULT 0,
     until INTEGER NOT NULL DEFAULT 0,
     trial INTEGER NOT NULL DEFAULT 0,
     gone INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (executor, channel)
   ) WITHOUT ROWID;
   CREATE TABLE sendings (
     n INTEGER PRIMARY KEY,
     channel TEXT NOT NULL,
     identity TEXT NOT NULL,
     handle TEXT,
     actor TEXT NOT NULL,
     ref TEXT NOT NULL,
     at INTEGER NOT NULL
   );
   CREATE INDEX sendings_by_identity ON sendings (channel, identity, n);
   CREATE INDEX sendings_by_handle ON sendings (channel, identity, handle);
   CREATE INDEX sendings_by_ref ON sendings (ref, identity);
   CREATE INDEX sendings_by_age ON sendings (at);
   CREATE TABLE heard (
     channel TEXT NOT NULL,
     id TEXT NOT NULL,
     actor TEXT NOT NULL,
     ref TEXT NOT NULL,
     at INTEGER NOT NULL,
     PRIMARY KEY (channel, id)
   ) WITHOUT ROWID;
   CREATE INDEX heard_by_age ON heard (at);
   CREATE TABLE subscriptions (
     endpoint TEXT PRIMARY KEY, actor TEXT NOT NULL, keys TEXT NOT NULL, at INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX subscriptions_by_actor ON subscriptions (actor, at);
   CREATE TABLE presence (
     actor TEXT PRIMARY KEY, state TEXT NOT NULL, until INTEGER, at INTEGER NOT NULL
   ) WITHOUT ROWID;
   ALTER TABLE events ADD COLUMN channel TEXT;
   INSERT INTO settings (key, value)
     SELECT 'dispatch', json_extract(value, '$.dispatch') FROM settings
     WHERE key = 'other' AND json_type(value, '$.dispatch') = 'object';
   UPDATE settings SET value = json_remove(value, '$.dispatch') WHERE key = 'other';`,
  `CREATE TABLE schedules (
     id TEXT PRIMARY KEY,
     schedule TEXT NOT NULL,
     made INTEGER NOT NULL,
     next INTEGER,
     last TEXT
   ) WITHOUT ROWID;
   CREATE INDEX schedules_by_next ON schedules (next) WHERE next IS NOT NULL;
   CREATE TABLE errands (
     n INTEGER PRIMARY KEY AUTOINCREMENT,
     bundle TEXT NOT NULL,
     ref TEXT NOT NULL,
     errand TEXT NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     due INTEGER NOT NULL
   );
   CREATE INDEX errands_by_bundle ON errands (bundle, n);
   CREATE TABLE observations (
     asks TEXT PRIMARY KEY,
     ref TEXT NOT NULL,
     asked TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE joins (ref TEXT PRIMARY KEY, joined TEXT NOT NULL, told INTEGER NOT NULL) WITHOUT ROWID;
   CREATE INDEX joins_untold ON joins (joined) WHERE told = 0;
   ALTER TABLE events ADD COLUMN schedule TEXT;
   ALTER TABLE events ADD COLUMN note TEXT;`,
  `CREATE INDEX threads_held ON threads (executor) WHERE executor IS NOT NULL AND status IN
     ('claimed', 'in_progress', 'waiting', 'held', 'retrying', 'needs_input', 'needs_confirmation');
   CREATE INDEX participants_by_actor ON participants (actor);
   CREATE INDEX client_ids_by_use ON client_ids (actor, n);
   CREATE INDEX sendings_by_actor ON sendings (actor);
   CREATE TABLE retired (executor TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE revocations (
     ref TEXT NOT NULL, executor TEXT NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL,
     PRIMARY KEY (ref, executor)
   ) WITHOUT ROWID;`,
  `ALTER TABLE joins ADD COLUMN within INTEGER NOT NULL DEFAULT 0;`,
  `ALTER TABLE threads ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
   UPDATE threads SET change = n WHERE seq > 0;
   CREATE INDEX threads_by_change ON threads (change);
   CREATE INDEX threads_unfinished ON threads (change) WHERE status IN ('pending', 'claimed',
     'in_progress', 'waiting', 'held', 'retrying', 'needs_input', 'needs_confirmation');`,
  `CREATE INDEX revocations_by_due ON revocations (due);`,
  `ALTER TABLE sendings ADD COLUMN alert INTEGER NOT NULL DEFAULT 0;`,
  `ALTER TABLE members ADD COLUMN membership INTEGER NOT NULL DEFAULT 0;
   UPDATE members SET membership = 1
     WHERE executor IS NULL OR id IN (SELECT executor FROM revocations);
   CREATE TABLE derived_access (
     credential TEXT NOT NULL, ref TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (credential, ref)
   ) WITHOUT ROWID;
   CREATE TABLE access_ends (
     ref TEXT NOT NULL, subject TEXT NOT NULL, membership INTEGER,
     attempts INTEGER NOT NULL DEFAULT 0, due INTEGER NOT NULL, PRIMARY KEY (ref, subject)
   ) WITHOUT ROWID;
   CREATE INDEX access_ends_by_due ON access_ends (due);
   INSERT INTO access_ends (ref, subject, membership, attempts, due)
     SELECT ref, executor, 0, attempts, due FROM revocations;
   DELETE FROM revocations;
   ALTER TABLE sign_in_links ADD COLUMN made_with TEXT;
   ALTER TABLE sessions ADD COLUMN made_with TEXT;
   ALTER TABLE grants ADD COLUMN made_with TEXT;
   ALTER TABLE subscriptions ADD COLUMN session TEXT;`,
  // Moves the pending rows of three older queues into one. Dependents that are not created yet are notified on
  // creation.
  `${JOBS_TABLE}
   INSERT INTO jobs (queue, kind, payload, attempts, due)
     SELECT bundle, json_extract(errand, '$.do'), CASE json_extract(errand, '$.do')
       WHEN 'say' THEN json_object('ref', ref, 'message', json_extract(errand, '$.told'))
       ELSE json_set(json_remove(errand, '$.do'), '$.ref', ref) END, attempts, due
     FROM errands ORDER BY n;
   INSERT INTO jobs (queue, kind, payload, attempts, due)
     SELECT 'unblock ' || u.ref || ' ' || u.dependency, 'unblock',
       json_object('ref', u.ref, 'dependency', u.dependency, 'status', u.status), u.attempts, u.due
     FROM unblocks u JOIN threads t ON t.ref = u.ref WHERE t.seq > 0 ORDER BY u.due;
   INSERT INTO jobs (queue, kind, payload, attempts, due)
     SELECT 'revokeLinks ' || ref || ' ' || subject, 'revokeLinks',
       CASE WHEN membership IS NULL
         THEN json_object('ref', ref, 'end', json_object('credential', subject))
         ELSE json_object('ref', ref, 'end', json_object('executor', subject, 'membership', membership))
       END, attempts, due
     FROM access_ends ORDER BY due;
   DROP TABLE errands;
   DROP TABLE unblocks;
   DROP TABLE access_ends;
   DROP TABLE revocations;`,
  // Every row and every entry of an index is billed when it is written, so a thread has one row and two entries: client
  // ids and participants are columns, and `change` is 0 until the thread exists.
  `CREATE TABLE catalog (
     ref TEXT PRIMARY KEY,
     requestor TEXT NOT NULL,
     opened INTEGER NOT NULL,
     heard INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     status TEXT NOT NULL,
     open INTEGER NOT NULL,
     executor TEXT,
     participants TEXT NOT NULL,
     change INTEGER NOT NULL,
     client_id TEXT,
     digest TEXT
   ) WITHOUT ROWID;
   CREATE INDEX client_ids_by_ref ON client_ids (ref);
   INSERT INTO catalog (ref, requestor, opened, heard, seq, status, open, executor, participants, change, client_id, digest)
     SELECT t.ref, t.requestor, t.opened, t.heard, t.seq, t.status,
       t.status IN ('pending', 'claimed', 'in_progress', 'waiting', 'held', 'retrying', 'needs_input', 'needs_confirmation'),
       t.executor, t.participants, t.change, c.client_id, c.digest
     FROM threads t LEFT JOIN client_ids c ON c.n = (SELECT max(n) FROM client_ids WHERE ref = t.ref);
   DROP TABLE threads;
   DROP TABLE participants;
   DROP TABLE client_ids;
   ALTER TABLE catalog RENAME TO threads;
   CREATE INDEX threads_by_client_id ON threads (requestor, client_id, opened) WHERE client_id IS NOT NULL;
   CREATE INDEX threads_by_change ON threads (open, change);
   CREATE INDEX threads_held ON threads (executor) WHERE executor IS NOT NULL AND open = 1;
   CREATE TABLE log (
     cursor INTEGER PRIMARY KEY,
     at INTEGER NOT NULL,
     ref TEXT NOT NULL,
     status TEXT NOT NULL,
     executor TEXT,
     requestor TEXT NOT NULL,
     action TEXT,
     actor TEXT,
     channel TEXT,
     schedule TEXT,
     note TEXT
   );
   INSERT INTO log SELECT cursor, at, ref, status, executor, requestor, action, actor, channel, schedule, note FROM events;
   DROP TABLE events;
   ALTER TABLE log RENAME TO events;
   CREATE INDEX events_of_actions ON events (ref) WHERE action IS NOT NULL;
   DROP INDEX sendings_by_actor;
   DROP INDEX sendings_by_age;
   DROP INDEX heard_by_age;`,
  `ALTER TABLE credentials ADD COLUMN expires INTEGER;
   ALTER TABLE credentials ADD COLUMN used INTEGER;
   CREATE INDEX credentials_by_expiry ON credentials (expires)
     WHERE expires IS NOT NULL AND revoked IS NULL;`,
  `CREATE TABLE context_references (
     target TEXT NOT NULL,
     ref TEXT NOT NULL,
     PRIMARY KEY (target, ref)
   ) WITHOUT ROWID;`,
  `CREATE TABLE audit (
     n INTEGER PRIMARY KEY,
     at INTEGER NOT NULL,
     action TEXT NOT NULL,
     actor TEXT NOT NULL,
     credential TEXT NOT NULL,
     credential_id TEXT,
     target TEXT,
     detail TEXT,
     once TEXT
   );
   CREATE UNIQUE INDEX audit_once ON audit (once) WHERE once IS NOT NULL;`,
  `CREATE TABLE stored_files (
     day TEXT NOT NULL, actor TEXT NOT NULL, files INTEGER NOT NULL, bytes INTEGER NOT NULL,
     PRIMARY KEY (day, actor)
   ) WITHOUT ROWID;`,
  `ALTER TABLE secrets ADD COLUMN sealed_with TEXT;`,
  `CREATE TABLE deleted_threads (ref TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;`,
  `ALTER TABLE threads ADD COLUMN suggestions TEXT;
   CREATE INDEX threads_with_suggestions ON threads (ref) WHERE suggestions IS NOT NULL;`,
  `CREATE TABLE mcp_sessions (
     credential TEXT NOT NULL,
     session TEXT NOT NULL,
     level TEXT,
     uris TEXT NOT NULL,
     expires INTEGER NOT NULL,
     PRIMARY KEY (credential, session)
   ) WITHOUT ROWID;`,
  `CREATE TABLE held_notices (
     actor TEXT NOT NULL, ref TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (actor, ref)
   ) WITHOUT ROWID;`,
  `CREATE TABLE reservations (
     n INTEGER PRIMARY KEY,
     name TEXT NOT NULL,
     normalized TEXT NOT NULL,
     mode TEXT NOT NULL,
     actor TEXT NOT NULL,
     credential TEXT NOT NULL,
     member TEXT,
     reason TEXT,
     created INTEGER NOT NULL,
     expires INTEGER NOT NULL,
     wanted TEXT NOT NULL
   );`,
  GROUPS_TABLE + GROUP_MEMBERS_TABLE + POOL_ENTRIES_TABLE,
  SOURCES_TABLE +
    GUIDANCE_TABLES +
    NOTICES_TABLE +
    "ALTER TABLE credentials ADD COLUMN paths TEXT;",
  // Earlier passkeys count as verified: owners registered them before there was anything to approve.
  `ALTER TABLE sign_in_links ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE sessions ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE passkeys ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
   UPDATE sign_in_links SET verified = 1 WHERE made_with IS NULL;
   UPDATE sessions SET verified = 1 WHERE made_with IS NULL;
   UPDATE passkeys SET verified = 1;`,
  `ALTER TABLE credentials ADD COLUMN person TEXT;
   ALTER TABLE credentials ADD COLUMN made_with TEXT;`,
  `CREATE TABLE approval_chats (
     channel TEXT NOT NULL, identity TEXT NOT NULL, actor TEXT NOT NULL, confirmed INTEGER NOT NULL,
     PRIMARY KEY (channel, identity, actor)
   ) WITHOUT ROWID;`,
];

/** True once the household was set up in this object. Reads only the schema. */
export const isSetUp = (sql: SqlStorage): boolean => hasTable(sql, "migrations");

/** Runs the migrations that are missing. Call it inside a transaction. */
export const migrate = (sql: SqlStorage): void => runMigrations(sql, MIGRATIONS);
