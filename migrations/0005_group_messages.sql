-- The index of the messages of AI groups, written by the objects of the groups and rebuilt from them.

CREATE TABLE group_messages (
  -- `at` * 1024, plus the number of earlier messages of that millisecond, so that the order of ids is that of time.
  id INTEGER PRIMARY KEY,
  household TEXT NOT NULL,
  group_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  message TEXT NOT NULL,
  -- The first ids of both members, which never change.
  sender TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  receiver TEXT NOT NULL,
  type TEXT NOT NULL,
  -- Milliseconds since 1970 UTC.
  at INTEGER NOT NULL,
  excerpt TEXT NOT NULL,
  -- Distinct terms, separated by single spaces: `x` and a word of the content, or `y` and a condition of a search.
  words TEXT NOT NULL,
  UNIQUE (household, group_id, seq)
);

-- Each term is prefixed with its household in hex, as in `search`.
CREATE VIRTUAL TABLE search_groups USING fts5(words, content='', contentless_delete=1, tokenize='unicode61');

CREATE TRIGGER group_messages_inserted AFTER INSERT ON group_messages BEGIN
  INSERT INTO search_groups (rowid, words)
    VALUES (new.id, hex(new.household) || replace(new.words, ' ', ' ' || hex(new.household)));
END;

CREATE TRIGGER group_messages_deleted AFTER DELETE ON group_messages BEGIN
  DELETE FROM search_groups WHERE rowid = old.id;
END;
