// Declares the schema of a team's local copy: shared projects, unsent changes, and who wrote what.
import type { ProjectId } from "../../project/project.ts";
import { brandedText, integer, knownValue, nullable, text } from "../../storage/column.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { noSessionRules, type RowOf, table } from "../../storage/table.ts";

/** The link to the server; the table has one row. */
export const linkTable = table(
  "team_link",
  {
    one: integer,
    /** The name under which this machine's changes are made. */
    member: nullable(text),
    /** The server to which the cursors and the outbox belong. */
    server: nullable(text),
    applying: integer,
    /** The time until which a process has claimed the sync. */
    busyUntilMs: integer,
    reachedAtMs: nullable(integer),
    /** The time of the first failed attempt; null if the last attempt reached the server. */
    awaySinceMs: nullable(integer),
    problem: nullable(text),
  },
  {
    ...{ key: ["one"], ...noSessionRules },
    sql: {
      columns: { one: "CHECK (one = 1)", applying: "DEFAULT 0", busyUntilMs: "DEFAULT 0" },
    },
  },
);

/** Shared projects. There is no foreign key, because what is deleted with a project must still be sent. */
export const sharedProjectTable = table(
  "team_project",
  {
    id: brandedText<ProjectId>(),
    /** All of the server's changes up to this number are here. */
    cursor: integer,
  },
  { key: ["id"], ...noSessionRules, sql: { columns: { cursor: "DEFAULT 0" } } },
);

/** Names rows that differ from what the server last received; their content is read when they are sent. */
export const outboxTable = table(
  "team_outbox",
  {
    n: integer,
    kind: knownValue(["memory", "note", "project"]),
    id: text,
    project: brandedText<ProjectId>(),
    /** The id of this change, by which the server takes it only once. */
    changeId: text,
    /** The member who deleted the row; null if the row exists, or if the member is unknown. */
    member: nullable(text),
  },
  {
    ...{ key: ["n"], ...noSessionRules },
    sql: {
      constraints: ["UNIQUE (kind, id)"],
      extras: "CREATE INDEX team_outbox_by_project ON team_outbox (project, n);",
    },
  },
);

export type OutboxRow = RowOf<typeof outboxTable>;

/** Changes that are being taken from the server are not sent back. */
const buildSharedCondition = (project: string) =>
  `(SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = ${project})`;

/** A session's own notes stay on its machine, and so do reminders. */
const buildSharedNoteCondition = (row: "NEW" | "OLD") =>
  `${row}.session_id IS NULL AND ${row}.condition IS NULL AND ${buildSharedCondition(`${row}.project`)}`;

const buildEnqueueSql = (kind: "memory" | "note" | "project", project = "NEW.project") => `
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('${kind}', NEW.id, ${project}, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;`;

const buildMemberUpdateSql = (table: "memory" | "note") => `
  UPDATE ${table} SET member = (SELECT member FROM team_link)
  WHERE id = NEW.id AND (SELECT member FROM team_link) IS NOT NULL;`;

const buildDeletionSql = (kind: "memory" | "note") => `
  INSERT INTO team_outbox (kind, id, project, change_id, member)
  SELECT '${kind}', OLD.id, OLD.project, lower(hex(randomblob(16))), ifnull(member, OLD.member)
  FROM team_link WHERE true
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project,
    member = excluded.member;`;

const SETUP_SQL = `
INSERT INTO team_link (one) VALUES (1);

CREATE TRIGGER team_memory_added AFTER INSERT ON memory WHEN ${buildSharedCondition("NEW.project")} BEGIN${buildEnqueueSql("memory")}
  -- A former wording is its author's, not that of who changed it.
  UPDATE memory SET member =
    ifnull((SELECT member FROM memory AS successor WHERE successor.id = NEW.superseded_by), link.member)
  FROM team_link AS link WHERE memory.id = NEW.id AND link.member IS NOT NULL;
END;
CREATE TRIGGER team_memory_changed
AFTER UPDATE OF text, category, importance, permanence, state, superseded_by, project, checked_at_ms
ON memory WHEN ${buildSharedCondition("NEW.project")} BEGIN${buildEnqueueSql("memory")}
END;
CREATE TRIGGER team_memory_written
AFTER UPDATE OF text, category, permanence, state ON memory WHEN ${buildSharedCondition("NEW.project")} BEGIN${buildMemberUpdateSql("memory")}
END;
-- The day of its last use is shared, each single use is not.
CREATE TRIGGER team_memory_used AFTER UPDATE OF used_at_ms ON memory
WHEN NEW.used_at_ms / 86400000 > ifnull(OLD.used_at_ms, 0) / 86400000 AND ${buildSharedCondition("NEW.project")} BEGIN${buildEnqueueSql("memory")}
END;
CREATE TRIGGER team_memory_deleted AFTER DELETE ON memory WHEN ${buildSharedCondition("OLD.project")} BEGIN${buildDeletionSql("memory")}
END;

CREATE TRIGGER team_note_added AFTER INSERT ON note WHEN ${buildSharedNoteCondition("NEW")} BEGIN${buildEnqueueSql("note")}${buildMemberUpdateSql("note")}
END;
CREATE TRIGGER team_note_changed AFTER UPDATE OF state, project ON note WHEN ${buildSharedNoteCondition("NEW")} BEGIN${buildEnqueueSql("note")}${buildMemberUpdateSql("note")}
END;
CREATE TRIGGER team_note_deleted AFTER DELETE ON note WHEN ${buildSharedNoteCondition("OLD")} BEGIN${buildDeletionSql("note")}
END;

CREATE TRIGGER team_project_moved AFTER UPDATE OF workspace, shares ON memory_project
WHEN (NEW.workspace IS NOT OLD.workspace OR NEW.shares <> OLD.shares) AND ${buildSharedCondition("NEW.id")} BEGIN${buildEnqueueSql("project", "NEW.id")}
END;
-- The team has it under this key.
CREATE TRIGGER team_project_stays BEFORE UPDATE OF id ON memory_project
WHEN EXISTS (SELECT 1 FROM team_project WHERE id = OLD.id) BEGIN
  SELECT RAISE(IGNORE);
END;`;

export const teamSchemaPart: SchemaModule = {
  tables: [linkTable, sharedProjectTable, outboxTable],
  setUp: SETUP_SQL,
  // Salvaged after the memories, which would otherwise be sent again although the server already has them.
  salvage: {
    tables: [
      { table: linkTable, where: "server IS NOT NULL", noun: null, isSetUp: true },
      { table: sharedProjectTable, where: "true", noun: null, isSetUp: false },
      { table: outboxTable, where: "true", noun: null, isSetUp: false },
    ],
    toMarkdown: () => "",
  },
};
