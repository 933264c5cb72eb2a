// The tables of projects: where each is active, and where its clones came from.
import { brandedText, integer, knownValue, nullable, text } from "../storage/column.ts";
import { noSessionRules, table } from "../storage/table.ts";
import { type ProjectId, REMOTE_STANDINGS } from "./project.ts";

/**
 * Holds projects. A row that moves into another project is briefly named `moved:` and that project's id, so
 * that triggers of tables with rows for the project move those rows too; a trigger that says `RAISE(IGNORE)`
 * keeps the project in place.
 */
export const projectTable = table(
  "memory_project",
  {
    id: brandedText<ProjectId>(),
    /** The name of the folder that the project was last active in; empty if there was none. */
    name: text,
    worktree: text,
    /** Names the workspace, whose projects read each other's memories. */
    workspace: nullable(text),
    /** The categories that the workspace's other members read, separated by commas. */
    shares: text,
    seenAtMs: integer,
    /** Counts the numbers assigned to the project's memories. */
    numbered: integer,
  },
  {
    ...{ key: ["id"], ...noSessionRules },
    sql: {
      columns: {
        workspace: "REFERENCES memory_workspace (name) ON DELETE SET NULL",
        shares: "DEFAULT ''",
        numbered: "DEFAULT 0",
      },
      extras: `
CREATE INDEX memory_project_by_worktree ON memory_project (worktree, seen_at_ms);
CREATE INDEX memory_project_by_workspace ON memory_project (workspace);`,
    },
  },
);

/** Maps worktrees and clones to the project that was last active there. */
export const placeTable = table(
  "project_place",
  { worktree: text, project: brandedText<ProjectId>(), seenAtMs: integer },
  { key: ["worktree"], ...noSessionRules },
);

/**
 * Creates the project that rows imported from another machine belong to; it is named when it is first active
 * here.
 */
export const importedProjectParent = {
  column: "project",
  sql: `
  INSERT INTO memory_project (id, name, worktree, seen_at_ms) VALUES (?, '', '', 0)
  ON CONFLICT DO NOTHING`,
} as const;

export const remoteTable = table(
  "memory_remote",
  {
    /** The project's id, built from the first commit alone. */
    project: brandedText<ProjectId>(),
    remote: text,
    standing: knownValue(REMOTE_STANDINGS),
    asked: knownValue([0, 1]),
  },
  {
    ...{ key: ["project", "remote"], ...noSessionRules },
    sql: { columns: { asked: "DEFAULT 0" }, layout: "by key" },
  },
);
