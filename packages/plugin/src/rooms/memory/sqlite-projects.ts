// Projects and workspaces in SQLite.
import type { Driver } from "../../storage/driver.ts";
import { folderId, hostId } from "./ids.ts";
import {
  CATEGORIES,
  type Category,
  type Project,
  type ProjectId,
  type Workspace,
} from "./record.ts";
import { type ProjectRow, projectTable, workspaceTable } from "./schema.ts";
import { moveProject, REMOVE_EMPTY } from "./sqlite-remotes.ts";
import type { Written } from "./sqlite-rows.ts";

export function projectStore(driver: Driver, written: Written) {
  const ensure = ({ id, name, worktree }: Project, nowMs: number) =>
    projectTable.insert(driver, { id, name, worktree, seenAtMs: nowMs }, SEEN_AGAIN);
  const nameOf = (id: ProjectId): string | null => {
    const row = driver.get(SELECT_WORKSPACE, id);
    return typeof row?.workspace === "string" ? row.workspace : null;
  };
  const read = (name: string): Workspace => ({
    name,
    members: driver.all(SELECT_MEMBERS, name).map((row) => memberOf(projectTable.read(row))),
  });
  const leave = (id: ProjectId): string | null => {
    const name = nameOf(id);
    driver.run("UPDATE memory_project SET workspace = NULL, shares = '' WHERE id = ?", id);
    if (name !== null) driver.run(REMOVE_EMPTY, name);
    return name;
  };
  return {
    /**
     * The project is at work at this place. What was stored for the place while it had no first commit is
     * the project's from then on.
     */
    enter: (project: Project, nowMs: number): void =>
      written(() => {
        ensure(project, nowMs);
        const former = folderId(project.worktree);
        if (former === project.id) return;
        driver.run(TAKE_MEMBERSHIP, former, project.id);
        moveProject(driver, former, project.id);
      }),

    /** What was stored by the host's name of the project is its own from then on. */
    takeOver: (hostName: string, id: ProjectId): void =>
      written(() => moveProject(driver, hostId(hostName), id)),

    /** The project that was last at work in a worktree; null: none was. */
    knownAt: (worktree: string): ProjectId | null => {
      const row = driver.get(SELECT_AT, worktree);
      return row && projectTable.read(row).id;
    },

    /** Removes everything that is the project's: memories, notes, its membership. */
    forgetProject: (id: ProjectId): void =>
      written(() => {
        leave(id);
        driver.erase("DELETE FROM memory_project WHERE id = ?", id);
        driver.run("DELETE FROM memory_remote WHERE project = ? AND standing <> 'apart'", id);
      }),

    workspaceOf: (id: ProjectId): Workspace | null => {
      const name = nameOf(id);
      return name === null ? null : read(name);
    },

    workspaces: (): readonly Workspace[] =>
      driver.all(SELECT_WORKSPACES).map((row) => read(workspaceTable.read(row).name)),

    /** @returns false: there is one of that name */
    createWorkspace: (name: string, nowMs: number): boolean =>
      written(() => {
        const row = { name, createdAtMs: nowMs };
        return workspaceTable.insert(driver, row, "ON CONFLICT DO NOTHING") !== null;
      }),

    /** Leaves any other; joining again changes what is shared. @returns false: there is none of that name */
    joinWorkspace: (
      project: Project,
      name: string,
      shares: readonly Category[],
      nowMs: number,
    ): boolean =>
      written(() => {
        if (driver.get(SELECT_NAMED, name) === null) return false;
        ensure(project, nowMs);
        const left = nameOf(project.id);
        driver.run(JOIN, name, shares.join(","), project.id);
        if (left !== null && left !== name) driver.run(REMOVE_EMPTY, left);
        return true;
      }),

    /** An empty workspace is removed. @returns the name of the one it was in; null: none */
    leaveWorkspace: (id: ProjectId): string | null => written(() => leave(id)),
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

const SELECT_NAMED = "SELECT 1 AS there FROM memory_workspace WHERE name = ?";

const SELECT_WORKSPACES = `SELECT ${workspaceTable.columns} FROM memory_workspace ORDER BY name`;

const SELECT_MEMBERS = `
  SELECT ${projectTable.columns} FROM memory_project WHERE workspace = ? ORDER BY name, id`;

/** It is the same project: a place in a workspace moves with it, unless it has one already. */
const TAKE_MEMBERSHIP = `
  UPDATE memory_project SET (workspace, shares) = (former.workspace, former.shares)
  FROM memory_project AS former
  WHERE former.id = ? AND former.workspace IS NOT NULL
    AND memory_project.id = ? AND memory_project.workspace IS NULL`;

const JOIN = "UPDATE memory_project SET workspace = ?, shares = ? WHERE id = ?";
