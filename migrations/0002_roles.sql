-- Every index entry is billed when it is written. The lists of a requestor and of a holder are ranges of the participants
-- by role, so a change of a thread writes one row for each participant, and no entries of two further indexes.

DROP TRIGGER threads_inserted;
DROP TRIGGER threads_moved;
DROP TRIGGER threads_joined;
DROP TRIGGER threads_reworded;
DROP TRIGGER threads_deleted;
DROP INDEX threads_by_requestor;
DROP INDEX threads_by_executor;

CREATE TABLE participants_by_role (
  household TEXT NOT NULL,
  actor TEXT NOT NULL,
  -- `requestor`, `holder`, `both` or `other`.
  role TEXT NOT NULL,
  status TEXT NOT NULL,
  updated INTEGER NOT NULL,
  ref TEXT NOT NULL,
  thread INTEGER NOT NULL,
  PRIMARY KEY (household, actor, role, status, updated, ref)
) WITHOUT ROWID;

INSERT INTO participants_by_role (household, actor, role, status, updated, ref, thread)
  SELECT t.household, value, iif(value = t.requestor, iif(value IS t.executor, 'both', 'requestor'),
    iif(value IS t.executor, 'holder', 'other')), t.status, t.updated, t.ref, t.id
  FROM threads t, json_each(t.participants);

DROP TABLE participants;
ALTER TABLE participants_by_role RENAME TO participants;

CREATE TRIGGER threads_inserted AFTER INSERT ON threads BEGIN
  INSERT INTO participants (household, actor, role, status, updated, ref, thread)
    SELECT new.household, value, iif(value = new.requestor, iif(value IS new.executor, 'both', 'requestor'),
      iif(value IS new.executor, 'holder', 'other')), new.status, new.updated, new.ref, new.id
    FROM json_each(new.participants);
  INSERT INTO search (rowid, words)
    VALUES (new.id, hex(new.household) || 'x' || replace(new.words, ' ', ' ' || hex(new.household) || 'x'));
END;

CREATE TRIGGER threads_moved AFTER UPDATE OF status, updated, requestor, executor ON threads
WHEN new.participants = old.participants AND (new.status <> old.status OR new.updated <> old.updated
  OR new.requestor <> old.requestor OR new.executor IS NOT old.executor) BEGIN
  UPDATE participants SET status = new.status, updated = new.updated,
      role = iif(actor = new.requestor, iif(actor IS new.executor, 'both', 'requestor'),
        iif(actor IS new.executor, 'holder', 'other'))
    WHERE household = old.household AND actor IN (SELECT value FROM json_each(old.participants))
      AND role IN ('requestor', 'holder', 'both', 'other')
      AND status = old.status AND updated = old.updated AND ref = old.ref;
END;

CREATE TRIGGER threads_joined AFTER UPDATE OF participants ON threads
WHEN new.participants <> old.participants BEGIN
  DELETE FROM participants
    WHERE household = old.household AND actor IN (SELECT value FROM json_each(old.participants))
      AND role IN ('requestor', 'holder', 'both', 'other')
      AND status = old.status AND updated = old.updated AND ref = old.ref;
  INSERT INTO participants (household, actor, role, status, updated, ref, thread)
    SELECT new.household, value, iif(value = new.requestor, iif(value IS new.executor, 'both', 'requestor'),
      iif(value IS new.executor, 'holder', 'other')), new.status, new.updated, new.ref, new.id
    FROM json_each(new.participants);
END;

CREATE TRIGGER threads_reworded AFTER UPDATE OF words ON threads
WHEN new.words <> old.words BEGIN
  UPDATE search
    SET words = hex(new.household) || 'x' || replace(new.words, ' ', ' ' || hex(new.household) || 'x')
    WHERE rowid = old.id;
END;

CREATE TRIGGER threads_deleted AFTER DELETE ON threads BEGIN
  DELETE FROM participants
    WHERE household = old.household AND actor IN (SELECT value FROM json_each(old.participants))
      AND role IN ('requestor', 'holder', 'both', 'other')
      AND status = old.status AND updated = old.updated AND ref = old.ref;
  DELETE FROM search WHERE rowid = old.id;
END;
