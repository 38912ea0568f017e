-- For the rotation of MESS_SECRET: under which secret each household has sealed its secrets.

CREATE TABLE sealed_households (
  household TEXT PRIMARY KEY,
  sealed_with TEXT NOT NULL,
  -- Number of secrets that cannot be opened.
  unreadable INTEGER NOT NULL,
  -- Milliseconds since 1970.
  at INTEGER NOT NULL
) WITHOUT ROWID;
