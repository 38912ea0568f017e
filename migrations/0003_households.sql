-- The ids of all households, so that a call by a stranger that names none of them wakes no Durable Object.

CREATE TABLE households (
  id TEXT PRIMARY KEY,
  -- Milliseconds since 1970.
  listed INTEGER NOT NULL,
  -- 1 if the household already existed when it was listed: then the list may not be complete yet.
  late INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX households_listed_late ON households (listed) WHERE late = 1;
