-- Writes that waited for a person in another program and wait here since. A record of theirs is known by its bytes, so that
-- a home that was moved or copied has nothing new to tell; `at` is its time as they write it.
CREATE TABLE taken_writes (
  digest  BLOB    NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
  source  INTEGER NOT NULL REFERENCES sources (id),
  file    TEXT    NOT NULL,
  at      TEXT,
  pending INTEGER NOT NULL REFERENCES pending (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX taken_writes_of ON taken_writes (pending);

-- Bytes that a write for a skill named before it was put on a newer text, so that a sweep finds them, and a purge of the skill.
-- Nothing says that they are still there, nor that nothing else needs them.
CREATE TABLE former_objects (
  digest BLOB    NOT NULL CHECK (length(digest) = 32),
  skill  INTEGER NOT NULL CHECK (skill >= 0),
  PRIMARY KEY (digest, skill)
) STRICT, WITHOUT ROWID;
