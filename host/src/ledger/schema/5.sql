-- Calls that were refused, so that the same one is known again, and a session that gets nothing done is seen. A call without
-- a session has an empty one. `barred` is whether a rule or a law stood in the way, whatever the call said.
CREATE TABLE refusals (
  session TEXT    NOT NULL,
  actor   TEXT    NOT NULL,
  call    BLOB    NOT NULL CHECK (length(call) = 32),
  verb    TEXT    NOT NULL,
  skill   TEXT    NOT NULL,
  why     TEXT    NOT NULL,
  barred  INTEGER NOT NULL CHECK (barred IN (0, 1)),
  times   INTEGER NOT NULL CHECK (times > 0),
  first   INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  PRIMARY KEY (session, actor, call)
) STRICT, WITHOUT ROWID;
