-- The tables of reviews.sqlite: what people judged of pairs of documents.
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Every judgement that was made, in order; the last one of a judge on a pair holds. One that is undone is deleted.
CREATE TABLE judgement (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  first TEXT NOT NULL,                 -- the ids of the two documents, the earlier one first
  second TEXT NOT NULL,
  judge TEXT NOT NULL,                 -- the name of who judged
  verdict TEXT NOT NULL,               -- 'yes', 'near' or 'no'
  time REAL NOT NULL                   -- seconds since 1970
);
CREATE INDEX judgement_of_judge ON judgement (judge, number);
