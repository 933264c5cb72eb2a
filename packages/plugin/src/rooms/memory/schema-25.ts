// Schema 25: notes and reminders in one table, who of a team wrote a row in the row, no change half made.

const isShared = (row: "NEW" | "OLD") =>
  `(SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = ${row}.project)`;

/** A session's own notes stay on its machine, and so do reminders. */
const isSharedNote = (row: "NEW" | "OLD") =>
  `${row}.session_id IS NULL AND ${row}.condition IS NULL AND ${isShared(row)}`;

const waiting = (kind: "memory" | "note") => `
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('${kind}', NEW.id, NEW.project, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;`;

const written = (table: "memory" | "note") => `
  UPDATE ${table} SET member = (SELECT member FROM team_link)
  WHERE id = NEW.id AND (SELECT member FROM team_link) IS NOT NULL;`;

const deleted = (kind: "memory" | "note") => `
  INSERT INTO team_outbox (kind, id, project, change_id, member)
  SELECT '${kind}', OLD.id, OLD.project, lower(hex(randomblob(16))), ifnull(member, OLD.member)
  FROM team_link WHERE true
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project,
    member = excluded.member;`;

/**
 * Reminders of a project that memory doesn't know go by the host's name of it, under `host:`, until it is
 * at work again. One that shares its ref with a note gets another, of digits alone.
 */
const oneNoteTable = `
CREATE TABLE kept_note (
  id TEXT PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL REFERENCES memory_project (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- NULL: for every session of the project.
  session_id TEXT REFERENCES session (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  by TEXT NOT NULL,
  -- NULL: it waits for nothing.
  condition TEXT CHECK (condition IS NULL OR json_type(condition) = 'object'),
  state TEXT NOT NULL CHECK (state IN ('open', 'done') OR (state = 'waiting' AND condition IS NOT NULL)),
  written_at_ms INTEGER NOT NULL,
  checked_at_ms INTEGER NOT NULL DEFAULT 0,
  done_at_ms INTEGER,
  -- Who of a team gave it its present form.
  member TEXT
) STRICT;

UPDATE smart_note SET project = 'host:' || project
WHERE project NOT LIKE 'commit:%' AND project NOT LIKE 'folder:%';
INSERT INTO memory_project (id, name, worktree, seen_at_ms)
SELECT DISTINCT project, '', '', 0 FROM smart_note WHERE true ON CONFLICT DO NOTHING;
UPDATE smart_note SET ref = 'n:' || printf('%06d', rowid) WHERE ref IN (SELECT ref FROM note);

INSERT INTO kept_note
  (id, ref, project, session_id, text, by, state, written_at_ms, done_at_ms, member)
SELECT id, ref, project, session_id, text, by, state, written_at_ms, done_at_ms,
  (SELECT member FROM team_author WHERE team_author.id = note.id)
FROM note ORDER BY rowid;
INSERT INTO kept_note
  (id, ref, project, session_id, text, by, condition, state, written_at_ms, checked_at_ms)
SELECT id, ref, project, session_id, text, by, condition, iif(state = 'due', 'open', state),
  written_at_ms, checked_at_ms
FROM smart_note ORDER BY rowid;

DROP TRIGGER smart_note_goes_with_project;
DROP TRIGGER smart_note_moves_with_project;
DROP TABLE smart_note;
DROP TABLE note;
ALTER TABLE kept_note RENAME TO note;
CREATE INDEX note_by_project ON note (project, state);
CREATE INDEX note_by_session ON note (session_id);
`;

const memberInRow = `
ALTER TABLE memory ADD COLUMN member TEXT;
-- Who deleted the row; NULL: it is there, or nobody knows.
ALTER TABLE team_outbox ADD COLUMN member TEXT;
UPDATE memory SET member = (SELECT member FROM team_author WHERE team_author.id = memory.id);
UPDATE team_outbox SET member = (SELECT member FROM team_author WHERE team_author.id = team_outbox.id)
WHERE id NOT IN (SELECT id FROM memory) AND id NOT IN (SELECT id FROM note);
DROP TRIGGER team_memory_added;
DROP TRIGGER team_memory_written;
DROP TRIGGER team_memory_deleted;
DROP TABLE team_author;

CREATE TRIGGER team_memory_added AFTER INSERT ON memory WHEN ${isShared("NEW")} BEGIN
  ${waiting("memory")}
  -- A former wording is its author's, not that of who changed it.
  UPDATE memory SET member =
    ifnull((SELECT member FROM memory AS successor WHERE successor.id = NEW.superseded_by), link.member)
  FROM team_link AS link WHERE memory.id = NEW.id AND link.member IS NOT NULL;
END;
CREATE TRIGGER team_memory_written
AFTER UPDATE OF text, category, permanence, state ON memory WHEN ${isShared("NEW")} BEGIN
  ${written("memory")}
END;
CREATE TRIGGER team_memory_deleted AFTER DELETE ON memory WHEN ${isShared("OLD")} BEGIN
  ${deleted("memory")}
END;
CREATE TRIGGER team_note_added AFTER INSERT ON note WHEN ${isSharedNote("NEW")} BEGIN
  ${waiting("note")}
  ${written("note")}
END;
CREATE TRIGGER team_note_changed AFTER UPDATE OF state, project ON note WHEN ${isSharedNote("NEW")} BEGIN
  ${waiting("note")}
  ${written("note")}
END;
CREATE TRIGGER team_note_deleted AFTER DELETE ON note WHEN ${isSharedNote("OLD")} BEGIN
  ${deleted("note")}
END;
`;

/** What a kill had cut short: by its time it was made, or it was not. From now on it is made and noted at once. */
const settledChanges = `
UPDATE upkeep_change SET state = 'done', result_id = made.result_id
FROM (
  SELECT change.id, iif(memory.state = 'superseded', superseded_by, memory.id) AS result_id
  FROM upkeep_change AS change, json_each(change.before) AS one, memory
  WHERE change.state = 'making' AND memory.id = json_extract(one.value, '$.id') AND stamp_ms =
    iif(json_extract(proposal, '$.kind') = 'checked', checked_at_ms, changed_at_ms)
) AS made
WHERE made.id = upkeep_change.id;
UPDATE upkeep_change SET state = 'refused', code = 'not_made'
WHERE state = 'making' AND run_id IN (SELECT id FROM upkeep_run WHERE ended_at_ms IS NOT NULL);
UPDATE upkeep_change SET state = 'proposed' WHERE state = 'making';
`;

export const schema25 = oneNoteTable + memberInRow + settledChanges;
