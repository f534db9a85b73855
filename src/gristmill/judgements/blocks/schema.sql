CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- The pages that were opened, as they were then: what identifies their blocks, and how long these are.
CREATE TABLE pages (
  page TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  hashes BLOB NOT NULL, -- 8 bytes for the text of each block
  words BLOB NOT NULL -- 4 bytes for each block
) WITHOUT ROWID;

-- A judgement is of a text: if another text stands at its place one day, both judgements are there.
CREATE TABLE judgements (
  annotator TEXT NOT NULL,
  page TEXT NOT NULL,
  block INTEGER NOT NULL,
  hash BLOB NOT NULL,
  verdict TEXT NOT NULL,
  role TEXT NOT NULL,
  time REAL NOT NULL,
  PRIMARY KEY (annotator, page, block, hash)
) WITHOUT ROWID;
CREATE INDEX judgements_of_page ON judgements (page);

-- Who has worked on which page; finished is 0 until they say so.
CREATE TABLE visits (
  annotator TEXT NOT NULL,
  page TEXT NOT NULL,
  begun REAL NOT NULL,
  finished REAL NOT NULL,
  suggested INTEGER NOT NULL, -- whether the suggestions of the method were shown
  PRIMARY KEY (annotator, page)
) WITHOUT ROWID;

-- Pages that the owner wants to be judged by everybody, in order.
CREATE TABLE listed (position INTEGER PRIMARY KEY, page TEXT NOT NULL);
