-- What is known of the captures that were found, and how far fetching them is.
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE capture (
  id INTEGER PRIMARY KEY, -- in the order of the index
  key TEXT NOT NULL,
  url TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  digest TEXT NOT NULL,
  filename TEXT NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'found', -- then left out ('older', 'duplicate', 'beyond'), or 'wanted'; then 'stored' or 'failed'
  reason TEXT NOT NULL DEFAULT '', -- why it failed
  place INTEGER -- in the order in which they are stored
);
CREATE UNIQUE INDEX capture_place ON capture (place) WHERE place IS NOT NULL;
CREATE INDEX capture_state ON capture (state, place);

-- Records that were fetched, until they are in a WARC file.
CREATE TABLE fetched (place INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- Steps of asking the index that are done, and what later ones must know of them.
CREATE TABLE step (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Numbers: entries of the index that were refused, requests, bytes; the place behind what is stored.
CREATE TABLE number (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
