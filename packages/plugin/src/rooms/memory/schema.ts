// Schema: memories, notes, and the projects and workspaces that they belong to.

import type { ProjectId } from "../../project/project.ts";
import { metProject, placeTable, projectTable, remoteTable } from "../../project/tables.ts";
import type { Ref } from "../../projection/ref.ts";
import { json } from "../../storage/codec.ts";
import { branded, integer, oneOf, orNull, text } from "../../storage/column.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SchemaPart } from "../../storage/schema-part.ts";
import { ofNoSession, ofSession, type RowOf, table } from "../../storage/table.ts";
import { conditionSchema } from "./note-condition.ts";
import { AUTHORS, CATEGORIES, type MemoryId, type NoteId, SOURCES } from "./record.ts";
import { schema25 } from "./schema-25.ts";
import { schema27 } from "./schema-27.ts";
import { schema28 } from "./schema-28.ts";

const memorySchema = `
CREATE TABLE memory_workspace (
  name TEXT PRIMARY KEY CHECK (name <> ''),
  created_at_ms INTEGER NOT NULL
) STRICT;

-- Projects that have memories, notes or a workspace.
CREATE TABLE memory_project (
  id TEXT PRIMARY KEY,
  -- Of the folder that it was last at work in.
  name TEXT NOT NULL,
  worktree TEXT NOT NULL,
  workspace TEXT REFERENCES memory_workspace (name) ON DELETE SET NULL,
  -- Categories that the other members read, with commas between.
  shares TEXT NOT NULL DEFAULT '',
  seen_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_project_by_worktree ON memory_project (worktree, seen_at_ms);
CREATE INDEX memory_project_by_workspace ON memory_project (workspace);

CREATE TABLE memory (
  id TEXT PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL REFERENCES memory_project (id) ON DELETE CASCADE ON UPDATE CASCADE,
  category TEXT NOT NULL,
  text TEXT NOT NULL,
  -- Of the normalised text: of active memories no two are the same.
  digest TEXT NOT NULL,
  importance INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 100),
  permanence TEXT NOT NULL CHECK (permanence IN ('ordinary', 'permanent')),
  state TEXT NOT NULL CHECK (state IN ('active', 'superseded', 'archived')),
  superseded_by TEXT REFERENCES memory (id) ON DELETE CASCADE,
  by TEXT NOT NULL,
  session_id TEXT,
  segment TEXT,
  written_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  checked_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER,
  uses INTEGER NOT NULL DEFAULT 0,
  CHECK ((state = 'superseded') = (superseded_by IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX memory_says_once ON memory (project, digest) WHERE state = 'active';
CREATE INDEX memory_by_rank
  ON memory (project, permanence DESC, importance DESC, changed_at_ms DESC, id) WHERE state = 'active';
CREATE INDEX memory_by_project ON memory (project, category);
CREATE INDEX memory_by_successor ON memory (superseded_by);
CREATE INDEX memory_by_session ON memory (session_id);

CREATE TABLE note (
  id TEXT PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL REFERENCES memory_project (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- NULL: for every session of the project.
  session_id TEXT REFERENCES session (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  by TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'done')),
  written_at_ms INTEGER NOT NULL,
  done_at_ms INTEGER
) STRICT;
CREATE INDEX note_by_project ON note (project, state);
CREATE INDEX note_by_session ON note (session_id);

-- What a deleted session has written stays with its project, and names the session no more.
CREATE TRIGGER memory_outlives_session AFTER DELETE ON session BEGIN
  UPDATE memory SET session_id = NULL, segment = NULL WHERE session_id = OLD.id;
END;
`;

/**
 * Whose words a memory rests on, candidates, and short numbers. Who wrote what is there already is known
 * from its author; whom upkeep has rewritten, from its former wordings.
 */
const originSchema = `
ALTER TABLE memory ADD COLUMN source TEXT NOT NULL DEFAULT 'session'
  CHECK (source IN ('user', 'prompt', 'session', 'tool'));
-- Archived for all who don't know of candidates.
ALTER TABLE memory ADD COLUMN candidate INTEGER NOT NULL DEFAULT 0
  CHECK (candidate IN (0, 1) AND (candidate = 0 OR state = 'archived'));
ALTER TABLE memory ADD COLUMN number INTEGER;
-- How many numbers were given out: none is given out twice.
ALTER TABLE memory_project ADD COLUMN numbered INTEGER NOT NULL DEFAULT 0;

UPDATE memory SET source = 'user' WHERE by IN ('user', 'import') OR (by = 'upkeep' AND EXISTS (
  SELECT 1 FROM memory AS former
  WHERE former.superseded_by = memory.id AND former.by IN ('user', 'import')));
UPDATE memory SET importance = 60 WHERE source <> 'user' AND importance > 60;
UPDATE memory SET number = (
  SELECT place FROM (
    SELECT id, row_number() OVER (PARTITION BY project ORDER BY written_at_ms, rowid) AS place
    FROM memory WHERE state <> 'superseded') AS placed
  WHERE placed.id = memory.id);
UPDATE memory_project SET numbered =
  (SELECT ifnull(max(number), 0) FROM memory WHERE project = memory_project.id);

DROP INDEX memory_by_rank;
CREATE INDEX memory_by_rank ON memory
  (project, (source = 'user') DESC, permanence DESC, importance DESC, changed_at_ms DESC, id)
  WHERE state = 'active';
CREATE INDEX memory_candidate ON memory (project, digest) WHERE candidate = 1;
CREATE UNIQUE INDEX memory_by_number ON memory (project, number);

-- Whoever puts it in, and wherever it moves.
CREATE TRIGGER memory_numbered AFTER INSERT ON memory
WHEN NEW.number IS NULL AND NEW.state <> 'superseded' BEGIN
  UPDATE memory_project SET numbered = numbered + 1 WHERE id = NEW.project;
  UPDATE memory SET number = (SELECT numbered FROM memory_project WHERE id = NEW.project)
    WHERE id = NEW.id;
END;
CREATE TRIGGER memory_numbered_again AFTER UPDATE OF state, project ON memory
WHEN NEW.number IS NULL AND NEW.state <> 'superseded' BEGIN
  UPDATE memory_project SET numbered = numbered + 1 WHERE id = NEW.project;
  UPDATE memory SET number = (SELECT numbered FROM memory_project WHERE id = NEW.project)
    WHERE id = NEW.id;
END;
`;

const remoteSchema = `
-- Where clones of a project came from. The first one seen is its own.
CREATE TABLE memory_remote (
  project TEXT NOT NULL,
  remote TEXT NOT NULL,
  standing TEXT NOT NULL CHECK (standing IN ('own', 'joined', 'apart')),
  -- Whether the user was asked about it.
  asked INTEGER NOT NULL DEFAULT 0 CHECK (asked IN (0, 1)),
  PRIMARY KEY (project, remote)
) STRICT, WITHOUT ROWID;
`;

/** `member`: who of a team gave a row its present form; null: there is no team, or nobody knows. */
export const memoryTable = table(
  "memory",
  {
    id: branded<MemoryId>(),
    ref: branded<Ref>(),
    project: branded<ProjectId>(),
    number: orNull(integer),
    source: oneOf(SOURCES),
    category: oneOf(CATEGORIES),
    text,
    digest: text,
    importance: integer,
    permanence: oneOf(["ordinary", "permanent"]),
    state: oneOf(["active", "superseded", "archived"]),
    /** Of one that is archived: 1 where nobody has decided on it yet. */
    candidate: oneOf([0, 1]),
    supersededBy: orNull(branded<MemoryId>()),
    by: oneOf(AUTHORS),
    sessionId: orNull(branded<SessionId>()),
    segment: orNull(branded<Ref>()),
    writtenAtMs: integer,
    changedAtMs: integer,
    checkedAtMs: integer,
    usedAtMs: orNull(integer),
    uses: integer,
    member: orNull(text),
  },
  { key: ["id"], ...ofNoSession },
);

export type MemoryRow = RowOf<typeof memoryTable>;

/** Something to come back to, shown until it is done; with a condition it is a reminder. */
export const noteTable = table(
  "note",
  {
    id: branded<NoteId>(),
    ref: branded<Ref>(),
    project: branded<ProjectId>(),
    /** The session that it is for; null: every session of the project. */
    sessionId: orNull(branded<SessionId>()),
    text,
    by: oneOf(AUTHORS),
    /** What a reminder waits for; null: nothing. */
    condition: orNull(json(conditionSchema)),
    /** `waiting`: its condition has not held yet. */
    state: oneOf(["waiting", "open", "done"]),
    writtenAtMs: integer,
    /** When a command or a model was last asked about the condition; 0: never. */
    checkedAtMs: integer,
    doneAtMs: orNull(integer),
    member: orNull(text),
  },
  {
    key: ["id"],
    // What a condition names may be missing elsewhere: then it waits. Commands run where the user allows them.
    ...ofSession({ by: "written_at_ms, id", parent: metProject }),
  },
);

export type NoteRow = RowOf<typeof noteTable>;

/** Without what is a team's. */
export type Note = Omit<NoteRow, "member">;

export const workspaceTable = table(
  "memory_workspace",
  { name: text, createdAtMs: integer },
  { key: ["name"], ...ofNoSession },
);

export const memorySchemaPart: SchemaPart = {
  tables: [workspaceTable, projectTable, placeTable, memoryTable, noteTable, remoteTable],
  migrations: [
    { version: 8, sql: memorySchema },
    { version: 16, sql: originSchema },
    { version: 18, sql: remoteSchema },
    { version: 25, sql: schema25 },
    { version: 27, sql: schema27 },
    { version: 28, sql: schema28 },
  ],
};
