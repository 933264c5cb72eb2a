// Stores in SQLite which memories projects share: workspaces.
import type { Project, ProjectId } from "../../project/project.ts";
import { ensureProject } from "../../project/store.ts";
import { projectTable, remoteTable } from "../../project/tables.ts";
import type { Driver } from "../../storage/driver.ts";
import type { RowOf } from "../../storage/table.ts";
import { CATEGORIES, type Category, type Workspace } from "./record.ts";
import { workspaceTable } from "./schema.ts";
import type { WriteTransaction } from "./sqlite-rows.ts";

/** A workspace that the last project leaves goes by itself. */
export function workspaceStore(driver: Driver, written: WriteTransaction) {
  const projects = projectTable.in(driver);
  const workspaces = workspaceTable.in(driver);
  const findWorkspaceName = (id: ProjectId): string | null =>
    projects.find({ id })?.workspace ?? null;
  const read = (name: string): Workspace => ({
    name,
    members: projects.list({ workspace: name }, "name", "id").map(toMember),
  });
  const leave = (id: ProjectId): string | null => {
    const name = findWorkspaceName(id);
    projects.update({ id }, { workspace: null, shares: "" });
    return name;
  };
  return {
    /** Removes everything that is the project's: memories, notes, its membership. */
    forgetProject: (id: ProjectId): void =>
      written(() => {
        leave(id);
        projects.erase({ id });
        remoteTable.in(driver).delete({ project: id, standing: ["own", "joined"] });
      }),

    findWorkspace: (id: ProjectId): Workspace | null => {
      const name = findWorkspaceName(id);
      return name === null ? null : read(name);
    },

    workspaces: (): readonly Workspace[] =>
      workspaces.list({}, "name").map(({ name }) => read(name)),

    /** @returns false: there is one of that name */
    createWorkspace: (name: string, nowMs: number): boolean =>
      written(() => workspaces.insertNew({ name, createdAtMs: nowMs }) !== null),

    /** Leaves any other; joining again changes what is shared. @returns false: there is none of that name */
    joinWorkspace: (
      project: Project,
      name: string,
      shares: readonly Category[],
      nowMs: number,
    ): boolean =>
      written(() => {
        if (workspaces.find({ name }) === null) return false;
        ensureProject(driver, project, nowMs);
        projects.update({ id: project.id }, { workspace: name, shares: shares.join(",") });
        return true;
      }),

    /** @returns the name of the one it was in; null: none */
    leaveWorkspace: (id: ProjectId): string | null => written(() => leave(id)),
  };
}

function toMember({
  id,
  name,
  worktree,
  shares,
}: RowOf<typeof projectTable>): Workspace["members"][number] {
  const named = shares.split(",");
  return { id, name, worktree, shares: CATEGORIES.filter((one) => named.includes(one)) };
}
