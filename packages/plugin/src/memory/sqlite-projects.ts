// Projects and workspaces in SQLite.
import type { Driver } from "../storage/driver.ts";
import { folderId } from "./project-id.ts";
import {
  CATEGORIES,
  type Category,
  type Project,
  type ProjectId,
  type Workspace,
} from "./record.ts";
import { type ProjectRow, projectTable, workspaceTable } from "./schema.ts";

/** Each is called within its caller's transaction, where it writes. */
export function projectRows(driver: Driver) {
  const ensure = ({ id, name, worktree }: Project, nowMs: number) =>
    projectTable.insert(driver, { id, name, worktree, seenAtMs: nowMs }, SEEN_AGAIN);
  const workspaceOf = (id: ProjectId): string | null => {
    const row = driver.get(SELECT_WORKSPACE, id);
    return typeof row?.workspace === "string" ? row.workspace : null;
  };
  const read = (name: string): Workspace => ({
    name,
    members: driver.all(SELECT_MEMBERS, name).map((row) => memberOf(projectTable.read(row))),
  });
  const leave = (id: ProjectId): string | null => {
    const name = workspaceOf(id);
    driver.run("UPDATE memory_project SET workspace = NULL, shares = '' WHERE id = ?", id);
    if (name !== null) driver.run(REMOVE_EMPTY, name);
    return name;
  };
  return {
    enter(project: Project, nowMs: number): void {
      ensure(project, nowMs);
      const former = folderId(project.worktree);
      if (former === project.id) return;
      // Of what both say, the project's own stays.
      driver.run("UPDATE OR IGNORE memory SET project = ? WHERE project = ?", project.id, former);
      driver.run("UPDATE note SET project = ? WHERE project = ?", project.id, former);
      driver.run("DELETE FROM memory_project WHERE id = ?", former);
    },

    knownAt(worktree: string): ProjectId | null {
      const row = driver.get(SELECT_AT, worktree);
      return row && projectTable.read(row).id;
    },

    workspaceOf(id: ProjectId): Workspace | null {
      const name = workspaceOf(id);
      return name === null ? null : read(name);
    },

    workspaces: (): readonly Workspace[] =>
      driver.all(SELECT_WORKSPACES).map((row) => read(workspaceTable.read(row).name)),

    create: (name: string, nowMs: number): boolean =>
      workspaceTable.insert(driver, { name, createdAtMs: nowMs }, "ON CONFLICT DO NOTHING") !==
      null,

    join(
      project: Project,
      { name, shares }: { readonly name: string; readonly shares: readonly Category[] },
      nowMs: number,
    ): boolean {
      if (driver.get("SELECT 1 AS there FROM memory_workspace WHERE name = ?", name) === null) {
        return false;
      }
      ensure(project, nowMs);
      const left = workspaceOf(project.id);
      driver.run(JOIN, name, shares.join(","), project.id);
      if (left !== null && left !== name) driver.run(REMOVE_EMPTY, left);
      return true;
    },

    leave,
  };
}

function memberOf({ id, name, worktree, shares }: ProjectRow): Workspace["members"][number] {
  const named = shares.split(",");
  return { id, name, worktree, shares: CATEGORIES.filter((one) => named.includes(one)) };
}

const SEEN_AGAIN = `ON CONFLICT (id) DO UPDATE SET name = excluded.name, worktree = excluded.worktree,
  seen_at_ms = excluded.seen_at_ms`;

const SELECT_AT = `
  SELECT ${projectTable.columns} FROM memory_project WHERE worktree = ?
  ORDER BY seen_at_ms DESC, id LIMIT 1`;

const SELECT_WORKSPACE = "SELECT workspace FROM memory_project WHERE id = ?";

const SELECT_WORKSPACES = `SELECT ${workspaceTable.columns} FROM memory_workspace ORDER BY name`;

const SELECT_MEMBERS = `
  SELECT ${projectTable.columns} FROM memory_project WHERE workspace = ? ORDER BY name, id`;

const JOIN = "UPDATE memory_project SET workspace = ?, shares = ? WHERE id = ?";

const REMOVE_EMPTY = `
  DELETE FROM memory_workspace WHERE name = ?1
    AND NOT EXISTS (SELECT 1 FROM memory_project WHERE workspace = ?1)`;
