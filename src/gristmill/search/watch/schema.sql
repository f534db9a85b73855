-- The mails of a corpus. Times are seconds since 1970.
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE digests (
  message_id TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  made REAL NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  html TEXT NOT NULL,
  sent REAL -- NULL as long as it is not
) STRICT;
CREATE TABLE covered (
  recipient TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  condition TEXT NOT NULL,
  shards INTEGER NOT NULL, -- what was found in the shards before this one is in a digest
  made REAL NOT NULL,
  PRIMARY KEY (recipient, name, query, condition)
) STRICT;
