// The store of memories, notes and workspaces in the runtime's own database.
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
  type Change,
  type ChangeOutcome,
  type Members,
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
  findActiveByDigest,
  findMemory,
  listMemories,
  listOwnMemories,
  listReadableMemories,
  noteStore,
  readMembers,
  type WriteTransaction,
} from "./sqlite-rows.ts";
import { DAY_MS, type ModelStoredCounts } from "./text.ts";

// Stores in SQLite which memories projects share: workspaces.

/** A workspace that the last project leaves goes by itself. */
function workspaceStore(driver: Driver, written: WriteTransaction) {
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

/** Each connection counts from a start of its own, so that two never give the same version. */
const VERSIONS_PER_OPENING = 2 ** 32;
let openings = 0;

export type MemoryStore = ReturnType<typeof sqliteMemoryStore>;

/** Memory's store, for `RuntimeDatabase.store`. Each call throws a StorageError where the database fails. */
export function sqliteMemoryStore(driver: Driver) {
  openings += 1;
  const opening = openings * VERSIONS_PER_OPENING;
  let writes = 0;
  const runWrite: WriteTransaction = (body) => {
    writes += 1;
    return driver.transaction(body);
  };
  return {
    /**
     * Changes wherever anything may have changed, by this process or another; cheap, as each call to a
     * model asks.
     */
    version: (): number =>
      opening + writes + Number(driver.get("PRAGMA data_version")?.data_version),
    /**
     * Active memories of the project, and those that others of its workspace share: what people wrote down
     * first, of each permanent ones, then by importance, the project's own before others', the newest first.
     */
    readable: (project: ProjectId, count: number): readonly ReadableMemory[] =>
      listReadableMemories(driver, project, count),
    /** Lists all of the project's own memories, whatever their state, by category and in the same order. */
    list: (project: ProjectId): readonly Memory[] => listOwnMemories(driver, project),
    /** The memories of these ids that exist, whatever their state. */
    some: (project: ProjectId, ids: readonly MemoryId[]): readonly Memory[] =>
      listMemories(driver, { project, id: ids }),
    find: (project: ProjectId, ref: Ref): Memory | null => findMemory(driver, { project, ref }),
    /** The active one that says the same, in these words. */
    saying: (project: ProjectId, text: string): Memory | null =>
      findActiveByDigest(driver, project, fingerprint(text).digest),
    /** Finds a memory by its number in the project's lists. */
    numbered: (project: ProjectId, number: number): Memory | null =>
      findMemory(driver, { project, number }),
    /** Names the team member who gave each of the project's memories its present form; nobody without a team. */
    members: (project: ProjectId): Members => readMembers(driver, project),
    /** Applies all changes or none. Returns an outcome for each, in their order. */
    apply: (
      project: ProjectId,
      changes: readonly MemoryChange[],
      by: Change,
    ): readonly ChangeOutcome[] =>
      runWrite(() => changes.map((change) => applyChange({ driver, project, by }, change))),
    /** Counts the memories of the 24 hours before, and of one session. */
    byModels: (
      project: ProjectId,
      sessionId: SessionId | null,
      nowMs: number,
    ): ModelStoredCounts => {
      const row = driver.get(COUNT_BY_MODELS, sessionId, nowMs - DAY_MS, project);
      return { inSession: Number(row?.in_session), inDay: Number(row?.in_day) };
    },
    /** Counts memories that were sent or found. The count changes nothing that is shown. */
    used(ids: readonly MemoryId[], nowMs: number): void {
      driver.transaction(() => {
        for (const id of ids) driver.run(UPDATE_USE, nowMs, id);
      });
    },
    /** Removes one for good, with its former wordings, which go by cascade. @returns whether there was one */
    forget: (project: ProjectId, id: MemoryId): boolean =>
      runWrite(() => memoryTable.in(driver).erase({ project, id }) > 0),
    ...buildProjectStore(driver, runWrite),
    ...workspaceStore(driver, runWrite),
    ...noteStore(driver, runWrite),
  };
}

/** Former wordings have no number. */
const COUNT_BY_MODELS = `
  SELECT ifnull(sum(session_id = ?), 0) AS in_session, ifnull(sum(written_at_ms > ?), 0) AS in_day
  FROM memory WHERE project = ? AND by IN ('model', 'historian') AND number IS NOT NULL`;

const UPDATE_USE = "UPDATE memory SET uses = uses + 1, used_at_ms = ? WHERE id = ?";
