// Projects and workspaces in SQLite.
import type { Driver } from "../../storage/driver.ts";
import type { RowOf } from "../../storage/table.ts";
import { folderId, hostId } from "./ids.ts";
import {
  CATEGORIES,
  type Category,
  type Project,
  type ProjectId,
  type Workspace,
} from "./record.ts";
import { projectTable, remoteTable, workspaceTable } from "./schema.ts";
import { moveProject, removeIfEmpty } from "./sqlite-remotes.ts";
import type { Written } from "./sqlite-rows.ts";

export function projectStore(driver: Driver, written: Written) {
  const projects = projectTable.in(driver);
  const workspaces = workspaceTable.in(driver);
  const ensure = ({ id, name, worktree }: Project, nowMs: number) =>
    projects.upsert({ id, name, worktree, seenAtMs: nowMs });
  const nameOf = (id: ProjectId): string | null => projects.find({ id })?.workspace ?? null;
  const read = (name: string): Workspace => ({
    name,
    members: projects.list({ workspace: name }, "name", "id").map(memberOf),
  });
  const leave = (id: ProjectId): string | null => {
    const name = nameOf(id);
    projects.update({ id }, { workspace: null, shares: "" });
    removeIfEmpty(driver, name);
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
        const id = folderId(project.worktree);
        if (id === project.id) return;
        const former = projects.find({ id });
        // A place in a workspace moves with it, unless it has one already.
        if (former !== null && former.workspace !== null) {
          const { workspace, shares } = former;
          projects.update({ id: project.id, workspace: null }, { workspace, shares });
        }
        moveProject(driver, id, project.id);
      }),

    /** What was stored by the host's name of the project is its own from then on. */
    takeOver: (hostName: string, id: ProjectId): void =>
      written(() => moveProject(driver, hostId(hostName), id)),

    /** The project that was last at work in a worktree; null: none was. */
    knownAt: (worktree: string): ProjectId | null =>
      projects.find({ worktree }, "seenAtMs desc", "id")?.id ?? null,

    /** Removes everything that is the project's: memories, notes, its membership. */
    forgetProject: (id: ProjectId): void =>
      written(() => {
        leave(id);
        projects.erase({ id });
        remoteTable.in(driver).delete({ project: id, standing: ["own", "joined"] });
      }),

    workspaceOf: (id: ProjectId): Workspace | null => {
      const name = nameOf(id);
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
        ensure(project, nowMs);
        const left = nameOf(project.id);
        projects.update({ id: project.id }, { workspace: name, shares: shares.join(",") });
        if (left !== name) removeIfEmpty(driver, left);
        return true;
      }),

    /** An empty workspace is removed. @returns the name of the one it was in; null: none */
    leaveWorkspace: (id: ProjectId): string | null => written(() => leave(id)),
  };
}

function memberOf({
  id,
  name,
  worktree,
  shares,
}: RowOf<typeof projectTable>): Workspace["members"][number] {
  const named = shares.split(",");
  return { id, name, worktree, shares: CATEGORIES.filter((one) => named.includes(one)) };
}
