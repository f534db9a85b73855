-- The tables of frontier.sqlite. Times are seconds since 1970, keys 64-bit hashes of addresses or texts.
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- A host, what it gave, and when it is visited next.
CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  rank REAL NOT NULL,                  -- hosts of lower rank come first
  waiting INTEGER NOT NULL DEFAULT 0,  -- 1: it has addresses in the queue and is not in the scheduler's memory
  queued INTEGER NOT NULL DEFAULT 0,   -- addresses in the queue
  next REAL NOT NULL DEFAULT 0,        -- not visited before this time
  dead TEXT NOT NULL DEFAULT '',       -- why it was left for good; empty if it was not
  prior REAL NOT NULL DEFAULT 0,       -- the yield that is expected of it before anything is known
  pages INTEGER NOT NULL DEFAULT 0,    -- whole answers, whatever they were
  texts INTEGER NOT NULL DEFAULT 0,    -- pages with new clean text in the wanted languages
  copies INTEGER NOT NULL DEFAULT 0,   -- pages whose text was there already
  bytes INTEGER NOT NULL DEFAULT 0,    -- downloaded in all
  clean INTEGER NOT NULL DEFAULT 0,    -- bytes of new clean text in the wanted languages
  words INTEGER NOT NULL DEFAULT 0,    -- words of it
  failures INTEGER NOT NULL DEFAULT 0, -- in a row
  delay REAL NOT NULL DEFAULT 0        -- seconds, as adapted to the server
);
CREATE INDEX host_waiting ON host (rank) WHERE waiting;

-- robots.txt of an origin (scheme, host, port).
CREATE TABLE robots (origin TEXT PRIMARY KEY, fetched REAL NOT NULL, rules BLOB NOT NULL) WITHOUT ROWID;

-- Addresses that are to be fetched, in their order for each host.
CREATE TABLE queue (
  host INTEGER NOT NULL,
  rank REAL NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  distance INTEGER NOT NULL,           -- links from a seed
  redirects INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  kind INTEGER NOT NULL DEFAULT 0,     -- 0: a page, 1: a sitemap
  PRIMARY KEY (host, rank, key)
) WITHOUT ROWID;

-- Addresses that were ever put into the queue.
CREATE TABLE seen (key INTEGER PRIMARY KEY);
-- Addresses that are done with, and how: 'stored', 'redirect', 'status-404'..., or why there is nothing. Never changed.
CREATE TABLE done (key INTEGER PRIMARY KEY, outcome TEXT NOT NULL);
-- What pages of given addresses are to be stored with, as JSON; passed on to where an address redirects to.
CREATE TABLE attributes (key INTEGER PRIMARY KEY, value TEXT NOT NULL);
-- Hashes of texts, to find copies.
CREATE TABLE sketch (key INTEGER PRIMARY KEY);
-- Patterns of addresses of a host, and what they gave.
CREATE TABLE pattern (
  host INTEGER NOT NULL, key INTEGER NOT NULL, pages INTEGER NOT NULL, bytes INTEGER NOT NULL, clean INTEGER NOT NULL,
  PRIMARY KEY (host, key)
) WITHOUT ROWID;

-- Domains, and what all their hosts together gave.
CREATE TABLE domain (
  name TEXT PRIMARY KEY, pages INTEGER NOT NULL, bytes INTEGER NOT NULL, clean INTEGER NOT NULL
) WITHOUT ROWID;

-- How many requests ended how, and how many bytes that cost. Of stored pages: 'text', 'copy', 'no-text',
-- 'other-language', 'redirect', 'status-404'...; of others the reason.
CREATE TABLE outcome (name TEXT PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
-- How many links were not put into the queue, and why.
CREATE TABLE left_out (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
-- The course of the crawl, a row a minute of crawling (0, 1, 2...; the time between two runs does not count).
CREATE TABLE course (
  minute INTEGER PRIMARY KEY, requests INTEGER NOT NULL, pages INTEGER NOT NULL, texts INTEGER NOT NULL,
  bytes INTEGER NOT NULL, clean INTEGER NOT NULL, words INTEGER NOT NULL, failures INTEGER NOT NULL
);
-- Addresses of hosts that another part of the crawl visits, until they are delivered.
CREATE TABLE outgoing (
  part INTEGER NOT NULL, key INTEGER NOT NULL, url TEXT NOT NULL, distance INTEGER NOT NULL, redirects INTEGER NOT NULL,
  prior REAL NOT NULL, rank REAL NOT NULL, PRIMARY KEY (part, key)
) WITHOUT ROWID;
