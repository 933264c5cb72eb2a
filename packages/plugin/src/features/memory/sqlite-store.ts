// The store of memories, notes and workspaces in the runtime's own database.

import type { Ref } from "../../ledger/ref.ts";
import type { ProjectId } from "../../project/project.ts";
import { projectsIn } from "../../project/store.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import { DAY_MS, type StoredByModels } from "./allowance.ts";
import type {
  Change,
  ChangeOutcome,
  Members,
  Memory,
  MemoryChange,
  MemoryId,
  ReadableMemory,
} from "./record.ts";
import { memoryTable } from "./schema.ts";
import { fingerprint } from "./similar.ts";
import { applyChange } from "./sqlite-changes.ts";
import { noteStore } from "./sqlite-notes.ts";
import {
  findActiveByDigest,
  findMemory,
  ownMemories,
  readableMemories,
  readMembers,
  someMemories,
  type WriteTransaction,
} from "./sqlite-rows.ts";
import { workspaceStore } from "./sqlite-workspaces.ts";

/** Each connection counts from a start of its own, so that two never give the same version. */
const OPENING = 2 ** 32;
let openings = 0;

export type MemoryStore = ReturnType<typeof sqliteMemoryStore>;

/** Memory's store, for `RuntimeDatabase.store`. Each call throws a StorageError where the database fails. */
export function sqliteMemoryStore(driver: Driver) {
  openings += 1;
  const opening = openings * OPENING;
  let writes = 0;
  const written: WriteTransaction = (body) => {
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
      readableMemories(driver, project, count),
    /** Lists all of the project's own memories, whatever their state, by category and in the same order. */
    list: (project: ProjectId): readonly Memory[] => ownMemories(driver, project),
    /** The memories of these ids that exist, whatever their state. */
    some: (project: ProjectId, ids: readonly MemoryId[]): readonly Memory[] =>
      someMemories(driver, { project, id: ids }),
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
      written(() => changes.map((change) => applyChange({ driver, project, by }, change))),
    /** Counts the memories of the 24 hours before, and of one session. */
    byModels: (project: ProjectId, sessionId: SessionId | null, nowMs: number): StoredByModels => {
      const row = driver.get(COUNT_BY_MODELS, sessionId, nowMs - DAY_MS, project);
      return { inSession: Number(row?.in_session), inDay: Number(row?.in_day) };
    },
    /** Counts memories that were sent or found. The count changes nothing that is shown. */
    used(ids: readonly MemoryId[], nowMs: number): void {
      driver.transaction(() => {
        for (const id of ids) driver.run(COUNT_USE, nowMs, id);
      });
    },
    /** Removes one for good, with its former wordings, which go by cascade. @returns whether there was one */
    forget: (project: ProjectId, id: MemoryId): boolean =>
      written(() => memoryTable.in(driver).erase({ project, id }) > 0),
    ...projectsIn(driver, written),
    ...workspaceStore(driver, written),
    ...noteStore(driver, written),
  };
}

/** Former wordings have no number. */
const COUNT_BY_MODELS = `
  SELECT ifnull(sum(session_id = ?), 0) AS in_session, ifnull(sum(written_at_ms > ?), 0) AS in_day
  FROM memory WHERE project = ? AND by IN ('model', 'historian') AND number IS NOT NULL`;

const COUNT_USE = "UPDATE memory SET uses = uses + 1, used_at_ms = ? WHERE id = ?";
