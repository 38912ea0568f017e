-- The index of all households' threads: one row a thread, written by its outbox, rebuilt from the Durable Objects.
-- Triggers update the two derived tables, so a write is a single upsert.

CREATE TABLE threads (
  id INTEGER PRIMARY KEY,
  household TEXT NOT NULL,
  ref TEXT NOT NULL,
  client_id TEXT,
  -- Rises with every change of the thread, so an older summary that arrives late is ignored.
  seq INTEGER NOT NULL,
  status TEXT NOT NULL,
  partition TEXT NOT NULL,
  requestor TEXT NOT NULL,
  executor TEXT,
  -- JSON list of actors, sorted, without duplicates.
  participants TEXT NOT NULL,
  intent TEXT NOT NULL,
  priority TEXT NOT NULL,
  zone TEXT NOT NULL,
  -- Milliseconds since 1970 UTC.
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  expires INTEGER,
  -- The thread's distinct words in normalized form, separated by single spaces.
  words TEXT NOT NULL,
  UNIQUE (household, ref)
);

-- A list reads one range for each status and merges them, so these three indexes serve every filter.
CREATE INDEX threads_by_status ON threads (household, status, updated, ref);
CREATE INDEX threads_by_requestor ON threads (household, requestor, status, updated, ref);
CREATE INDEX threads_by_executor ON threads (household, executor, status, updated, ref)
  WHERE executor IS NOT NULL;

CREATE TABLE participants (
  household TEXT NOT NULL,
  actor TEXT NOT NULL,
  status TEXT NOT NULL,
  updated INTEGER NOT NULL,
  ref TEXT NOT NULL,
  thread INTEGER NOT NULL,
  PRIMARY KEY (household, actor, status, updated, ref)
) WITHOUT ROWID;

-- Each word is prefixed with its household in hex. A search of one household therefore neither matches nor reads the
-- words of another.
CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, tokenize='unicode61');

CREATE TRIGGER threads_inserted AFTER INSERT ON threads BEGIN
  INSERT INTO participants (household, actor, status, updated, ref, thread)
    SELECT new.household, value, new.status, new.updated, new.ref, new.id FROM json_each(new.participants);
  INSERT INTO search (rowid, words)
    VALUES (new.id, hex(new.household) || 'x' || replace(new.words, ' ', ' ' || hex(new.household) || 'x'));
END;

CREATE TRIGGER threads_moved AFTER UPDATE OF status, updated ON threads
WHEN new.participants = old.participants AND (new.status <> old.status OR new.updated <> old.updated) BEGIN
  UPDATE participants SET status = new.status, updated = new.updated
    WHERE household = old.household AND actor IN (SELECT value FROM json_each(old.participants))
      AND status = old.status AND updated = old.updated AND ref = old.ref;
END;

CREATE TRIGGER threads_joined AFTER UPDATE OF participants ON threads
WHEN new.participants <> old.participants BEGIN
  DELETE FROM participants
    WHERE household = old.household AND actor IN (SELECT value FROM json_each(old.participants))
      AND status = old.status AND updated = old.updated AND ref = old.ref;
  INSERT INTO participants (household, actor, status, updated, ref, thread)
    SELECT new.household, value, new.status, new.updated, new.ref, new.id FROM json_each(new.participants);
END;

CREATE TRIGGER threads_reworded AFTER UPDATE OF words ON threads
WHEN new.words <> old.words BEGIN
  DELETE FROM search WHERE rowid = old.id;
  INSERT INTO search (rowid, words)
    VALUES (new.id, hex(new.household) || 'x' || replace(new.words, ' ', ' ' || hex(new.household) || 'x'));
END;

CREATE TRIGGER threads_deleted AFTER DELETE ON threads BEGIN
  DELETE FROM participants
    WHERE household = old.household AND actor IN (SELECT value FROM json_each(old.participants))
      AND status = old.status AND updated = old.updated AND ref = old.ref;
  DELETE FROM search WHERE rowid = old.id;
END;
