// Projects in SQLite: where they are at work, where their clones came from, and which have become one.
import type { Driver } from "../storage/driver.ts";
import {
  commitId,
  folderId,
  forkId,
  type HostProject,
  hostId,
  type Project,
  type ProjectId,
  parseFirstCommit,
} from "./project.ts";
import type { KnownRemote } from "./remote.ts";
import { placeTable, projectTable, remoteTable } from "./tables.ts";

/** A clone whose project is kept apart from another one, for people. */
export interface SeparatedClone {
  readonly remote: string;
  /** Of the other project. */
  readonly name: string;
  readonly ownRemote: string;
  /** Whether the user was asked about it. */
  readonly asked: "yes" | "not yet";
}

/** One transaction. */
type ProjectWrite = <Result>(body: () => Result) => Result;

export type ProjectStore = ReturnType<typeof projectStore>;

/** For `RuntimeDatabase.store`. Each call throws a StorageError where the database fails. */
export const projectStore = (driver: Driver) =>
  projectsIn(driver, (body) => driver.transaction(body));

/** The same, for a store that hears of each write. */
export function projectsIn(driver: Driver, write: ProjectWrite) {
  const projects = projectTable.in(driver);
  const remotes = remoteTable.in(driver);
  const readRows = (project: ProjectId) => remotes.list({ project }, "remote");
  const apart = (id: ProjectId) => {
    const firstCommit = parseFirstCommit(id);
    if (firstCommit === null) return null;
    const root = commitId(firstCommit);
    const rows = readRows(root);
    const row = rows.find(({ remote }) => forkId(firstCommit, remote) === id);
    const own = rows.find(({ standing }) => standing === "own");
    return row && own && row.standing === "apart" ? { root, row, own } : null;
  };
  return {
    /** The project that was last at work in a worktree; null: none was. */
    knownAt: (worktree: string): ProjectId | null =>
      placeTable.in(driver).find({ worktree })?.project ?? null,

    /** The folder that a project was last at work in; null: it never was, as one that is known from elsewhere. */
    readWorktree: (id: ProjectId): string | null => projects.find({ id })?.worktree || null,

    /** Of the project by a first commit, `root`. */
    readRemotes: (root: ProjectId): readonly KnownRemote[] => readRows(root),

    /**
     * The project is at work at this place. What was stored for the place while it had no first commit is
     * the project's from then on.
     */
    enter: (project: Project, nowMs: number): void =>
      write(() => {
        ensureProject(driver, project, nowMs);
        const id = folderId(project.worktree);
        if (id !== project.id) moveProject(driver, id, project.id);
      }),

    /** What was stored by the host's name of the project is its own from then on. */
    takeOver: (name: HostProject, id: ProjectId): void =>
      write(() => void moveProject(driver, hostId(name), id)),

    /** A clone that came from there is at work as this project. @param own where the project's own came from */
    claimRemote: (id: ProjectId, remote: string, own: string | null): void =>
      write(() => {
        const firstCommit = parseFirstCommit(id);
        if (firstCommit === null) return;
        const project = commitId(firstCommit);
        const claim = (place: string, standing: KnownRemote["standing"]) =>
          remotes.insertNew({ project, remote: place, standing });
        const isOwnKnown = () => readRows(project).some(({ standing }) => standing === "own");
        if (own !== null && !isOwnKnown()) claim(own, "own");
        claim(remote, id === project && !isOwnKnown() ? "own" : "apart");
      }),

    /** What the project is kept apart from; null: nothing. */
    keptApart: (id: ProjectId): SeparatedClone | null => {
      const found = apart(id);
      if (!found) return null;
      const { root, row, own } = found;
      const name = projects.find({ id: root })?.name ?? own.remote;
      const asked = row.asked === 1 ? "yes" : "not yet";
      return { remote: row.remote, name, ownRemote: own.remote, asked };
    },

    asked: (id: ProjectId): void =>
      write(() => {
        const found = apart(id);
        if (found) remotes.update({ project: found.root, remote: found.row.remote }, { asked: 1 });
      }),

    /**
     * The user says that both are one project: what was stored for the clone moves to it.
     * `held`: others know it by its key, and keep it there. `not apart`: from none.
     */
    joinFork: (id: ProjectId): "joined" | "held" | "not apart" =>
      write(() => {
        const found = apart(id);
        if (!found) return "not apart";
        const { root, row } = found;
        if (!moveProject(driver, id, root)) return "held";
        remotes.update({ project: root, remote: row.remote }, { standing: "joined" });
        return "joined";
      }),
  };
}

/** Within its caller's transaction. */
export function ensureProject(
  driver: Driver,
  { id, name, worktree }: Project,
  nowMs: number,
): void {
  projectTable.in(driver).upsert({ id, name, worktree, seenAtMs: nowMs });
  placeTable.in(driver).upsert({ worktree, project: id, seenAtMs: nowMs });
}

/** @returns false: it isn't known, or is held where it is */
function moveProject(driver: Driver, from: ProjectId, to: ProjectId): boolean {
  const projects = projectTable.in(driver);
  const id = `moved:${to}` as ProjectId;
  if (projects.update({ id: from }, { id }).length === 0) return false;
  placeTable.in(driver).update({ project: from }, { project: to });
  const moved = projects.find({ id });
  // A place in a workspace moves with it, unless the other has one already.
  if (moved !== null && moved.workspace !== null) {
    const { workspace, shares } = moved;
    projects.update({ id: to, workspace: null }, { workspace, shares });
  }
  projects.delete({ id });
  return true;
}
