-- Writes that wait for a person, and what became of them. `wanted` is what was asked, as `change` writes it down, with its
-- texts by their hashes; `steps` is what that came to when it was staged. A skill that isn't made yet has its id here already.
CREATE TABLE pending (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  root     INTEGER NOT NULL REFERENCES roots (id),
  skill    INTEGER NOT NULL CHECK (skill >= 0),
  folder   TEXT    NOT NULL,
  verb     TEXT    NOT NULL,
  actor    TEXT    NOT NULL,
  session  TEXT,
  reason   TEXT    NOT NULL,
  at       INTEGER NOT NULL,
  wanted   TEXT    NOT NULL,
  steps    TEXT    NOT NULL,
  origin   TEXT,
  why      TEXT    NOT NULL,
  judge    TEXT    NOT NULL,
  state    TEXT    NOT NULL,
  rebased  INTEGER NOT NULL DEFAULT 0 CHECK (rebased IN (0, 1)),
  ended    INTEGER,
  ended_by TEXT,
  note     TEXT    NOT NULL DEFAULT '',
  change   INTEGER REFERENCES changes (id)
) STRICT;
CREATE INDEX pending_waiting ON pending (skill, id) WHERE state IN ('waiting', 'stale');

-- By whose leave a change was made: the origin that was declared with it and the one before, who approved it, and the write
-- that waited for that.
ALTER TABLE changes ADD COLUMN origin TEXT;
ALTER TABLE changes ADD COLUMN former_origin TEXT;
ALTER TABLE changes ADD COLUMN approved TEXT;
ALTER TABLE changes ADD COLUMN pending INTEGER REFERENCES pending (id);
