// Where clones of projects came from, in SQLite.
import type { Driver } from "../storage/driver.ts";
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
    remotesOf: async (root: ProjectId): Promise<readonly KnownRemote[]> => rowsOf(root),

    /** A clone that came from there is at work as this project. */
    claimRemote: async (id: ProjectId, remote: string): Promise<void> =>
      written(() => {
        const firstCommit = firstCommitOf(id);
        if (firstCommit === null) return;
        const project = commitId(firstCommit);
        const standing = id === project ? "own" : "apart";
        remoteTable.insert(driver, { project, remote, standing }, "ON CONFLICT DO NOTHING");
      }),

    /** Null: the project is kept apart from none, or the user was asked already. Asked once from now on. */
    askAbout: async (id: ProjectId): Promise<KeptApart | null> =>
      written(() => {
        const found = rowOf(id);
        if (!found || found.row.asked === 1) return null;
        const { root, row, own } = found;
        driver.run(ASKED, root, row.remote);
        const other = driver.get(SELECT_PROJECT, root);
        const name = other === null ? own.remote : projectTable.read(other).name;
        return { remote: row.remote, name, ownRemote: own.remote };
      }),

    /**
     * The user says that both are one project: what was stored for the clone moves to it.
     * @returns false: it is kept apart from none
     */
    joinFork: async (id: ProjectId): Promise<boolean> =>
      written(() => {
        const found = rowOf(id);
        if (!found) return false;
        driver.run(JOIN, found.root, found.row.remote);
        moveProject(driver, id, found.root);
        return true;
      }),
  };
}

/** What is stored for a project is another's from then on; of what both say, the other's own stays. */
export function moveProject(driver: Driver, from: ProjectId, to: ProjectId): void {
  driver.run(MOVE_MEMORIES, to, from);
  driver.run("UPDATE note SET project = ? WHERE project = ?", to, from);
  driver.run("DELETE FROM memory_project WHERE id = ?", from);
}

/** Each gets a number of the other project's. */
const MOVE_MEMORIES = `
  UPDATE OR IGNORE memory SET project = ?, number = NULL WHERE project = ?`;

const SELECT = `
  SELECT ${remoteTable.columns} FROM memory_remote WHERE project = ? ORDER BY remote`;

const SELECT_PROJECT = `SELECT ${projectTable.columns} FROM memory_project WHERE id = ?`;

const ASKED = "UPDATE memory_remote SET asked = 1 WHERE project = ? AND remote = ?";

const JOIN = "UPDATE memory_remote SET standing = 'joined' WHERE project = ? AND remote = ?";
