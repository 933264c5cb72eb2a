// Stores memories, notes and workspaces in the runtime's own database.
import type { Ref } from "../../ledger/ref.ts";
import type { Project, ProjectId } from "../../project/project.ts";
import { buildProjectStore, ensureProject } from "../../project/store.ts";
import { projectTable, remoteTable } from "../../project/tables.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { RowOf } from "../../storage/table.ts";
import {
  CATEGORIES,
  type Category,
  type ChangeContext,
  type ChangeOutcome,
  type MemberNames,
  type Memory,
  type MemoryChange,
  type MemoryId,
  type ReadableMemory,
  type Workspace,
} from "./record.ts";
import { memoryTable, workspaceTable } from "./schema.ts";
import { fingerprint } from "./similar.ts";
import { applyChange } from "./sqlite-changes.ts";
import {
  createNoteStore,
  findActiveByDigest,
  findMemory,
  listMemories,
  listOwnMemories,
  listReadableMemories,
  readMembers,
  type WriteTransaction,
} from "./sqlite-rows.ts";
import { DAY_MS, type ModelStoredCounts } from "./text.ts";

// Stores workspaces in SQLite, which record whose memories projects share.

/** A workspace is deleted automatically when its last project leaves. */
function createWorkspaceStore(driver: Driver, written: WriteTransaction) {
  const projects = projectTable.in(driver);
  const workspaces = workspaceTable.in(driver);
  const findWorkspaceName = (id: ProjectId): string | null =>
    projects.find({ id })?.workspace ?? null;
  const readWorkspace = (name: string): Workspace => ({
    name,
    members: projects.list({ workspace: name }, "name", "id").map(toMember),
  });
  const leaveWorkspace = (id: ProjectId): string | null => {
    const name = findWorkspaceName(id);
    projects.update({ id }, { workspace: null, shares: "" });
    return name;
  };
  return {
    /** Removes all that belongs to the project: its memories, its notes and its place in a workspace. */
    forgetProject: (id: ProjectId): void =>
      written(() => {
        leaveWorkspace(id);
        projects.erase({ id });
        remoteTable.in(driver).delete({ project: id, standing: ["own", "joined"] });
      }),

    findWorkspace: (id: ProjectId): Workspace | null => {
      const name = findWorkspaceName(id);
      return name === null ? null : readWorkspace(name);
    },

    workspaces: (): readonly Workspace[] =>
      workspaces.list({}, "name").map(({ name }) => readWorkspace(name)),

    /** @returns false if there is already a workspace of that name */
    createWorkspace: (name: string, nowMs: number): boolean =>
      written(() => workspaces.insertNew({ name, createdAtMs: nowMs }) !== null),

    /**
     * Leaves any other workspace; joining again changes what is shared. @returns false if no workspace has
     * that name
     */
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

    /** @returns the name of the workspace that the project was in; null if it was in none */
    leaveWorkspace: (id: ProjectId): string | null => written(() => leaveWorkspace(id)),
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

/** Each connection counts versions from its own start, so that no two connections give the same version. */
const VERSIONS_PER_CONNECTION = 2 ** 32;
let connectionCount = 0;

export type MemoryStore = ReturnType<typeof createSqliteMemoryStore>;

/**
 * Creates memory's store, for `RuntimeDatabase.store`. Each call throws a StorageError if the database fails.
 */
export function createSqliteMemoryStore(driver: Driver) {
  connectionCount += 1;
  const opening = connectionCount * VERSIONS_PER_CONNECTION;
  let writes = 0;
  const runWrite: WriteTransaction = (body) => {
    writes += 1;
    return driver.transaction(body);
  };
  return {
    /**
     * Returns a version that changes whenever this or another process may have changed anything. It is cheap
     * to read, because each call to a model needs it.
     */
    version: (): number =>
      opening + writes + Number(driver.get("PRAGMA data_version")?.data_version),
    /**
     * Lists the project's active memories, and those that others of its workspace share: people's first, then
     * permanent ones, then by importance, the project's own before others', newest first.
     */
    readable: (project: ProjectId, count: number): readonly ReadableMemory[] =>
      listReadableMemories(driver, project, count),
    /** Lists all of the project's own memories in any state, by category, each in the order of `readable`. */
    list: (project: ProjectId): readonly Memory[] => listOwnMemories(driver, project),
    /** Returns those of the given memories that exist, in any state. */
    some: (project: ProjectId, ids: readonly MemoryId[]): readonly Memory[] =>
      listMemories(driver, { project, id: ids }),
    find: (project: ProjectId, ref: Ref): Memory | null => findMemory(driver, { project, ref }),
    /** Finds the active memory that has these words; null if there is none. */
    saying: (project: ProjectId, text: string): Memory | null =>
      findActiveByDigest(driver, project, fingerprint(text).digest),
    /** Finds a memory by its number in the project's lists. */
    numbered: (project: ProjectId, number: number): Memory | null =>
      findMemory(driver, { project, number }),
    /**
     * Returns the team member who gave each of the project's memories its present form; empty without a team.
     */
    members: (project: ProjectId): MemberNames => readMembers(driver, project),
    /** Applies all changes or none. Returns an outcome for each, in their order. */
    apply: (
      project: ProjectId,
      changes: readonly MemoryChange[],
      by: ChangeContext,
    ): readonly ChangeOutcome[] =>
      runWrite(() => changes.map((change) => applyChange({ driver, project, by }, change))),
    /**
     * Counts the memories that models stored in the last 24 hours, and those that they stored in one session.
     */
    byModels: (
      project: ProjectId,
      sessionId: SessionId | null,
      nowMs: number,
    ): ModelStoredCounts => {
      const row = driver.get(COUNT_MODEL_MEMORIES, sessionId, nowMs - DAY_MS, project);
      return { inSession: Number(row?.in_session), inDay: Number(row?.in_day) };
    },
    /** Counts one more use of memories that were sent or found. Nothing that is shown changes. */
    used(ids: readonly MemoryId[], nowMs: number): void {
      driver.transaction(() => {
        for (const id of ids) driver.run(INCREMENT_USES, nowMs, id);
      });
    },
    /** Removes a memory for good; its former wordings go by cascade. @returns whether the memory existed */
    forget: (project: ProjectId, id: MemoryId): boolean =>
      runWrite(() => memoryTable.in(driver).erase({ project, id }) > 0),
    ...buildProjectStore(driver, runWrite),
    ...createWorkspaceStore(driver, runWrite),
    ...createNoteStore(driver, runWrite),
  };
}

/** Former wordings, which have no number, don't count. */
const COUNT_MODEL_MEMORIES = `
  SELECT ifnull(sum(session_id = ?), 0) AS in_session, ifnull(sum(written_at_ms > ?), 0) AS in_day
  FROM memory WHERE project = ? AND by IN ('model', 'historian') AND number IS NOT NULL`;

const INCREMENT_USES = "UPDATE memory SET uses = uses + 1, used_at_ms = ? WHERE id = ?";
