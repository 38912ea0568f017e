-- The index of the messages of sources, written by the objects of the sources and rebuilt from them.

CREATE TABLE source_messages (
  -- `at` * 1024, plus the number of earlier messages of that millisecond, so that the order of ids is that of time.
  id INTEGER PRIMARY KEY,
  household TEXT NOT NULL,
  source TEXT NOT NULL,
  seq INTEGER NOT NULL,
  message TEXT NOT NULL,
  sender TEXT NOT NULL,
  sender_name TEXT,
  subject TEXT,
  status TEXT NOT NULL,
  tier TEXT,
  -- Arrival, milliseconds since 1970 UTC.
  at INTEGER NOT NULL,
  excerpt TEXT NOT NULL,
  -- Distinct terms, separated by single spaces: `x` and a word of the message, or `y` and a condition of a search.
  words TEXT NOT NULL,
  UNIQUE (household, source, seq)
);

-- Each term is prefixed with its household in hex, as in `search`.
CREATE VIRTUAL TABLE search_sources USING fts5(words, content='', contentless_delete=1, tokenize='unicode61');

CREATE TRIGGER source_messages_inserted AFTER INSERT ON source_messages BEGIN
  INSERT INTO search_sources (rowid, words)
    VALUES (new.id, hex(new.household) || replace(new.words, ' ', ' ' || hex(new.household)));
END;

CREATE TRIGGER source_messages_reworded AFTER UPDATE OF words ON source_messages
WHEN new.words <> old.words BEGIN
  DELETE FROM search_sources WHERE rowid = old.id;
  INSERT INTO search_sources (rowid, words)
    VALUES (new.id, hex(new.household) || replace(new.words, ' ', ' ' || hex(new.household)));
END;

CREATE TRIGGER source_messages_deleted AFTER DELETE ON source_messages BEGIN
  DELETE FROM search_sources WHERE rowid = old.id;
END;
