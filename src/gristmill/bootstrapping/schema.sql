-- The tables of bootstrap.sqlite: what was asked, what came back, and what was taken of it.
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- A round: its words make queries, these give addresses, whose pages come into the corpus.
CREATE TABLE round (
  number INTEGER PRIMARY KEY,          -- from 1; 0 is what was there before the first query
  stage TEXT NOT NULL,                 -- 'ask', 'fetch', 'build', 'done': what is to be done next
  pages INTEGER NOT NULL DEFAULT 0,    -- stored when it was fetched
  documents INTEGER NOT NULL DEFAULT 0,-- of the corpus at its end
  words INTEGER NOT NULL DEFAULT 0     -- of these
);

-- The seed words of a round, in their order.
CREATE TABLE word (
  round INTEGER NOT NULL, place INTEGER NOT NULL, word TEXT NOT NULL, PRIMARY KEY (round, place)
) WITHOUT ROWID;

CREATE TABLE query (
  id INTEGER PRIMARY KEY,
  round INTEGER NOT NULL,
  text TEXT NOT NULL,                  -- as people read it, and as documents have it
  words TEXT NOT NULL,                 -- JSON: the words, each with its forms, and the language-filter words
  state TEXT NOT NULL,                 -- 'to ask', 'asked', 'refused', 'given up'
  why TEXT NOT NULL DEFAULT ''         -- it was not answered
);
CREATE INDEX query_round ON query (round);

-- What providers answered, and what became of each address: '' is not yet decided on, 'chosen', or why it was left out.
CREATE TABLE result (
  query INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  address TEXT NOT NULL DEFAULT '',    -- normalised
  outcome TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (query, rank)
) WITHOUT ROWID;
CREATE UNIQUE INDEX result_address ON result (address) WHERE outcome = 'chosen';
