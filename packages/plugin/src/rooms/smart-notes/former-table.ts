// The table that smart notes had before schema 25, and the steps that made it.
import type { SchemaPart } from "../../storage/schema-part.ts";

export const smartNoteTables: SchemaPart = {
  tables: [],
  // Exports of those versions have its rows; an import brings them up to date.
  former: [{ name: "smart_note", sessionColumn: "session_id" }],
  migrations: [
    {
      version: 22,
      // By memory's project; those that go by the host's are taken over when the project is at work again.
      sql: `
DROP TRIGGER smart_note_goes_with_project;
CREATE TRIGGER smart_note_goes_with_project AFTER DELETE ON memory_project
WHEN OLD.id NOT LIKE 'moved:%' BEGIN
  DELETE FROM smart_note WHERE project = OLD.id;
END;
CREATE TRIGGER smart_note_moves_with_project AFTER UPDATE OF id ON memory_project
WHEN NEW.id LIKE 'moved:%' BEGIN
  UPDATE smart_note SET project = substr(NEW.id, length('moved:') + 1) WHERE project = OLD.id;
END;
`,
    },
    {
      version: 17,
      // The host names a project by its first commit, or by its folder.
      sql: `
CREATE TRIGGER smart_note_goes_with_project AFTER DELETE ON memory_project
WHEN OLD.id NOT LIKE 'moved:%' BEGIN
  DELETE FROM smart_note
  WHERE project IN (substr(OLD.id, instr(OLD.id, ':') + 1), OLD.worktree);
END;
`,
    },
    {
      version: 11,
      sql: `
CREATE TABLE smart_note (
  id TEXT PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL,
  session_id TEXT REFERENCES session (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  condition TEXT NOT NULL CHECK (json_type(condition) = 'object'),
  by TEXT NOT NULL CHECK (by IN ('model', 'user')),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'due', 'done')),
  written_at_ms INTEGER NOT NULL,
  checked_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX smart_note_by_project ON smart_note (project, state);
CREATE INDEX smart_note_by_session ON smart_note (session_id);
`,
    },
  ],
};
