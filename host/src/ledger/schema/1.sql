-- The first schema. Words are the domain's own (`active`, `use`, `create`); they are checked where they are read and by
-- `check`, not here, so that a word more needs no new table.
-- Ids of skills are sixty random bits; times are whole seconds since 1970; digests are 32 bytes.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE roots (
  id         INTEGER PRIMARY KEY,
  path       TEXT    NOT NULL UNIQUE,
  label      TEXT    NOT NULL,
  owned      INTEGER NOT NULL CHECK (owned IN (0, 1)),
  trusted    INTEGER NOT NULL CHECK (trusted IN (0, 1)),
  precedence INTEGER NOT NULL,
  added      INTEGER NOT NULL
) STRICT;

CREATE TABLE skills (
  id          INTEGER PRIMARY KEY CHECK (id >= 0),
  root        INTEGER NOT NULL REFERENCES roots (id),
  folder      TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  category    TEXT    NOT NULL,
  state       TEXT    NOT NULL,
  origin      TEXT    NOT NULL,
  pinned      INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  device      INTEGER,
  inode       INTEGER,
  digest      BLOB CHECK (digest IS NULL OR length(digest) = 32),
  sketch      BLOB,
  created     INTEGER NOT NULL,
  seen        INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;
-- One skill a folder at a time; those that are gone don't count.
CREATE UNIQUE INDEX skills_in_place ON skills (root, folder) WHERE state IN ('active', 'stale');
-- All that `usage` asks of a skill, in a tenth of the pages.
CREATE INDEX skills_for_usage ON skills (id, pinned) WHERE state IN ('active', 'stale');
CREATE INDEX skills_by_name ON skills (name);

-- What a skill was called or where it lay before.
CREATE TABLE aliases (
  alias TEXT    NOT NULL,
  skill INTEGER NOT NULL REFERENCES skills (id),
  until INTEGER NOT NULL,
  PRIMARY KEY (alias, skill)
) STRICT, WITHOUT ROWID;

-- Append-only.
CREATE TABLE events (
  id      INTEGER PRIMARY KEY,
  skill   INTEGER NOT NULL REFERENCES skills (id),
  at      INTEGER NOT NULL,
  kind    TEXT    NOT NULL,
  actor   TEXT    NOT NULL,
  weight  INTEGER NOT NULL CHECK (weight > 0),
  session TEXT,
  note    TEXT
) STRICT;

-- One row a skill that has events; what they come to. Written with them, and only then.
CREATE TABLE sums (
  skill       INTEGER PRIMARY KEY REFERENCES skills (id),
  views       INTEGER NOT NULL,
  uses        INTEGER NOT NULL,
  file_views  INTEGER NOT NULL,
  writes      INTEGER NOT NULL,
  successes   INTEGER NOT NULL,
  failures    INTEGER NOT NULL,
  corrected   INTEGER NOT NULL,
  maintenance INTEGER NOT NULL,
  last_view   INTEGER,
  last_use    INTEGER,
  last_write  INTEGER
) STRICT;

-- A user's choices; `agent` is empty for all of them.
CREATE TABLE choices (
  skill  INTEGER NOT NULL REFERENCES skills (id),
  agent  TEXT    NOT NULL,
  choice TEXT    NOT NULL,
  PRIMARY KEY (skill, agent)
) STRICT, WITHOUT ROWID;

-- The journal. `skill` is no foreign key: a change that makes a skill is journaled before there is one.
CREATE TABLE changes (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  root      INTEGER NOT NULL REFERENCES roots (id),
  skill     INTEGER NOT NULL CHECK (skill >= 0),
  verb      TEXT    NOT NULL,
  phase     TEXT    NOT NULL,
  actor     TEXT    NOT NULL,
  session   TEXT,
  reason    TEXT    NOT NULL,
  undoes    INTEGER REFERENCES changes (id),
  undone_by INTEGER REFERENCES changes (id),
  at        INTEGER NOT NULL,
  steps     TEXT    NOT NULL
) STRICT;
CREATE INDEX changes_of ON changes (skill, id);
CREATE INDEX changes_open ON changes (root) WHERE phase = 'open';

-- An index that was shown: its object, how often, and which skills it lists, eight bytes each (the id's sixty bits, then
-- four for the form). One row an object, whatever the number of skills.
CREATE TABLE exposures (
  object  BLOB    PRIMARY KEY NOT NULL CHECK (length(object) = 32),
  shown   INTEGER NOT NULL CHECK (shown > 0),
  first   INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  entries BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
  id      INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,
  session TEXT,
  agent   TEXT    NOT NULL,
  object  BLOB    NOT NULL REFERENCES exposures (object),
  counts  TEXT    NOT NULL
) STRICT;
CREATE INDEX decisions_of ON decisions (agent, id);
CREATE INDEX decisions_object ON decisions (object);
