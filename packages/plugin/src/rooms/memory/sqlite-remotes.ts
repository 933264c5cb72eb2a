// Where clones of projects came from, in SQLite.
import type { Driver } from "../../storage/driver.ts";
import { commitId, firstCommitOf, forkId } from "./ids.ts";
import type { ProjectId } from "./record.ts";
import type { KnownRemote } from "./remote.ts";
import { projectTable, remoteTable } from "./schema.ts";
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
  const rowsOf = (root: ProjectId) => driver.all(SELECT, root).map(remoteTable.read);
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
    worktreeOf: (id: ProjectId): string | null => {
      const row = driver.get(SELECT_PROJECT, id);
      return row && projectTable.read(row).worktree;
    },

    /** A clone that came from there is at work as this project. @param own where the project's own came from */
    claimRemote: (id: ProjectId, remote: string, own: string | null): void =>
      written(() => {
        const firstCommit = firstCommitOf(id);
        if (firstCommit === null) return;
        const project = commitId(firstCommit);
        const claim = (place: string, standing: KnownRemote["standing"]) =>
          remoteTable.insert(
            driver,
            { project, remote: place, standing },
            "ON CONFLICT DO NOTHING",
          );
        const isOwnKnown = () => rowsOf(project).some(({ standing }) => standing === "own");
        if (own !== null && !isOwnKnown()) claim(own, "own");
        claim(remote, id === project && !isOwnKnown() ? "own" : "apart");
      }),

    /** What the project is kept apart from; null: nothing. */
    keptApart: (id: ProjectId): KeptApart | null => {
      const found = rowOf(id);
      if (!found) return null;
      const { root, row, own } = found;
      const other = driver.get(SELECT_PROJECT, root);
      const name = other === null ? own.remote : projectTable.read(other).name;
      const asked = row.asked === 1 ? "yes" : "not yet";
      return { remote: row.remote, name, ownRemote: own.remote, asked };
    },

    asked: (id: ProjectId): void =>
      written(() => {
        const found = rowOf(id);
        if (found) driver.run(ASKED, found.root, found.row.remote);
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
        driver.run(JOIN, found.root, found.row.remote);
        moveProject(driver, id, found.root);
        return "joined";
      }),
  };
}

/** What is stored for a project is another's from then on; of what both say, the other's own stays. */
export function moveProject(driver: Driver, from: ProjectId, to: ProjectId): void {
  const workspace = driver.get(SELECT_WORKSPACE, from)?.workspace ?? null;
  driver.run(MOVE_MEMORIES, to, from);
  driver.run("UPDATE note SET project = ? WHERE project = ?", to, from);
  driver.run("DELETE FROM memory WHERE project = ?", from);
  // What goes with a project that is forgotten goes along with one that moves: its tables' triggers see where to.
  driver.run("UPDATE memory_project SET id = 'moved:' || ? WHERE id = ?", to, from);
  driver.run("DELETE FROM memory_project WHERE id = 'moved:' || ?", to);
  driver.run(REMOVE_EMPTY, workspace);
}

const SELECT_WORKSPACE = "SELECT workspace FROM memory_project WHERE id = ?";

/** A workspace without a project. */
export const REMOVE_EMPTY = `
  DELETE FROM memory_workspace WHERE name = ?1
    AND NOT EXISTS (SELECT 1 FROM memory_project WHERE workspace = ?1)`;

/** Each gets a number of the other project's. */
const MOVE_MEMORIES = `
  UPDATE OR IGNORE memory SET project = ?, number = NULL WHERE project = ?`;

const SELECT = `
  SELECT ${remoteTable.columns} FROM memory_remote WHERE project = ? ORDER BY remote`;

const SELECT_PROJECT = `SELECT ${projectTable.columns} FROM memory_project WHERE id = ?`;

const SELECT_SHARED = "SELECT 1 AS found FROM team_project WHERE id = ?";

const ASKED = "UPDATE memory_remote SET asked = 1 WHERE project = ? AND remote = ?";

const JOIN = "UPDATE memory_remote SET standing = 'joined' WHERE project = ? AND remote = ?";
