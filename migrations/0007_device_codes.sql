-- Programs that wait until a person lets them sign in (RFC 8628). A row lives fifteen minutes at most.

CREATE TABLE device_codes (
  -- SHA-256 in hex of the secret that the program holds.
  device TEXT PRIMARY KEY,
  -- The code that the person compares.
  user_code TEXT NOT NULL UNIQUE,
  client TEXT NOT NULL,
  -- Network address of the program; empty where it is unknown.
  address TEXT NOT NULL,
  -- Milliseconds since 1970, as `polled`: when the program asked last.
  expires INTEGER NOT NULL,
  polled INTEGER NOT NULL DEFAULT 0,
  -- JSON {client, household, session, role} once a person has allowed it; "denied" once a person has refused.
  decision TEXT
) WITHOUT ROWID;

CREATE INDEX device_codes_expire ON device_codes (expires);
