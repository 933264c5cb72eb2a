// Sends changes to the team's server, and receives those of others.
import type { ProjectId } from "../../project/project.ts";
import type { Server, Sql } from "./connection.ts";
import { digestItem, type Item, readItem } from "./item.ts";
import type { ItemChange, Membership } from "./local-copy.ts";
import { areSameItems } from "./local-rows.ts";
import { type Lookup, type MergeResult, mergeStepwise } from "./merge.ts";

/** Listeners of this channel receive the key of the project that has changed. */
export const NOTIFY_CHANNEL = "session_runtime";

/** The first of the two keys of a project's lock, which keeps it apart from other applications' locks. */
const LOCK_SPACE = 0x53525250;

interface ItemPage {
  readonly items: readonly Item[];
  /** All of the project's changes up to this number are in this page or came before it. */
  readonly cursor: number;
  readonly isLast: boolean;
}

interface ServerIdentity {
  readonly id: string;
  /** The last change number that the server has given out, for any project. */
  readonly lastNumber: number;
  /** The role with which this machine has logged in; its changes are made under this name. */
  readonly role: string;
}

/** @throws the server's errors, and the network's */
export async function readServerIdentity(sql: Sql): Promise<ServerIdentity> {
  const [row] = await sql`
    SELECT server.id::text AS id, number.last_value AS last, session_user::text AS role
    FROM session_runtime.server, session_runtime.change_number AS number`;
  return {
    id: String(row?.id),
    lastNumber: Number(row?.last ?? 0),
    role: String(row?.role),
  };
}

/**
 * Merges a machine's changes into a project's items, all or none. A change that was taken before, in an
 * attempt whose answer was lost, is skipped.
 * @returns how many changes were new to the server
 */
export async function mergeChanges(
  server: Server,
  project: ProjectId,
  changes: readonly ItemChange[],
): Promise<number> {
  const { sql } = server;
  return server.begin(async () => {
    // Writes to a project run one at a time, so that change numbers become visible in rising order.
    await sql`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${project}))`;
    const fresh = await recordChanges(sql, project, changes);
    const items = changes.filter(({ changeId }) => fresh.has(changeId)).map(({ item }) => item);
    if (items.length === 0) return 0;
    const { known, merged } = await mergeOnServer(sql, project, items);
    const changed = [...merged.values()].filter((item) => !areSameItems(known.get(item.id), item));
    if (changed.length > 0) {
      await writeServerItems(sql, changed);
      await sql`SELECT pg_notify(${NOTIFY_CHANNEL}, ${project})`;
    }
    return items.length;
  });
}

async function recordChanges(
  sql: Sql,
  project: ProjectId,
  changes: readonly ItemChange[],
): Promise<ReadonlySet<string>> {
  const rows = changes.map(({ changeId, item }) => ({
    id: changeId,
    item: item.id,
    member: item.member,
  }));
  const taken = await sql`
    INSERT INTO session_runtime.change (id, project, item, member)
    SELECT id, ${project}, item, member
    FROM jsonb_to_recordset(${rows}::jsonb) AS row (id text, item text, member text)
    ON CONFLICT DO NOTHING RETURNING id`;
  return new Set(taken.map(({ id }) => String(id)));
}

async function mergeOnServer(
  sql: Sql,
  project: ProjectId,
  items: readonly Item[],
): Promise<MergeResult> {
  const steps = mergeStepwise(items);
  let next = steps.next();
  while (!next.done) next = steps.next(await lookUpServerItems(sql, project, next.value));
  return next.value;
}

async function lookUpServerItems(
  sql: Sql,
  project: ProjectId,
  { ids, digests, successors }: Lookup,
): Promise<readonly Item[]> {
  const rows = await sql`
    SELECT body FROM session_runtime.item WHERE id IN (SELECT jsonb_array_elements_text(${ids}::jsonb))
    UNION ALL SELECT body FROM session_runtime.item
      WHERE project = ${project} AND digest IN (SELECT jsonb_array_elements_text(${digests}::jsonb))
    UNION ALL SELECT body FROM session_runtime.item
      WHERE superseded_by IN (SELECT jsonb_array_elements_text(${successors}::jsonb))`;
  return rows.flatMap(({ body }) => parseItem(body)).filter((item) => item.project === project);
}

/** Writes former wordings first: the server reads the memory that each belonged to before that memory changes. */
async function writeServerItems(sql: Sql, items: readonly Item[]): Promise<void> {
  const isSuperseded = (item: Item) => item.kind === "memory" && item.state.kind === "superseded";
  const ordered = items.toSorted(
    (one, other) => Number(isSuperseded(other)) - Number(isSuperseded(one)),
  );
  const rows = ordered.map((item) => ({
    id: item.id,
    project: item.project,
    kind: item.kind,
    member: item.member,
    body: item,
    digest: item.kind === "memory" && item.state.kind === "active" ? digestItem(item) : null,
    superseded_by:
      item.kind === "memory" && item.state.kind === "superseded" ? item.state.by : null,
  }));
  await sql`
    INSERT INTO session_runtime.item
      (id, project, kind, number, digest, superseded_by, member, body)
    SELECT id, project, kind, nextval('session_runtime.change_number'), digest, superseded_by,
      member, body
    FROM jsonb_to_recordset(${rows}::jsonb) AS row (id text, project text, kind text,
      digest text, superseded_by text, member text, body jsonb)
    ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, number = excluded.number,
      digest = excluded.digest, superseded_by = excluded.superseded_by, member = excluded.member,
      body = excluded.body`;
}

/** Reads the changes after a number, oldest first; an item's successor comes with it. */
export async function readPage(
  sql: Sql,
  project: ProjectId,
  asked: { readonly after: number; readonly count: number },
): Promise<ItemPage> {
  const { after, count } = asked;
  const rows = await sql`
    WITH RECURSIVE page AS (
      SELECT id, number, superseded_by FROM session_runtime.item
      WHERE project = ${project} AND number > ${after} ORDER BY number LIMIT ${count}
    ), whole AS (
      SELECT id, superseded_by FROM page
      UNION SELECT item.id, item.superseded_by FROM session_runtime.item
        JOIN whole ON item.id = whole.superseded_by
    )
    SELECT item.body, page.number FROM whole
    JOIN session_runtime.item USING (id) LEFT JOIN page USING (id)`;
  const numbers = rows.flatMap(({ number }) => (number === null ? [] : [Number(number)]));
  return {
    items: rows.flatMap(({ body }) => parseItem(body)).filter((item) => item.project === project),
    cursor: Math.max(after, ...numbers),
    isLast: numbers.length < count,
  };
}

/** Reads the workspace of these projects, and of all projects that share one with them. */
export async function readMemberships(
  sql: Sql,
  projects: readonly ProjectId[],
): Promise<readonly Membership[]> {
  const rows = await sql`
    SELECT id, name, workspace, shares FROM session_runtime.project
    WHERE id IN (SELECT jsonb_array_elements_text(${projects}::jsonb)) OR workspace IN (
      SELECT workspace FROM session_runtime.project
      WHERE id IN (SELECT jsonb_array_elements_text(${projects}::jsonb)))
    ORDER BY id`;
  return rows.map(({ id, name, workspace, shares }) => ({
    id: String(id) as ProjectId,
    name: String(name),
    shares: String(shares),
    workspace: typeof workspace === "string" ? workspace : null,
  }));
}

export async function writeMembership(
  sql: Sql,
  { id, name, workspace, shares }: Membership,
  member: string | null,
): Promise<void> {
  await sql`
    INSERT INTO session_runtime.project (id, name, workspace, shares, member)
    VALUES (${id}, ${name}, ${workspace}, ${shares}, ${member})
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, workspace = excluded.workspace,
      shares = excluded.shares, member = excluded.member`;
  await sql`SELECT pg_notify(${NOTIFY_CHANNEL}, ${id})`;
}

/** Skips an item of a newer version that this version can't read; it stays on the server. */
function parseItem(body: unknown): readonly Item[] {
  const item = readItem(typeof body === "string" ? JSON.parse(body) : body);
  return item === null ? [] : [item];
}
