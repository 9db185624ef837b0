-- The curator's passes: begun before anything is changed, ended with what came of it. `plan` names the plan that was carried
-- out, `counts` is JSON. What a pass moved are changes whose session is `pass-ID`.
CREATE TABLE passes (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  actor    TEXT    NOT NULL,
  plan     TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  begun    INTEGER NOT NULL,
  ended    INTEGER,
  snapshot TEXT,
  report   TEXT,
  counts   TEXT    NOT NULL,
  summary  TEXT    NOT NULL
) STRICT;

-- Skills that went stale or became active again. Nothing is moved for it.
CREATE TABLE transitions (
  id    INTEGER PRIMARY KEY,
  pass  INTEGER NOT NULL REFERENCES passes (id),
  skill INTEGER NOT NULL REFERENCES skills (id),
  at    INTEGER NOT NULL,
  was   TEXT    NOT NULL,
  state TEXT    NOT NULL,
  by    TEXT    NOT NULL,
  code  TEXT    NOT NULL,
  why   TEXT    NOT NULL
) STRICT;
CREATE INDEX transitions_of ON transitions (skill, id);

-- When a person took a skill into the curator's care, and when it last came back from the archive.
ALTER TABLE skills ADD COLUMN adopted INTEGER;
ALTER TABLE skills ADD COLUMN returned INTEGER;
UPDATE skills SET returned = (
  SELECT max(at) FROM changes WHERE changes.skill = skills.id AND verb = 'restore' AND phase = 'done'
);

-- What lies in the archive, by the name under which an update may bring it again: few of many.
CREATE INDEX skills_put_away ON skills (root, name) WHERE state = 'archived';
