// Schema: briefs of compactions.

/** What compactions received of the work. */
export const briefSchema = `
CREATE TABLE brief (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  -- The host's row that asks for the compaction; NULL where it could not be found out.
  compaction_id TEXT,
  -- A JSON string.
  text TEXT NOT NULL CHECK (json_type(text) = 'text'),
  essentials TEXT NOT NULL CHECK (json_type(essentials) = 'object'),
  carried TEXT NOT NULL CHECK (json_type(carried) = 'object'),
  made_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT;
CREATE INDEX brief_by_compaction ON brief (session_id, compaction_id);

CREATE TRIGGER brief_is_never_updated BEFORE UPDATE ON brief BEGIN
  SELECT RAISE(ABORT, 'briefs are never updated');
END;
`;
