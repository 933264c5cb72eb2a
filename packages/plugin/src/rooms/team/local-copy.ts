// A machine's copy of what a team shares, and the outbox of what it has written itself.

import type { Driver } from "../../storage/driver.ts";
import { StorageError } from "../../storage/store.ts";
import type { ProjectId } from "../memory/record.ts";
import type { Item } from "./item.ts";
import { isSame, lookedUp, memoryItem, noteItem, writeItems } from "./local-rows.ts";
import { type Merge, merging } from "./merge.ts";
import { linkTable, type OutboxRow, outboxTable } from "./schema.ts";

/** Sent under an id of its own; the server takes each once. */
export interface Change {
  readonly changeId: string;
  readonly item: Item;
}

/** A project's place in a workspace. The last that reaches the server counts. */
export interface Membership {
  readonly id: ProjectId;
  readonly name: string;
  readonly workspace: string | null;
  /** Categories, with commas between. */
  readonly shares: string;
}

/** What is still to be sent of one project, the oldest first. */
interface Batch {
  readonly rows: readonly OutboxRow[];
  readonly changes: readonly Change[];
  readonly membership: Membership | null;
}

export type LocalCopy = ReturnType<typeof localCopy>;

/** For `RuntimeDatabase.store`. Each call is one transaction. */
export function localCopy(driver: Driver) {
  return {
    link: () => linkOf(driver),

    /** This machine's changes go under this name from now on, and those that went under another. */
    name(member: string): void {
      const former = linkOf(driver).member;
      if (former === member) return;
      driver.transaction(() => {
        driver.run("UPDATE team_author SET member = ? WHERE member = ?", member, former);
        driver.run("UPDATE team_link SET member = ?", member);
      });
    },

    /** The project is shared from now on, with all that is there of it. */
    share(project: ProjectId): void {
      driver.transaction(() => {
        if (driver.get(SHARE, project) !== null) enqueueAll(driver, project);
      });
    },

    /** What is here stays here, and what is on the server stays there. */
    unshare(project: ProjectId): void {
      driver.transaction(() => {
        driver.run("DELETE FROM team_project WHERE id = ?", project);
        driver.run("DELETE FROM team_outbox WHERE project = ?", project);
      });
    },

    /** Another server, or one that has lost changes: everything is given to it, and asked of it. */
    relink(server: string): void {
      driver.transaction(() => {
        driver.run("UPDATE team_link SET server = ?", server);
        driver.run("UPDATE team_project SET cursor = 0");
        for (const { id } of sharedProjects(driver)) enqueueAll(driver, id);
      });
    },

    /** Shared ones that are at work here, or in a workspace with one that is. */
    projects: () => sharedProjects(driver),

    batch: (project: ProjectId, count: number): Batch =>
      driver.read(() => batch(driver, project, count)),

    /** They are on the server. What has changed meanwhile stays. */
    sent(rows: readonly OutboxRow[]): void {
      driver.transaction(() => {
        for (const { n, id, changeId } of rows) {
          driver.run(SENT, n, changeId);
          driver.run(FORGET_AUTHOR, id);
        }
      });
    },

    /** Puts in what others have written, up to this change of the server's. @returns how many rows changed */
    receive(project: ProjectId, items: readonly Item[], cursor: number): number {
      return driver.transaction(() => {
        const changed = items.length === 0 ? 0 : receive(driver, project, items);
        driver.run(MOVE_CURSOR, cursor, project);
        return changed;
      });
    },

    /** Puts in where projects belong by now; what waits in the outbox is newer. */
    place(memberships: readonly Membership[], nowMs: number): void {
      driver.transaction(() => applying(driver, () => place(driver, memberships, nowMs)));
    },

    waiting: (): number => Number(driver.get("SELECT count(*) AS rows FROM team_outbox")?.rows),

    /** @returns false: another process syncs */
    begin: (nowMs: number, untilMs: number): boolean =>
      driver.transaction(() => driver.get(BEGIN, untilMs, nowMs) !== null),

    end: () => driver.run("UPDATE team_link SET busy_until_ms = 0"),

    reached: (nowMs: number) => driver.run(REACHED, nowMs),

    /** The status says so until the store is missed. */
    leftOut: (problem: string) => driver.run("UPDATE team_link SET problem = ?", problem),

    /** @param problem without secrets */
    away: (nowMs: number, problem: string) => driver.run(AWAY, nowMs, problem),
  };
}

function linkOf(driver: Driver) {
  const row = driver.get(SELECT_LINK);
  if (row === null) throw new StorageError("corrupt", "The row of team_link is missing.");
  return linkTable.read(row);
}

function receive(driver: Driver, project: ProjectId, items: readonly Item[]): number {
  const { known, merged } = merge(driver, project, items);
  const changed = [...merged.values()].filter((item) => {
    const present = known.get(item.id);
    return present === undefined ? item.kind !== "gone" : !isSame(present, item);
  });
  applying(driver, () => {
    driver.run(ENSURE_PROJECT, project, project);
    writeItems(driver, known, changed);
  });
  // What came of it here is not on the server: it goes there as a change of this machine's.
  const came = new Map(items.map((item) => [item.id, item]));
  for (const item of merged.values()) {
    const had = came.get(item.id) ?? known.get(item.id);
    if (!isSame(had, item)) enqueue(driver, item);
  }
  return changed.length;
}

function merge(driver: Driver, project: ProjectId, items: readonly Item[]): Merge {
  const steps = merging(items);
  let step = steps.next();
  while (!step.done) step = steps.next(lookedUp(driver, project, step.value));
  return step.value;
}

function applying(driver: Driver, body: () => void): void {
  driver.run("UPDATE team_link SET applying = 1");
  body();
  driver.run("UPDATE team_link SET applying = 0");
}

function enqueue(driver: Driver, { kind, id, project }: Item): void {
  driver.run(ENQUEUE, kind === "note" ? "note" : "memory", id, project);
}

function enqueueAll(driver: Driver, project: ProjectId): void {
  driver.run(ENQUEUE_MEMORIES, project);
  driver.run(ENQUEUE_NOTES, project);
  driver.run(ENQUEUE_PROJECT, project);
}

function sharedProjects(driver: Driver) {
  return driver
    .all(SELECT_PROJECTS)
    .map(({ id, cursor }) => ({ id: String(id) as ProjectId, cursor: Number(cursor) }));
}

function batch(driver: Driver, project: ProjectId, count: number): Batch {
  const rows = driver.all(SELECT_OUTBOX, project, count).map(outboxTable.read);
  // What was here before the project was shared.
  const own = linkOf(driver).member;
  const changes: Change[] = [];
  const taken = new Set(rows.map(({ id }) => id));
  // It grows: what supersedes a row goes with it.
  for (const row of rows) {
    if (row.kind === "project") continue;
    const item = itemOf(driver, row);
    changes.push({ changeId: row.changeId, item: { ...item, member: item.member ?? own } });
    if (item.kind !== "memory" || item.state.kind !== "superseded") continue;
    const successor = taken.has(item.state.by) ? null : driver.get(OUTBOX_ROW, item.state.by);
    if (successor === null) continue;
    taken.add(item.state.by);
    rows.push(outboxTable.read(successor));
  }
  const hasMembership = rows.some(({ kind }) => kind === "project");
  return { rows, changes, membership: hasMembership ? membershipOf(driver, project) : null };
}

function itemOf(driver: Driver, { kind, id, project }: OutboxRow): Item {
  const item = kind === "note" ? noteItem(driver, id) : memoryItem(driver, id);
  if (item !== null) return item;
  const member = driver.get("SELECT member FROM team_author WHERE id = ?", id)?.member;
  const by = typeof member === "string" ? member : null;
  return { kind: "gone", id, project: project as ProjectId, member: by };
}

function membershipOf(driver: Driver, project: ProjectId): Membership {
  const row = driver.get(SELECT_MEMBERSHIP, project);
  return {
    id: project,
    name: typeof row?.name === "string" ? row.name : "",
    workspace: typeof row?.workspace === "string" ? row.workspace : null,
    shares: typeof row?.shares === "string" ? row.shares : "",
  };
}

function place(driver: Driver, memberships: readonly Membership[], nowMs: number): void {
  for (const { id, name, workspace, shares } of memberships) {
    if (driver.get(WAITS, id) !== null) continue;
    const former = driver.get(SELECT_MEMBERSHIP, id)?.workspace ?? null;
    if (workspace !== null) driver.run(ENSURE_WORKSPACE, workspace, nowMs);
    driver.run(ENSURE_PROJECT, id, name);
    driver.run(PLACE, workspace, shares, id);
    driver.run("INSERT INTO team_project (id) VALUES (?) ON CONFLICT DO NOTHING", id);
    if (former !== workspace) driver.run(REMOVE_EMPTY, former);
  }
}

const SELECT_LINK = `SELECT ${linkTable.columns} FROM team_link`;

const SHARE = "INSERT INTO team_project (id) VALUES (?) ON CONFLICT DO NOTHING RETURNING id";

const WITH_ID = "lower(hex(randomblob(16)))";
const AGAIN = "ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id";

const ENQUEUE = `
  INSERT INTO team_outbox (kind, id, project, change_id) VALUES (?, ?, ?, ${WITH_ID}) ${AGAIN}`;

const ENQUEUE_MEMORIES = `
  INSERT INTO team_outbox (kind, id, project, change_id)
  SELECT 'memory', id, project, ${WITH_ID} FROM memory WHERE project = ? ORDER BY rowid ${AGAIN}`;

const ENQUEUE_NOTES = `
  INSERT INTO team_outbox (kind, id, project, change_id)
  SELECT 'note', id, project, ${WITH_ID} FROM note
  WHERE project = ? AND session_id IS NULL AND condition IS NULL ORDER BY rowid ${AGAIN}`;

/** One that is in no workspace has nothing to say there. */
const ENQUEUE_PROJECT = `
  INSERT INTO team_outbox (kind, id, project, change_id)
  SELECT 'project', id, id, ${WITH_ID} FROM memory_project
  WHERE id = ? AND workspace IS NOT NULL ${AGAIN}`;

/** A project that is not at work here has no folder. */
const SELECT_PROJECTS = `
  SELECT team_project.id, cursor FROM team_project
  LEFT JOIN memory_project AS place ON place.id = team_project.id
  WHERE ifnull(place.worktree, '-') <> '' OR place.workspace IN (
    SELECT workspace FROM memory_project WHERE worktree <> '' AND workspace IS NOT NULL)
  ORDER BY team_project.id`;

const SELECT_OUTBOX = `
  SELECT ${outboxTable.columns} FROM team_outbox WHERE project = ? ORDER BY n LIMIT ?`;

const OUTBOX_ROW = `SELECT ${outboxTable.columns} FROM team_outbox WHERE kind = 'memory' AND id = ?`;

const SENT = "DELETE FROM team_outbox WHERE n = ? AND change_id = ?";

/** Of a row that is gone, and whose deletion is on the server. */
const FORGET_AUTHOR = `
  DELETE FROM team_author WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memory WHERE id = ?1)
    AND NOT EXISTS (SELECT 1 FROM note WHERE id = ?1)
    AND NOT EXISTS (SELECT 1 FROM team_outbox WHERE id = ?1)`;

const MOVE_CURSOR = "UPDATE team_project SET cursor = max(cursor, ?) WHERE id = ?";

const SELECT_MEMBERSHIP = "SELECT name, workspace, shares FROM memory_project WHERE id = ?";

const WAITS = "SELECT 1 AS waits FROM team_outbox WHERE kind = 'project' AND id = ?";

const ENSURE_WORKSPACE = `
  INSERT INTO memory_workspace (name, created_at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING`;

const ENSURE_PROJECT = `
  INSERT INTO memory_project (id, name, worktree, seen_at_ms) VALUES (?, ?, '', 0)
  ON CONFLICT DO NOTHING`;

const PLACE = "UPDATE memory_project SET workspace = ?, shares = ? WHERE id = ?";

const REMOVE_EMPTY = `
  DELETE FROM memory_workspace WHERE name = ?1
    AND NOT EXISTS (SELECT 1 FROM memory_project WHERE workspace = ?1)`;

const BEGIN = `
  UPDATE team_link SET busy_until_ms = ? WHERE busy_until_ms <= ? RETURNING one`;

/** What was left out is still to be said; why the store was missed is not. */
const REACHED = `
  UPDATE team_link SET reached_at_ms = ?, away_since_ms = NULL,
    problem = CASE WHEN away_since_ms IS NULL THEN problem END`;

const AWAY = "UPDATE team_link SET away_since_ms = ifnull(away_since_ms, ?), problem = ?";
