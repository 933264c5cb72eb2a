// Runs one round of sync: sends the changes that wait here and takes those that others have written.
import type { ProjectId } from "../../project/project.ts";
import type { Server } from "./connection.ts";
import { describeOmittedItems, isShareable } from "./item.ts";
import type { LocalCopy } from "./local-copy.ts";
import {
  mergeChanges,
  readMemberships,
  readPage,
  readServerIdentity,
  writeMembership,
} from "./server.ts";
import { migrateServer, readServerVersion, SERVER_VERSION } from "./server-schema.ts";

/** The rows per transaction, on both sides: a session that writes meanwhile waits for one at most. */
const ROWS_PER_PAGE = 100;

export interface SyncInput {
  readonly copy: LocalCopy;
  readonly server: Server;
  /** Lets the host have its turn between two transactions. */
  readonly pause: () => Promise<void>;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

interface SyncResult {
  readonly sent: number;
  readonly received: number;
}

/** The store was written by a newer version of the plugin. */
export class NewerServerError extends Error {
  override readonly name = "NewerServer";
}

export async function pushChanges(input: SyncInput): Promise<number> {
  await prepareServer(input);
  let sent = 0;
  for (const { id } of input.copy.projects()) sent += await pushProject(input, id);
  return sent;
}

export async function pullChanges(input: SyncInput): Promise<number> {
  await prepareServer(input);
  const { copy, server, now } = input;
  const own = copy.projects().map(({ id }) => id);
  copy.place(await readMemberships(server.sql, own), now());
  let received = 0;
  for (const { id, cursor } of copy.projects()) received += await pullProject(input, id, cursor);
  return received;
}

/** Sends and takes changes, and at once sends those that merging has made here. */
export async function syncOnce(input: SyncInput): Promise<SyncResult> {
  const first = await pushChanges(input);
  const received = await pullChanges(input);
  const sent = first + (input.copy.waiting() === 0 ? 0 : await pushChanges(input));
  return { sent, received };
}

/** Makes sure that the schema exists and that the stored cursors belong to this server. */
async function prepareServer({ copy, server }: SyncInput): Promise<void> {
  const version = await readServerVersion(server.sql);
  if (version !== null && version > SERVER_VERSION) {
    throw new NewerServerError(
      `The team's store has schema ${version}, but this version of Session Runtime supports ${SERVER_VERSION} at most. Update Session Runtime.`,
    );
  }
  if (version !== SERVER_VERSION) await migrateServer(server);
  const { id, lastNumber, role } = await readServerIdentity(server.sql);
  copy.name(role);
  // A server restored from a backup has lost all changes made after the backup.
  const isServerOlder = copy.projects().some(({ cursor }) => cursor > lastNumber);
  if (copy.link().server !== id || isServerOlder) copy.relink(id);
}

async function pushProject(input: SyncInput, project: ProjectId): Promise<number> {
  const { copy, server, pause } = input;
  let sent = 0;
  for (;;) {
    const { rows, changes, membership } = copy.batch(project, ROWS_PER_PAGE);
    if (rows.length === 0) return sent;
    const fit = changes.filter(({ item }) => isShareable(item));
    if (fit.length > 0) await mergeChanges(server, project, fit);
    // An item left out here is sent once it has been masked, because masking changes it.
    if (fit.length < changes.length)
      copy.leftOut(describeOmittedItems(changes.length - fit.length, "not sent to"));
    if (membership !== null) await writeMembership(server.sql, membership, copy.link().member);
    copy.sent(rows);
    sent += rows.length;
    await pause();
  }
}

async function pullProject(input: SyncInput, project: ProjectId, from: number): Promise<number> {
  const { copy, server, pause } = input;
  let received = 0;
  let cursor = from;
  for (;;) {
    const page = await readPage(server.sql, project, { after: cursor, count: ROWS_PER_PAGE });
    if (page.items.length > 0 || page.cursor > cursor) {
      const fit = page.items.filter(isShareable);
      received += copy.receive(project, fit, page.cursor);
      const leftOut = page.items.length - fit.length;
      if (leftOut > 0) copy.leftOut(describeOmittedItems(leftOut, "not taken from"));
    }
    if (page.isLast) return received;
    cursor = page.cursor;
    await pause();
  }
}
