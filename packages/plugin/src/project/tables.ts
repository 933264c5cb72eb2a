// The tables of projects: where each is at work, and where its clones came from.
import { branded, integer, knownValue, orNull, text } from "../storage/column.ts";
import { ofNoSession, table } from "../storage/table.ts";
import type { ProjectId } from "./project.ts";
import { STANDINGS } from "./remote.ts";

/**
 * A row that moves into another project is called `moved:` and the other's id for a moment: triggers of
 * tables that go by the project take their rows along, and one that says `RAISE(IGNORE)` keeps it here.
 */
export const projectTable = table(
  "memory_project",
  {
    id: branded<ProjectId>(),
    /** Of the folder that it was last at work in; empty where it never was. */
    name: text,
    worktree: text,
    /** Of projects that read each other's memories. */
    workspace: orNull(text),
    /** Categories that the other members read, with commas between. */
    shares: text,
    seenAtMs: integer,
    /** How many numbers were given out to its memories. */
    numbered: integer,
  },
  {
    ...{ key: ["id"], ...ofNoSession },
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

/** Its worktrees and clones: which project a folder was last of. */
export const placeTable = table(
  "project_place",
  { worktree: text, project: branded<ProjectId>(), seenAtMs: integer },
  { key: ["worktree"], ...ofNoSession },
);

/** Of rows that come without their project, from another machine: it has a name when it is first at work here. */
export const metProject = {
  column: "project",
  sql: `
  INSERT INTO memory_project (id, name, worktree, seen_at_ms) VALUES (?, '', '', 0)
  ON CONFLICT DO NOTHING`,
} as const;

export const remoteTable = table(
  "memory_remote",
  {
    /** By its first commit alone. */
    project: branded<ProjectId>(),
    remote: text,
    standing: knownValue(STANDINGS),
    asked: knownValue([0, 1]),
  },
  {
    ...{ key: ["project", "remote"], ...ofNoSession },
    sql: { columns: { asked: "DEFAULT 0" }, layout: "by key" },
  },
);
