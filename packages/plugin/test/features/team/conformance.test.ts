import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Memory } from "../../../src/features/memory/record.ts";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { connect, type Server } from "../../../src/features/team/connection.ts";
import { createLocalCopy, type LocalCopy } from "../../../src/features/team/local-copy.ts";
import { syncOnce } from "../../../src/features/team/sync.ts";
import type { Project } from "../../../src/project/project.ts";
import { Workspace } from "../../storage/workspace.ts";
import { memoryStoreSuite, type SuiteStore } from "../memory/store.suite.ts";
import { missingPostgres, PostgresServer } from "./postgres-server.ts";

setDefaultTimeout(600_000);

const workspace = new Workspace();

const title =
  missingPostgres === null
    ? "each store's rules, in a team"
    : `each store's rules, in a team (${missingPostgres})`;

describe.skipIf(missingPostgres !== null)(title, () => {
  let server: PostgresServer;
  let link: Server;

  beforeAll(async () => {
    server = await PostgresServer.start();
    const address = parseAddress(server.address());
    if (typeof address === "string") throw new Error("no address");
    link = await connect(address);
  }, 600_000);

  afterAll(async () => {
    await link.close();
    await server.remove();
  }, 600_000);

  const syncing = (copy: LocalCopy) =>
    syncOnce({ copy, server: link, pause: async () => undefined, now: () => 5 });

  async function emptyServer(): Promise<void> {
    await link.script("DROP SCHEMA IF EXISTS session_runtime CASCADE");
  }

  function machine() {
    const database = workspace.open(workspace.path());
    const [store, copy] = [
      database.store(createSqliteMemoryStore),
      database.store(createLocalCopy),
    ];
    return { store, copy };
  }

  /**
   * A member's store that is brought in step after each write, and compared with a second member's
   * after each read: what the suite is shown is what both have.
   */
  function inStep(): SuiteStore {
    const [here, there] = [machine(), machine()];
    const projects = new Map<string, Project>();
    let isFresh = true;
    async function meet(): Promise<void> {
      if (isFresh) await emptyServer();
      isFresh = false;
      for (const { copy } of [here, there, here]) await syncing(copy);
    }
    async function written<Result>(body: () => Result): Promise<Result> {
      const result = body();
      await meet();
      return result;
    }
    const { store } = here;
    return {
      version: () => store.version(),
      byModels: (project, sessionId, nowMs) => store.byModels(project, sessionId, nowMs),
      numbered: (project, number) => store.numbered(project, number),
      saying: (project, text) => store.saying(project, text),
      some: (project, ids) => store.some(project, ids),
      knownAt: (worktree) => store.knownAt(worktree),
      // Of a machine's own clones.
      readRemotes: (root) => store.readRemotes(root),
      readWorktree: (id) => store.readWorktree(id),
      claimRemote: (project, remote, own) => store.claimRemote(project, remote, own),
      keptApart: (project) => store.keptApart(project),
      asked: (project) => store.asked(project),
      takeOver: (hostName, project) => store.takeOver(hostName, project),
      joinFork: (project) => written(() => store.joinFork(project)),
      async enter(project, nowMs) {
        await store.enter(project, nowMs);
        projects.set(project.id, project);
        if (!project.id.startsWith("commit:")) return;
        await there.store.enter(project, nowMs);
        for (const { copy } of [here, there]) copy.share(project.id);
        await meet();
      },
      async readable(project, count) {
        const own = await store.readable(project, count);
        expect((await there.store.readable(project, count)).map(shared)).toEqual(
          projects.get(project)?.id.startsWith("commit:") ? own.map(shared) : [],
        );
        return own;
      },
      async list(project) {
        const own = await store.list(project);
        if (!project.startsWith("commit:")) return own;
        expect((await there.store.list(project)).map(shared)).toEqual(own.map(shared));
        return own;
      },
      async find(project, ref) {
        const found = await store.find(project, ref);
        const twin = await there.store.find(project, ref);
        if (project.startsWith("commit:"))
          expect(twin && shared(twin)).toEqual(found && shared(found));
        return found;
      },
      async members(project) {
        const own = await store.members(project);
        if (project.startsWith("commit:")) expect(await there.store.members(project)).toEqual(own);
        return own;
      },
      apply: (project, changes, by) => written(() => store.apply(project, changes, by)),
      used: (ids, nowMs) => store.used(ids, nowMs),
      forget: (project, id) => written(() => store.forget(project, id)),
      forgetProject: (project) => written(() => store.forgetProject(project)),
      openNotes: (project, sessionId) => store.openNotes(project, sessionId),
      addNote: (note, nowMs) => written(() => store.addNote(note, nowMs)),
      finishNote: (project, sessionId, ref, nowMs) =>
        written(() => store.finishNote(project, sessionId, ref, nowMs)),
      findWorkspace: (project) => store.findWorkspace(project),
      workspaces: () => store.workspaces(),
      createWorkspace: (name, nowMs) => store.createWorkspace(name, nowMs),
      joinWorkspace: (project, name, shares, nowMs) =>
        written(() => store.joinWorkspace(project, name, shares, nowMs)),
      leaveWorkspace: (project) => written(() => store.leaveWorkspace(project)),
    };
  }

  memoryStoreSuite("SQLite and PostgreSQL", inStep, process.env.LONG === "1" ? 25 : 1);

  test("the second member's notes are the first one's", async () => {
    const store = inStep();
    const shop = { id: "commit:c0ffee" as Project["id"], name: "shop", worktree: "/work/shop" };
    await store.enter(shop, 1);
    const note = await store.addNote(
      { project: shop.id, sessionId: null, text: "later", by: "user" },
      1,
    );
    const other = machine();
    await other.store.enter(shop, 1);
    other.copy.share(shop.id);
    await syncing(other.copy);
    expect(await other.store.openNotes(shop.id, null)).toEqual([note]);
  });
});

/** What of a memory is the team's. */
function shared({
  sessionId: _,
  segment: _segment,
  uses: _uses,
  usedAtMs: _used,
  number: _number,
  ...rest
}: Memory) {
  return rest;
}
