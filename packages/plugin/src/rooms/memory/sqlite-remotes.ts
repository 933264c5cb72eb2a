// Where clones of projects came from, in SQLite.
import type { Driver } from "../../storage/driver.ts";
import { commitId, firstCommitOf, forkId } from "./ids.ts";
import type { ProjectId } from "./record.ts";
import type { KnownRemote } from "./remote.ts";
import { memoryTable, noteTable, projectTable, remoteTable, workspaceTable } from "./schema.ts";
import type { Written } from "./sqlite-rows.ts";

/** A clone whose project is kept apart from another one, for people. */
export interface KeptApart {
  readonly remote: string;
  /** Of the other project. */
  readonly name: string;
  readonly ownRemote: string;
  /** Whether the user was asked about it. */
  readonly asked: "yes" | "not yet";
}

export function remoteStore(driver: Driver, written: Written) {
  const remotes = remoteTable.in(driver);
  const projects = projectTable.in(driver);
  const rowsOf = (project: ProjectId) => remotes.list({ project }, "remote");
  const rowOf = (id: ProjectId) => {
    const firstCommit = firstCommitOf(id);
    if (firstCommit === null) return null;
    const root = commitId(firstCommit);
    const rows = rowsOf(root);
    const row = rows.find(({ remote }) => forkId(firstCommit, remote) === id);
    const own = rows.find(({ standing }) => standing === "own");
    return row && own && row.standing === "apart" ? { root, row, own } : null;
  };
  return {
    /** Of the project by a first commit, `root`. */
    remotesOf: (root: ProjectId): readonly KnownRemote[] => rowsOf(root),

    /** The folder that a project was last at work in; null: it never was. */
    worktreeOf: (id: ProjectId): string | null => projects.find({ id })?.worktree ?? null,

    /** A clone that came from there is at work as this project. @param own where the project's own came from */
    claimRemote: (id: ProjectId, remote: string, own: string | null): void =>
      written(() => {
        const firstCommit = firstCommitOf(id);
        if (firstCommit === null) return;
        const project = commitId(firstCommit);
        const claim = (place: string, standing: KnownRemote["standing"]) =>
          remotes.insertNew({ project, remote: place, standing });
        const isOwnKnown = () => rowsOf(project).some(({ standing }) => standing === "own");
        if (own !== null && !isOwnKnown()) claim(own, "own");
        claim(remote, id === project && !isOwnKnown() ? "own" : "apart");
      }),

    /** What the project is kept apart from; null: nothing. */
    keptApart: (id: ProjectId): KeptApart | null => {
      const found = rowOf(id);
      if (!found) return null;
      const { root, row, own } = found;
      const name = projects.find({ id: root })?.name ?? own.remote;
      const asked = row.asked === 1 ? "yes" : "not yet";
      return { remote: row.remote, name, ownRemote: own.remote, asked };
    },

    asked: (id: ProjectId): void =>
      written(() => {
        const found = rowOf(id);
        if (found) remotes.update({ project: found.root, remote: found.row.remote }, { asked: 1 });
      }),

    /**
     * The user says that both are one project: what was stored for the clone moves to it.
     * `shared`: its rows are a team's, which has them under the clone. `not apart`: from none.
     */
    joinFork: (id: ProjectId): "joined" | "shared" | "not apart" =>
      written(() => {
        const found = rowOf(id);
        if (!found) return "not apart";
        if (driver.get(SELECT_SHARED, id) !== null) return "shared";
        const { root, row } = found;
        remotes.update({ project: root, remote: row.remote }, { standing: "joined" });
        moveProject(driver, id, root);
        return "joined";
      }),
  };
}

/** What is stored for a project is another's from then on; of what both say, the other's own stays. */
export function moveProject(driver: Driver, from: ProjectId, to: ProjectId): void {
  const projects = projectTable.in(driver);
  const workspace = projects.find({ id: from })?.workspace ?? null;
  driver.run(MOVE_MEMORIES, to, from);
  noteTable.in(driver).update({ project: from }, { project: to });
  memoryTable.in(driver).delete({ project: from });
  // What goes with a project that is forgotten goes along with one that moves: its tables' triggers see where to.
  const id = `moved:${to}` as ProjectId;
  projects.update({ id: from }, { id });
  projects.delete({ id });
  removeIfEmpty(driver, workspace);
}

/** A workspace without a project. */
export function removeIfEmpty(driver: Driver, name: string | null): void {
  if (name === null || projectTable.in(driver).count({ workspace: name }) > 0) return;
  workspaceTable.in(driver).delete({ name });
}

/** Each gets a number of the other project's. */
const MOVE_MEMORIES = `
  UPDATE OR IGNORE memory SET project = ?, number = NULL WHERE project = ?`;

const SELECT_SHARED = "SELECT 1 AS found FROM team_project WHERE id = ?";
