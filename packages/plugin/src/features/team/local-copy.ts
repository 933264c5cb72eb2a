// Keeps a machine's copy of what a team shares, and the outbox of the machine's own changes.
import type { ProjectId } from "../../project/project.ts";
import { projectTable } from "../../project/tables.ts";
import type { Driver } from "../../storage/driver.ts";
import { StorageError } from "../../storage/errors.ts";
import { memoryTable, noteTable, workspaceTable } from "../memory/schema.ts";
import type { Item } from "./item.ts";
import {
  areSameItems,
  lookUpItems,
  readMemoryItem,
  readNoteItem,
  writeItems,
} from "./local-rows.ts";
import { type MergeResult, mergeStepwise } from "./merge.ts";
import { linkTable, type OutboxRow, outboxTable, sharedProjectTable } from "./schema.ts";

/** A change with an id of its own, by which the server takes it only once. */
export interface ItemChange {
  readonly changeId: string;
  readonly item: Item;
}

/** A project's place in a workspace. If several changes reach the server, the last one counts. */
export interface Membership {
  readonly id: ProjectId;
  readonly name: string;
  readonly workspace: string | null;
  /** The shared categories, separated by commas. */
  readonly shares: string;
}

/** The unsent changes of one project, the oldest first. */
interface Batch {
  readonly rows: readonly OutboxRow[];
  readonly changes: readonly ItemChange[];
  readonly membership: Membership | null;
}

export type LocalCopy = ReturnType<typeof createLocalCopy>;

/** Creates the local copy, for `RuntimeDatabase.store`. Each call is one transaction. */
export function createLocalCopy(driver: Driver) {
  const links = linkTable.in(driver);
  const shared = sharedProjectTable.in(driver);
  const outbox = outboxTable.in(driver);
  return {
    link: () => readTeamLink(driver),

    /** Sets the name under which this machine's changes are made, including those that had another name. */
    name(member: string): void {
      const former = readTeamLink(driver).member;
      if (former === member) return;
      driver.transaction(() => {
        if (former !== null) {
          for (const rows of [memoryTable.in(driver), noteTable.in(driver), outbox]) {
            rows.update({ member: former }, { member });
          }
        }
        links.update({}, { member });
      });
    },

    /** Shares the project from now on, with all its items that are already here. */
    share(project: ProjectId): void {
      driver.transaction(() => {
        if (shared.insertNew({ id: project }) !== null) enqueueAllItems(driver, project);
      });
    },

    /** Stops sharing a project. Its items stay here, and they stay on the server. */
    unshare(project: ProjectId): void {
      driver.transaction(() => {
        shared.delete({ id: project });
        outbox.delete({ project });
      });
    },

    /**
     * Connects the copy to another server, or to one that has lost changes: everything is sent to it and read
     * from it again.
     */
    relink(server: string): void {
      driver.transaction(() => {
        links.update({}, { server });
        shared.update({}, { cursor: 0 });
        for (const { id } of listSharedProjects(driver)) enqueueAllItems(driver, id);
      });
    },

    /** Lists the shared projects that are at work here, or in a workspace with one that is. */
    projects: () => listSharedProjects(driver),

    batch: (project: ProjectId, count: number): Batch =>
      driver.read(() => readBatch(driver, project, count)),

    /** Removes rows that the server has received, except those that have changed in the meantime. */
    sent(rows: readonly OutboxRow[]): void {
      driver.transaction(() => {
        for (const { n, changeId } of rows) outbox.delete({ n, changeId });
      });
    },

    /**
     * Merges in what others have written, up to the server's change `cursor`. @returns how many rows changed
     */
    receive(project: ProjectId, items: readonly Item[], cursor: number): number {
      return driver.transaction(() => {
        const changed = items.length === 0 ? 0 : receiveItems(driver, project, items);
        const former = shared.find({ id: project });
        if (former !== null && former.cursor < cursor) shared.update({ id: project }, { cursor });
        return changed;
      });
    },

    /** Stores which workspaces projects now belong to, unless a newer change waits in the outbox. */
    place(memberships: readonly Membership[], nowMs: number): void {
      driver.transaction(() =>
        withApplyingFlag(driver, () => applyMemberships(driver, memberships, nowMs)),
      );
    },

    waiting: (): number => outbox.count({}),

    /** Claims the sync until `untilMs`. @returns false if another process is syncing */
    begin: (nowMs: number, untilMs: number): boolean =>
      driver.transaction(() => {
        if (readTeamLink(driver).busyUntilMs > nowMs) return false;
        links.update({}, { busyUntilMs: untilMs });
        return true;
      }),

    end: () => void links.update({}, { busyUntilMs: 0 }),

    /**
     * Records that the server was reached, which clears its problem; items that were left out are still
     * reported.
     */
    reached: (nowMs: number): void =>
      driver.transaction(() => {
        const { awaySinceMs, problem } = readTeamLink(driver);
        const leftOut = awaySinceMs === null ? problem : null;
        links.update({}, { reachedAtMs: nowMs, awaySinceMs: null, problem: leftOut });
      }),

    /**
     * Stores a problem with items that were left out; the status shows it until the server can't be reached.
     */
    leftOut: (problem: string) => void links.update({}, { problem }),

    /** Records that the server can't be reached. @param problem the reason, without secrets */
    away: (nowMs: number, problem: string): void =>
      driver.transaction(() => {
        links.update({ awaySinceMs: null }, { awaySinceMs: nowMs });
        links.update({}, { problem });
      }),
  };
}

function readTeamLink(driver: Driver) {
  const link = linkTable.in(driver).find({});
  if (link === null) throw new StorageError("corrupt", "The row of team_link is missing.");
  return link;
}

function receiveItems(driver: Driver, project: ProjectId, items: readonly Item[]): number {
  const { known, merged } = mergeIntoCopy(driver, project, items);
  const changed = [...merged.values()].filter((item) => {
    const present = known.get(item.id);
    return present === undefined ? item.kind !== "gone" : !areSameItems(present, item);
  });
  withApplyingFlag(driver, () => {
    ensureProject(driver, project, project);
    writeItems(driver, known, changed);
  });
  // An item that the merge has changed differs from the server's: it is sent as this machine's change.
  const came = new Map(items.map((item) => [item.id, item]));
  for (const item of merged.values()) {
    const had = came.get(item.id) ?? known.get(item.id);
    if (!areSameItems(had, item)) enqueueItem(driver, item);
  }
  return changed.length;
}

function mergeIntoCopy(driver: Driver, project: ProjectId, items: readonly Item[]): MergeResult {
  const steps = mergeStepwise(items);
  let step = steps.next();
  while (!step.done) step = steps.next(lookUpItems(driver, project, step.value));
  return step.value;
}

function withApplyingFlag(driver: Driver, body: () => void): void {
  linkTable.in(driver).update({}, { applying: 1 });
  body();
  linkTable.in(driver).update({}, { applying: 0 });
}

function enqueueItem(driver: Driver, { kind, id, project }: Item): void {
  driver.run(ENQUEUE_ITEM, kind === "note" ? "note" : "memory", id, project);
}

function enqueueAllItems(driver: Driver, project: ProjectId): void {
  driver.run(ENQUEUE_MEMORIES, project);
  driver.run(ENQUEUE_NOTES, project);
  driver.run(ENQUEUE_PROJECT, project);
}

function listSharedProjects(driver: Driver) {
  return driver
    .all(SELECT_PROJECTS)
    .map(({ id, cursor }) => ({ id: String(id) as ProjectId, cursor: Number(cursor) }));
}

function readBatch(driver: Driver, project: ProjectId, count: number): Batch {
  const outbox = outboxTable.in(driver);
  const rows = [...outbox.first(count, { project }, "n")];
  // Items without a member were here before the project was shared.
  const own = readTeamLink(driver).member;
  const changes: ItemChange[] = [];
  const taken = new Set(rows.map(({ id }) => id));
  // The list grows in the loop, because a row's successor is sent with it.
  for (const row of rows) {
    if (row.kind === "project") continue;
    const item = readItem(driver, row);
    changes.push({ changeId: row.changeId, item: { ...item, member: item.member ?? own } });
    if (item.kind !== "memory" || item.state.kind !== "superseded") continue;
    const { by } = item.state;
    const successor = taken.has(by) ? null : outbox.find({ kind: "memory", id: by });
    if (successor === null) continue;
    taken.add(by);
    rows.push(successor);
  }
  const hasMembership = rows.some(({ kind }) => kind === "project");
  return { rows, changes, membership: hasMembership ? readMembership(driver, project) : null };
}

function readItem(driver: Driver, { kind, id, project, member }: OutboxRow): Item {
  const item = kind === "note" ? readNoteItem(driver, id) : readMemoryItem(driver, id);
  return item ?? { kind: "gone", id, project, member };
}

function readMembership(driver: Driver, id: ProjectId): Membership {
  const row = projectTable.in(driver).find({ id });
  const { name, workspace, shares } = row ?? { name: "", workspace: null, shares: "" };
  return { id, name, workspace, shares };
}

/** Adds a project that is not at work here, and so has no folder. */
function ensureProject(driver: Driver, id: ProjectId, name: string): void {
  projectTable.in(driver).insertNew({ id, name, worktree: "", seenAtMs: 0 });
}

function applyMemberships(driver: Driver, memberships: readonly Membership[], nowMs: number): void {
  for (const { id, name, workspace, shares } of memberships) {
    if (outboxTable.in(driver).count({ kind: "project", id }) > 0) continue;
    if (workspace !== null) {
      workspaceTable.in(driver).insertNew({ name: workspace, createdAtMs: nowMs });
    }
    ensureProject(driver, id, name);
    projectTable.in(driver).update({ id }, { workspace, shares });
    sharedProjectTable.in(driver).insertNew({ id });
  }
}

const NEW_CHANGE_ID_SQL = "lower(hex(randomblob(16)))";
const RENEW_CHANGE_SQL = "ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id";

const ENQUEUE_ITEM = `
  INSERT INTO team_outbox (kind, id, project, change_id) VALUES (?, ?, ?, ${NEW_CHANGE_ID_SQL}) ${RENEW_CHANGE_SQL}`;

const ENQUEUE_MEMORIES = `
  INSERT INTO team_outbox (kind, id, project, change_id)
  SELECT 'memory', id, project, ${NEW_CHANGE_ID_SQL} FROM memory WHERE project = ? ORDER BY rowid ${RENEW_CHANGE_SQL}`;

const ENQUEUE_NOTES = `
  INSERT INTO team_outbox (kind, id, project, change_id)
  SELECT 'note', id, project, ${NEW_CHANGE_ID_SQL} FROM note
  WHERE project = ? AND session_id IS NULL AND condition IS NULL ORDER BY rowid ${RENEW_CHANGE_SQL}`;

/** A project that is in no workspace has nothing to send. */
const ENQUEUE_PROJECT = `
  INSERT INTO team_outbox (kind, id, project, change_id)
  SELECT 'project', id, id, ${NEW_CHANGE_ID_SQL} FROM memory_project
  WHERE id = ? AND workspace IS NOT NULL ${RENEW_CHANGE_SQL}`;

/** A project that is not at work here has no folder. */
const SELECT_PROJECTS = `
  SELECT team_project.id, cursor FROM team_project
  LEFT JOIN memory_project AS place ON place.id = team_project.id
  WHERE ifnull(place.worktree, '-') <> '' OR place.workspace IN (
    SELECT workspace FROM memory_project WHERE worktree <> '' AND workspace IS NOT NULL)
  ORDER BY team_project.id`;
