-- What a corpus knows of its feeds. Hashes are 64 bits, signed; times are seconds since 1970.
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Feeds, also those that are not asked for any more.
CREATE TABLE feed (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'active',      -- 'active', 'gone', 'moved' (into another feed), 'unsubscribed'
  added REAL NOT NULL,
  next REAL NOT NULL DEFAULT 0,              -- when it is to be asked for again
  polled REAL NOT NULL DEFAULT 0,            -- when it was asked for
  answered REAL NOT NULL DEFAULT 0,          -- when it last gave a feed, or said that nothing has changed
  last_item REAL NOT NULL DEFAULT 0,         -- when it last had something new
  items INTEGER NOT NULL DEFAULT 0,          -- that were in it
  failures INTEGER NOT NULL DEFAULT 0,       -- in a row
  failure TEXT NOT NULL DEFAULT '',          -- why it failed the last time
  etag TEXT NOT NULL DEFAULT '',
  modified TEXT NOT NULL DEFAULT '',
  body INTEGER NOT NULL DEFAULT 0,           -- hash of the last document
  moved_to TEXT NOT NULL DEFAULT '',
  ttl INTEGER NOT NULL DEFAULT 0,            -- minutes for which it asks to be left alone
  skip_hours INTEGER NOT NULL DEFAULT 0,     -- a bit for each hour
  skip_days INTEGER NOT NULL DEFAULT 0       -- a bit for each day of the week, the first is Monday
);
CREATE INDEX feed_next ON feed (next) WHERE state = 'active';

-- Items, whatever feeds they were in.
CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,                  -- the last one
  seen REAL NOT NULL,                        -- when that came
  home INTEGER NOT NULL,                     -- the feed that it came from
  has_id INTEGER NOT NULL,
  page INTEGER NOT NULL,                     -- hash of the link without its query; 0 if there is no link
  host INTEGER NOT NULL,                     -- hash of the host of the link, likewise
  published TEXT NOT NULL,
  trigrams BLOB NOT NULL                     -- a sample of those of title and description
);
-- By what items are known again: hashes of ids, links and texts of all their versions.
CREATE TABLE mark (hash INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (hash, item)) WITHOUT ROWID;
-- Which items were in which feeds.
CREATE TABLE sighting (item INTEGER NOT NULL, feed INTEGER NOT NULL, PRIMARY KEY (item, feed)) WITHOUT ROWID;
-- The items of the last document of each feed, by hashes of all that they say.
CREATE TABLE current (
  feed INTEGER NOT NULL, hash INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (feed, hash)
) WITHOUT ROWID;

-- Versions of items. Texts are kept until they are built.
CREATE TABLE version (
  id INTEGER PRIMARY KEY AUTOINCREMENT,      -- in the order in which they came
  item INTEGER NOT NULL,
  version INTEGER NOT NULL,
  feed INTEGER NOT NULL,
  seen REAL NOT NULL,
  run TEXT NOT NULL DEFAULT '',              -- that has built it; empty if none has
  guid TEXT NOT NULL, link TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL, content TEXT NOT NULL,
  published TEXT NOT NULL, updated TEXT NOT NULL, author TEXT NOT NULL,
  UNIQUE (item, version)
);
CREATE INDEX version_pending ON version (id) WHERE run = '';

-- robots.txt by origin.
CREATE TABLE robots (origin TEXT PRIMARY KEY, fetched REAL NOT NULL, rules BLOB NOT NULL) WITHOUT ROWID;
