// Declares the schema of memories, notes, and the projects and workspaces that they belong to.
import type { Ref } from "../../ledger/ref.ts";
import type { ProjectId } from "../../project/project.ts";
import {
  importedProjectParent,
  placeTable,
  projectTable,
  remoteTable,
} from "../../project/tables.ts";
import {
  brandedText,
  integer,
  json,
  knownValue,
  nullable,
  openChoice,
  text,
} from "../../storage/column.ts";
import type { SessionId } from "../../storage/records.ts";
import { noSessionRules, type RowOf, sessionRules, table } from "../../storage/table.ts";
import { AUTHORS, CATEGORIES, type MemoryId, type NoteId, SOURCES } from "./record.ts";
import { conditionSchema } from "./smart-note-condition.ts";

const PROJECT_REFERENCE = "REFERENCES memory_project (id) ON DELETE CASCADE ON UPDATE CASCADE";

const NUMBERING_TRIGGER_BODY = `
WHEN NEW.number IS NULL AND NEW.state <> 'superseded' BEGIN
  UPDATE memory_project SET numbered = numbered + 1 WHERE id = NEW.project;
  UPDATE memory SET number = (SELECT numbered FROM memory_project WHERE id = NEW.project)
    WHERE id = NEW.id;
END;`;

/**
 * No two active memories of a project say the same thing. The database numbers each memory when it is
 * inserted or moved.
 */
const MEMORY_SETUP_SQL = `
CREATE UNIQUE INDEX memory_says_once ON memory (project, digest) WHERE state = 'active';
CREATE INDEX memory_by_rank ON memory
  (project, (source = 'user') DESC, permanence DESC, importance DESC, changed_at_ms DESC, id)
  WHERE state = 'active';
CREATE INDEX memory_by_project ON memory (project, category);
CREATE INDEX memory_by_successor ON memory (superseded_by);
CREATE INDEX memory_by_session ON memory (session_id);
CREATE INDEX memory_candidate ON memory (project, digest) WHERE candidate = 1;
CREATE UNIQUE INDEX memory_by_number ON memory (project, number);
CREATE TRIGGER memory_numbered AFTER INSERT ON memory${NUMBERING_TRIGGER_BODY}
CREATE TRIGGER memory_numbered_again AFTER UPDATE OF state, project ON memory${NUMBERING_TRIGGER_BODY}`;

/** `member` is the team member who gave a row its present form; null without a team, or if it is unknown. */
export const memoryTable = table(
  "memory",
  {
    id: brandedText<MemoryId>(),
    ref: brandedText<Ref>(),
    project: brandedText<ProjectId>(),
    number: nullable(integer),
    source: knownValue(SOURCES),
    category: openChoice(CATEGORIES),
    text,
    digest: text,
    importance: integer,
    permanence: knownValue(["ordinary", "permanent"]),
    state: knownValue(["active", "superseded", "archived"]),
    /** 1 marks an archived memory as a candidate, on which nobody has decided yet. */
    candidate: knownValue([0, 1]),
    supersededBy: nullable(brandedText<MemoryId>()),
    by: openChoice(AUTHORS),
    sessionId: nullable(brandedText<SessionId>()),
    segment: nullable(brandedText<Ref>()),
    writtenAtMs: integer,
    changedAtMs: integer,
    checkedAtMs: integer,
    usedAtMs: nullable(integer),
    uses: integer,
    member: nullable(text),
  },
  {
    ...{ key: ["id"], ...noSessionRules },
    sql: {
      columns: {
        ref: "UNIQUE",
        project: PROJECT_REFERENCE,
        source: "DEFAULT 'session'",
        importance: "CHECK (importance BETWEEN 0 AND 100)",
        // Code that doesn't know of candidates treats them as archived.
        candidate: "DEFAULT 0 CHECK (candidate = 0 OR state = 'archived')",
        supersededBy: "REFERENCES memory (id) ON DELETE CASCADE",
        uses: "DEFAULT 0",
      },
      constraints: ["CHECK ((state = 'superseded') = (superseded_by IS NOT NULL))"],
      extras: MEMORY_SETUP_SQL,
    },
  },
);

export type MemoryRow = RowOf<typeof memoryTable>;

/** A note is something to come back to, shown until it is done; a note with a condition is a reminder. */
export const noteTable = table(
  "note",
  {
    id: brandedText<NoteId>(),
    ref: brandedText<Ref>(),
    project: brandedText<ProjectId>(),
    /** The session that the note is for; null if it is for every session of the project. */
    sessionId: nullable(brandedText<SessionId>()),
    text,
    by: openChoice(AUTHORS),
    /** The condition of a reminder; null for a note that waits for nothing. */
    condition: nullable(json(conditionSchema)),
    /** `waiting`: the reminder's condition has not held yet. */
    state: knownValue(["waiting", "open", "done"]),
    writtenAtMs: integer,
    /** When a command or a model was last asked about the condition; 0 if neither ever was. */
    checkedAtMs: integer,
    doneAtMs: nullable(integer),
    member: nullable(text),
  },
  {
    key: ["id"],
    // A condition may name something that is missing on another machine: then the reminder waits. Commands
    // run only if the user allows them.
    ...sessionRules({ by: "written_at_ms, id", parent: importedProjectParent }),
    sql: {
      columns: {
        ref: "UNIQUE",
        project: PROJECT_REFERENCE,
        state: "CHECK (state <> 'waiting' OR condition IS NOT NULL)",
        checkedAtMs: "DEFAULT 0",
      },
      extras: `
CREATE INDEX note_by_project ON note (project, state);
CREATE INDEX note_by_session ON note (session_id);`,
    },
  },
);

export type NoteRow = RowOf<typeof noteTable>;

/** A stored note without the team's column. */
export type Note = Omit<NoteRow, "member">;

export const workspaceTable = table(
  "memory_workspace",
  { name: text, createdAtMs: integer },
  {
    ...{ key: ["name"], ...noSessionRules },
    sql: { columns: { name: "CHECK (name <> '')" } },
  },
);

const DELETE_EMPTY_WORKSPACE = `
  DELETE FROM memory_workspace WHERE name = OLD.workspace
    AND NOT EXISTS (SELECT 1 FROM memory_project WHERE workspace = OLD.workspace);
END;`;

/**
 * A deleted session's memories and notes stay with their project, and no longer name the session. When a
 * project is moved into another, its memories and notes move along: if both projects say the same thing, the
 * other project's memory stays, and each moved memory gets a number of the other project.
 */
export const memoryTriggers = `
CREATE TRIGGER memory_outlives_session AFTER DELETE ON session BEGIN
  UPDATE memory SET session_id = NULL, segment = NULL WHERE session_id = OLD.id;
END;
CREATE TRIGGER memory_moves_with_project AFTER UPDATE OF id ON memory_project
WHEN NEW.id LIKE 'moved:%' BEGIN
  UPDATE OR IGNORE memory SET project = substr(NEW.id, length('moved:') + 1), number = NULL
    WHERE project = NEW.id;
  UPDATE note SET project = substr(NEW.id, length('moved:') + 1) WHERE project = NEW.id;
END;
CREATE TRIGGER workspace_is_left AFTER UPDATE OF workspace ON memory_project
WHEN OLD.workspace IS NOT NEW.workspace BEGIN${DELETE_EMPTY_WORKSPACE}
CREATE TRIGGER workspace_loses_project AFTER DELETE ON memory_project BEGIN${DELETE_EMPTY_WORKSPACE}`;

export const memoryTables = [
  workspaceTable,
  projectTable,
  placeTable,
  memoryTable,
  noteTable,
  remoteTable,
] as const;
