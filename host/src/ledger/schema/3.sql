-- What other programs said when something was taken over from them, so that nothing is counted twice and nobody's later
-- word is undone. A place is a home or a file of theirs; `kept` is what it says of itself, as JSON.
CREATE TABLE sources (
  id      INTEGER PRIMARY KEY,
  program TEXT    NOT NULL,
  place   TEXT    NOT NULL,
  digest  BLOB    NOT NULL CHECK (length(digest) = 32),
  runs    INTEGER NOT NULL CHECK (runs > 0),
  first   INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  kept    TEXT    NOT NULL,
  UNIQUE (program, place)
) STRICT;

-- One row a record of theirs: its name there and when it was begun (as they write it, or empty), and what it said last.
CREATE TABLE taken (
  source INTEGER NOT NULL REFERENCES sources (id),
  key    TEXT    NOT NULL,
  made   TEXT    NOT NULL,
  skill  INTEGER NOT NULL REFERENCES skills (id),
  views  INTEGER NOT NULL,
  uses   INTEGER NOT NULL,
  writes INTEGER NOT NULL,
  pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
  state  TEXT    NOT NULL,
  PRIMARY KEY (source, key, made)
) STRICT, WITHOUT ROWID;

-- Skills that jobs name. A name that means several skills has a row for each, one that means none has no skill.
CREATE TABLE job_references (
  id       INTEGER PRIMARY KEY,
  source   INTEGER NOT NULL REFERENCES sources (id),
  job      TEXT    NOT NULL,
  spelling TEXT    NOT NULL,
  skill    INTEGER REFERENCES skills (id)
) STRICT;
CREATE INDEX job_references_of ON job_references (source);
