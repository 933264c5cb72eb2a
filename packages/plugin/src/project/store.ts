// Stores projects: where they are active, where their clones came from, and which were joined.
import type { Driver } from "../storage/driver.ts";
import {
  type HostProjectName,
  type KnownRemote,
  type Project,
  type ProjectId,
  parseFirstCommit,
  toCommitId,
  toFolderId,
  toForkId,
  toHostId,
} from "./project.ts";
import { placeTable, projectTable, remoteTable } from "./tables.ts";

/** Describes, for people, a clone whose project is kept apart from another project. */
export interface SeparatedClone {
  readonly remote: string;
  /** The other project's name. */
  readonly name: string;
  readonly ownRemote: string;
  /** Says whether the user has been asked about the clone. */
  readonly asked: "yes" | "not yet";
}

/** Runs writes in one transaction. */
type ProjectTransaction = <Result>(body: () => Result) => Result;

export type ProjectStore = ReturnType<typeof createProjectStore>;

/** Builds the store for `RuntimeDatabase.store`. Each call throws a StorageError if the database fails. */
export const createProjectStore = (driver: Driver) =>
  buildProjectStore(driver, (body) => driver.transaction(body));

/** Builds a store that passes each write to `write`. */
export function buildProjectStore(driver: Driver, write: ProjectTransaction) {
  const projects = projectTable.in(driver);
  const remotes = remoteTable.in(driver);
  const listKnownRemotes = (project: ProjectId) => remotes.list({ project }, "remote");
  const findSeparatedClone = (id: ProjectId) => {
    const firstCommit = parseFirstCommit(id);
    if (firstCommit === null) return null;
    const root = toCommitId(firstCommit);
    const rows = listKnownRemotes(root);
    const row = rows.find(({ remote }) => toForkId(firstCommit, remote) === id);
    const own = rows.find(({ standing }) => standing === "own");
    return row && own && row.standing === "apart" ? { root, row, own } : null;
  };
  return {
    /** Returns the project that was last active in a worktree; null if there was none. */
    knownAt: (worktree: string): ProjectId | null =>
      placeTable.in(driver).find({ worktree })?.project ?? null,

    /**
     * Returns the folder that a project was last active in; null if the project is known only from elsewhere.
     */
    readWorktree: (id: ProjectId): string | null => projects.find({ id })?.worktree || null,

    /** Returns the origins of the project with the first commit `root`. */
    readRemotes: (root: ProjectId): readonly KnownRemote[] => listKnownRemotes(root),

    /**
     * Records that the project is active at this place. Data that was stored for the place while it had no
     * first commit moves to the project.
     */
    enter: (project: Project, nowMs: number): void =>
      write(() => {
        ensureProject(driver, project, nowMs);
        const id = toFolderId(project.worktree);
        if (id !== project.id) moveProject(driver, id, project.id);
      }),

    /** Moves data that was stored under the host's name for a project to the project's own id. */
    takeOver: (name: HostProjectName, id: ProjectId): void =>
      write(() => void moveProject(driver, toHostId(name), id)),

    /**
     * Records where a clone of the project came from.
     * @param own the project's own origin; null if there is none
     */
    claimRemote: (id: ProjectId, remote: string, own: string | null): void =>
      write(() => {
        const firstCommit = parseFirstCommit(id);
        if (firstCommit === null) return;
        const project = toCommitId(firstCommit);
        const insertRemote = (place: string, standing: KnownRemote["standing"]) =>
          remotes.insertNew({ project, remote: place, standing });
        const hasOwnRemote = () =>
          listKnownRemotes(project).some(({ standing }) => standing === "own");
        if (own !== null && !hasOwnRemote()) insertRemote(own, "own");
        insertRemote(remote, id === project && !hasOwnRemote() ? "own" : "apart");
      }),

    /**
     * Describes the clone for which this project is kept apart from another one; null if it isn't kept apart.
     */
    keptApart: (id: ProjectId): SeparatedClone | null => {
      const found = findSeparatedClone(id);
      if (!found) return null;
      const { root, row, own } = found;
      const name = projects.find({ id: root })?.name ?? own.remote;
      const asked = row.asked === 1 ? "yes" : "not yet";
      return { remote: row.remote, name, ownRemote: own.remote, asked };
    },

    asked: (id: ProjectId): void =>
      write(() => {
        const found = findSeparatedClone(id);
        if (found) remotes.update({ project: found.root, remote: found.row.remote }, { asked: 1 });
      }),

    /**
     * Joins a fork at the user's request: data that was stored for the clone moves to the other project.
     * `held` means that the clone's project has to stay, because others refer to it by its key; `not apart`
     * means that there was nothing to join.
     */
    joinFork: (id: ProjectId): "joined" | "held" | "not apart" =>
      write(() => {
        const found = findSeparatedClone(id);
        if (!found) return "not apart";
        const { root, row } = found;
        if (!moveProject(driver, id, root)) return "held";
        remotes.update({ project: root, remote: row.remote }, { standing: "joined" });
        return "joined";
      }),
  };
}

/** Inserts or updates the project's row and its place, within the caller's transaction. */
export function ensureProject(
  driver: Driver,
  { id, name, worktree }: Project,
  nowMs: number,
): void {
  projectTable.in(driver).upsert({ id, name, worktree, seenAtMs: nowMs });
  placeTable.in(driver).upsert({ worktree, project: id, seenAtMs: nowMs });
}

/** Moves a project's data. @returns false if the project isn't known, or has to stay */
function moveProject(driver: Driver, from: ProjectId, to: ProjectId): boolean {
  const projects = projectTable.in(driver);
  const id = `moved:${to}` as ProjectId;
  if (projects.update({ id: from }, { id }).length === 0) return false;
  placeTable.in(driver).update({ project: from }, { project: to });
  const moved = projects.find({ id });
  // A project's membership in a workspace moves with it, unless the other project already belongs to one.
  if (moved !== null && moved.workspace !== null) {
    const { workspace, shares } = moved;
    projects.update({ id: to, workspace: null }, { workspace, shares });
  }
  projects.delete({ id });
  return true;
}
