-- Decisions name the files that hold them whole: the record, and the shelf of texts that it is about. What an index lists is
-- an object of its own (`object`), the same for sessions that list the same, whatever else they were decided from.
ALTER TABLE decisions ADD COLUMN record BLOB CHECK (record IS NULL OR length(record) = 32);
ALTER TABLE decisions ADD COLUMN shelf BLOB CHECK (shelf IS NULL OR length(shelf) = 32);
CREATE INDEX decisions_at ON decisions (at);
CREATE INDEX decisions_of_session ON decisions (agent, session, id);
