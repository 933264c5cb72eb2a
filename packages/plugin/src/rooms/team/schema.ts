// Schema: which projects are shared, what waits to be sent, and who wrote what.

import type { ProjectId } from "../../project/project.ts";
import { branded, integer, orNull, text } from "../../storage/column.ts";
import type { SchemaPart } from "../../storage/schema-part.ts";
import { ofNoSession, type RowOf, table } from "../../storage/table.ts";

/** While what others wrote is put in, nothing of it is to be sent back. */
const isShared = (project: string) =>
  `(SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = ${project})`;

const waiting = (kind: string, id: string, project: string) => `
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('${kind}', ${id}, ${project}, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;`;

const written = (id: string) => `
  INSERT INTO team_author (id, member) SELECT ${id}, member FROM team_link WHERE member IS NOT NULL
  ON CONFLICT (id) DO UPDATE SET member = excluded.member;`;

const teamSchema = `
CREATE TABLE team_link (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  -- The name under which this machine's changes go.
  member TEXT,
  -- The server that cursors and outbox are of.
  server TEXT,
  applying INTEGER NOT NULL DEFAULT 0,
  -- Until then one process is at work on it.
  busy_until_ms INTEGER NOT NULL DEFAULT 0,
  reached_at_ms INTEGER,
  -- NULL: it was reached at the last attempt.
  away_since_ms INTEGER,
  problem TEXT
) STRICT;
INSERT INTO team_link (one) VALUES (1);

-- Shared projects. No reference: what is deleted with a project is still to be sent.
CREATE TABLE team_project (
  id TEXT PRIMARY KEY,
  -- Up to this change of the server's everything is here.
  cursor INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Rows that differ from what the server was last given; what they say is read when they are sent.
CREATE TABLE team_outbox (
  n INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('memory', 'note', 'project')),
  id TEXT NOT NULL,
  project TEXT NOT NULL,
  -- Another one with each change: the server takes each once.
  change_id TEXT NOT NULL,
  UNIQUE (kind, id)
) STRICT;
CREATE INDEX team_outbox_by_project ON team_outbox (project, n);

-- Who gave a row its present form.
CREATE TABLE team_author (id TEXT PRIMARY KEY, member TEXT NOT NULL) STRICT;

CREATE TRIGGER team_memory_added AFTER INSERT ON memory WHEN ${isShared("NEW.project")} BEGIN
  ${waiting("memory", "NEW.id", "NEW.project")}
  INSERT INTO team_author (id, member)
  -- A former wording is its author's, not that of who changed it.
  SELECT NEW.id, ifnull((SELECT member FROM team_author WHERE id = NEW.superseded_by), member)
  FROM team_link WHERE member IS NOT NULL
  ON CONFLICT (id) DO UPDATE SET member = excluded.member;
END;
CREATE TRIGGER team_memory_changed
AFTER UPDATE OF text, category, importance, permanence, state, superseded_by, project, checked_at_ms
ON memory WHEN ${isShared("NEW.project")} BEGIN
  ${waiting("memory", "NEW.id", "NEW.project")}
END;
CREATE TRIGGER team_memory_written
AFTER UPDATE OF text, category, permanence, state ON memory WHEN ${isShared("NEW.project")} BEGIN
  ${written("NEW.id")}
END;
-- The day of its last use is shared, each single use is not.
CREATE TRIGGER team_memory_used AFTER UPDATE OF used_at_ms ON memory
WHEN NEW.used_at_ms / 86400000 > ifnull(OLD.used_at_ms, 0) / 86400000 AND ${isShared("NEW.project")} BEGIN
  ${waiting("memory", "NEW.id", "NEW.project")}
END;
CREATE TRIGGER team_memory_deleted AFTER DELETE ON memory WHEN ${isShared("OLD.project")} BEGIN
  ${waiting("memory", "OLD.id", "OLD.project")}
  ${written("OLD.id")}
END;

-- A session's own notes stay on its machine.
CREATE TRIGGER team_note_added AFTER INSERT ON note
WHEN NEW.session_id IS NULL AND ${isShared("NEW.project")} BEGIN
  ${waiting("note", "NEW.id", "NEW.project")}
  ${written("NEW.id")}
END;
CREATE TRIGGER team_note_changed AFTER UPDATE OF state, project ON note
WHEN NEW.session_id IS NULL AND ${isShared("NEW.project")} BEGIN
  ${waiting("note", "NEW.id", "NEW.project")}
  ${written("NEW.id")}
END;
CREATE TRIGGER team_note_deleted AFTER DELETE ON note
WHEN OLD.session_id IS NULL AND ${isShared("OLD.project")} BEGIN
  ${waiting("note", "OLD.id", "OLD.project")}
  ${written("OLD.id")}
END;

CREATE TRIGGER team_project_moved AFTER UPDATE OF workspace, shares ON memory_project
WHEN (NEW.workspace IS NOT OLD.workspace OR NEW.shares <> OLD.shares) AND ${isShared("NEW.id")} BEGIN
  ${waiting("project", "NEW.id", "NEW.id")}
END;
`;

/** One row. */
export const linkTable = table(
  "team_link",
  {
    one: integer,
    member: orNull(text),
    server: orNull(text),
    applying: integer,
    busyUntilMs: integer,
    reachedAtMs: orNull(integer),
    awaySinceMs: orNull(integer),
    problem: orNull(text),
  },
  { key: ["one"], ...ofNoSession },
);

export const sharedProjectTable = table(
  "team_project",
  { id: branded<ProjectId>(), cursor: integer },
  { key: ["id"], ...ofNoSession },
);

export const outboxTable = table(
  "team_outbox",
  {
    n: integer,
    kind: text,
    id: text,
    project: branded<ProjectId>(),
    changeId: text,
    /** Who deleted the row; null: it is there, or nobody knows. */
    member: orNull(text),
  },
  { key: ["n"], ...ofNoSession },
);

export type OutboxRow = RowOf<typeof outboxTable>;

export const teamSchemaPart: SchemaPart = {
  tables: [linkTable, sharedProjectTable, outboxTable],
  migrations: [
    { version: 12, sql: teamSchema },
    {
      version: 27,
      // The team has it under this key.
      sql: `
CREATE TRIGGER team_project_stays BEFORE UPDATE OF id ON memory_project
WHEN EXISTS (SELECT 1 FROM team_project WHERE id = OLD.id) BEGIN
  SELECT RAISE(IGNORE);
END;
`,
    },
  ],
};
