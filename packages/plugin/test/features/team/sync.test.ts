import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "../../../src/features/memory/sqlite-store.ts";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { connect, type Server } from "../../../src/features/team/connection.ts";
import type { Item } from "../../../src/features/team/item.ts";
import {
  createLocalCopy,
  type ItemChange,
  type LocalCopy,
} from "../../../src/features/team/local-copy.ts";
import {
  mergeChanges,
  NOTIFY_CHANNEL,
  readMemberships,
  readPage,
  readServerIdentity,
  writeMembership,
} from "../../../src/features/team/server.ts";
import {
  migrateServer,
  readServerVersion,
  SERVER_VERSION,
} from "../../../src/features/team/server-schema.ts";
import { NewerServerError, syncOnce } from "../../../src/features/team/sync.ts";
import { Workspace } from "../../storage/workspace.ts";
import { added, changed, entered, projectAt, wording } from "../memory/store.suite.ts";
import { missingPostgres, PostgresServer } from "./postgres-server.ts";

const workspace = new Workspace();
const shop = projectAt("shop");
const till = projectAt("till");

interface Machine {
  readonly store: MemoryStore;
  readonly copy: LocalCopy;
  readonly sync: () => ReturnType<typeof syncOnce>;
}

const title =
  missingPostgres === null ? "a team's store in PostgreSQL" : `a team's store (${missingPostgres})`;

describe.skipIf(missingPostgres !== null)(title, () => {
  let server: PostgresServer;
  const open: Server[] = [];
  let databases = 0;

  beforeAll(async () => {
    server = await PostgresServer.start();
    // Each member logs in as itself: the server attributes rows to the role.
    const owner = await connected(server.address());
    for (const role of ["ann", "bob", "cem"]) {
      await owner.script(`CREATE ROLE ${role} LOGIN SUPERUSER`);
    }
  }, 600_000);

  afterAll(async () => {
    for (const one of open.splice(0)) await one.close();
    await server.remove();
  }, 600_000);

  async function connected(address: string): Promise<Server> {
    const read = parseAddress(address);
    if (typeof read === "string") throw new Error(`${address} is no address`);
    const one = await connect(read);
    open.push(one);
    return one;
  }

  /** An empty database of its own. */
  async function emptyStore(): Promise<string> {
    databases += 1;
    const one = await connected(server.address());
    await one.script(`CREATE DATABASE team_${databases}`);
    return `team_${databases}`;
  }

  async function machine(
    database: string,
    member: string,
    ...projects: (typeof shop)[]
  ): Promise<Machine> {
    const local = workspace.open(workspace.path());
    const [store, copy] = [local.store(createSqliteMemoryStore), local.store(createLocalCopy)];
    copy.name(member);
    await entered(store, ...projects);
    for (const { id } of projects) copy.share(id);
    const input = {
      ...{ copy, server: await connected(server.address(member, database)) },
      pause: async () => undefined,
      now: () => 5,
    };
    return { store, copy, sync: () => syncOnce(input) };
  }

  test("what one member writes another has: memories, notes, former wordings, workspaces", async () => {
    const database = await emptyStore();
    const ann = await machine(database, "ann", shop);
    const bob = await machine(database, "bob", shop, till);
    const memory = await added(ann.store, shop, wording("Prices are in cents. 'Quoted' \\ ü 😀"));
    await changed(ann.store, shop, { kind: "edit", id: memory.id, wording: { text: "In euros." } });
    const note = await ann.store.addNote(
      { project: shop.id, sessionId: null, text: "later", by: "user" },
      1,
    );
    await ann.store.createWorkspace("both", 1);
    await ann.store.joinWorkspace(shop, "both", ["ARCHITECTURE"], 1);
    expect(await ann.sync()).toEqual({ sent: 4, received: 0 });
    expect(await bob.sync()).toEqual({ sent: 0, received: 3 });
    const withoutSession = (await ann.store.list(shop.id)).map((one) => ({
      ...one,
      sessionId: null,
    }));
    expect(await bob.store.list(shop.id)).toEqual(withoutSession);
    expect(await bob.store.openNotes(shop.id, null)).toEqual([note]);
    expect(await bob.store.joinWorkspace(till, "both", [], 1)).toBe(true);
    await bob.sync();
    expect(
      (await bob.store.readable(till.id, 9)).map(({ text, sharedBy }) => [text, sharedBy]),
    ).toEqual([["In euros.", "shop"]]);
    await ann.sync();
    expect((await ann.store.findWorkspace(shop.id))?.members.map(({ name }) => name)).toEqual([
      "shop",
      "till",
    ]);
    await bob.store.finishNote(shop.id, null, note.ref, 8);
    await bob.sync();
    await ann.sync();
    expect(await ann.store.openNotes(shop.id, null)).toEqual([]);
  });

  test("a conflict: the newer edit wins, the other is history with its author, on the server too", async () => {
    const database = await emptyStore();
    const [ann, bob] = [await machine(database, "ann", shop), await machine(database, "bob", shop)];
    const { id, ref } = await added(ann.store, shop, wording("Port 1."), 1);
    await ann.sync();
    await bob.sync();
    await changed(ann.store, shop, { kind: "edit", id, wording: { text: "Port 2." } }, 5);
    await changed(bob.store, shop, { kind: "edit", id, wording: { text: "Port 3." } }, 9);
    for (const one of [bob, ann, bob]) await one.sync();
    for (const { store } of [ann, bob]) {
      expect(await store.find(shop.id, ref)).toMatchObject({ text: "Port 3." });
      expect(await store.list(shop.id)).toHaveLength(3);
    }
    const { sql } = await connected(server.address("owner", database));
    const rows =
      await sql`SELECT body->>'text' AS text, member FROM session_runtime.item ORDER BY 1`;
    expect(rows.map(({ text, member }) => [text, member])).toEqual([
      ["Port 1.", "ann"],
      ["Port 2.", "ann"],
      ["Port 3.", "bob"],
    ]);
    const roles = await sql`SELECT DISTINCT role FROM session_runtime.change ORDER BY role`;
    expect(roles.map(({ role }) => role)).toEqual(["ann", "bob"]);
  });

  test("a change that is sent twice, as its answer was lost, is taken once", async () => {
    const database = await emptyStore();
    const ann = await machine(database, "ann", shop);
    await ann.sync();
    await added(ann.store, shop, wording("a fact"));
    const link = await connected(server.address("owner", database));
    const { sql } = link;
    const { changes } = ann.copy.batch(shop.id, 9);
    expect(await mergeChanges(link, shop.id, changes)).toBe(1);
    expect(await mergeChanges(link, shop.id, changes)).toBe(0);
    const numbers = async () => {
      const rows = await sql`SELECT number FROM session_runtime.item`;
      return rows.map(({ number }) => Number(number));
    };
    const taken = await numbers();
    expect(taken).toHaveLength(1);
    await ann.sync();
    expect(ann.copy.waiting()).toBe(0);
    expect(await numbers()).toEqual(taken);
    expect(await sql`SELECT id FROM session_runtime.change`).toHaveLength(1);
  });

  test("numbers are seen in their order, also where an earlier writer commits late", async () => {
    const database = await emptyStore();
    const [ann, bob] = [await machine(database, "ann", shop), await machine(database, "bob", shop)];
    await ann.sync();
    const slowLink = await connected(server.address("owner", database));
    const reader = await connected(server.address("owner", database));
    await added(ann.store, shop, wording("slow"));
    await added(bob.store, shop, wording("quick"));
    const [slow, quick] = [ann, bob].map(({ copy }) => copy.batch(shop.id, 9).changes);
    const { promise: held, resolve: release } = Promise.withResolvers<null>();
    // The first has its lock and its number, and does not commit.
    const first = slowLink.begin(async () => {
      await slowLink.sql`SELECT pg_advisory_xact_lock(${0x53525250}, hashtext(${shop.id}))`;
      await slowLink.sql`SELECT nextval('session_runtime.change_number')`;
      await held;
    });
    const other = await connected(server.address("owner", database));
    const second = mergeChanges(other, shop.id, quick ?? []);
    await Bun.sleep(100);
    expect((await readPage(reader.sql, shop.id, { after: 0, count: 9 })).items).toEqual([]);
    release(null);
    await first;
    await second;
    await mergeChanges(other, shop.id, slow ?? []);
    const page = await readPage(reader.sql, shop.id, { after: 0, count: 1 });
    expect(page).toMatchObject({ isLast: false });
    const rest = await readPage(reader.sql, shop.id, { after: page.cursor, count: 9 });
    expect([...page.items, ...rest.items].map((item) => "text" in item && item.text)).toEqual([
      "quick",
      "slow",
    ]);
  });

  test("machines that begin at the same moment set the store up once", async () => {
    const database = await emptyStore();
    const links = await Promise.all(
      Array.from({ length: 6 }, () => connected(server.address("owner", database))),
    );
    const [one] = links;
    if (!one) throw new Error("no connection");
    // Each has seen that there is none.
    expect(await Promise.all(links.map(({ sql }) => readServerVersion(sql)))).toEqual(
      links.map(() => null),
    );
    await Promise.all(links.map(migrateServer));
    expect(await readServerVersion(one.sql)).toBe(SERVER_VERSION);
    expect(await one.sql`SELECT one FROM session_runtime.server`).toHaveLength(1);
  });

  test("a store of a newer version is left alone", async () => {
    const database = await emptyStore();
    const ann = await machine(database, "ann", shop);
    await ann.sync();
    const { sql } = await connected(server.address("owner", database));
    await sql`UPDATE session_runtime.server SET version = 99`;
    await added(ann.store, shop, wording("a fact"));
    await expect(ann.sync()).rejects.toBeInstanceOf(NewerServerError);
    expect(ann.copy.waiting()).toBe(1);
  });

  test("a store that was set up again, or restored from an old copy, gets everything again", async () => {
    const database = await emptyStore();
    const [ann, bob] = [await machine(database, "ann", shop), await machine(database, "bob", shop)];
    await added(ann.store, shop, wording("a fact"));
    await ann.sync();
    await bob.sync();
    const { sql } = await connected(server.address("owner", database));
    await sql`DROP SCHEMA session_runtime CASCADE`;
    await bob.sync();
    expect(await sql`SELECT id FROM session_runtime.item`).toHaveLength(1);
    await added(ann.store, shop, wording("another"));
    await ann.sync();
    // As it was before both: the same store, with lower numbers.
    await sql`DELETE FROM session_runtime.item`;
    await sql`SELECT setval('session_runtime.change_number', 1, false)`;
    await ann.sync();
    expect(await sql`SELECT id FROM session_runtime.item`).toHaveLength(2);
    await bob.sync();
    expect(await bob.store.list(shop.id)).toHaveLength(2);
  });

  test("more rows than a page come in whole, with what supersedes them", async () => {
    const database = await emptyStore();
    const [ann, bob] = [await machine(database, "ann", shop), await machine(database, "bob", shop)];
    const by = { by: "import", sessionId: null, segment: null, nowMs: 1 } as const;
    const changes = Array.from({ length: 450 }, (_, n) => ({
      kind: "add" as const,
      wording: wording(`Fact ${n}.`),
    }));
    const outcomes = await ann.store.apply(shop.id, changes, by);
    const ids = outcomes.flatMap((one) => (one.kind === "missing" ? [] : [one.memory.id]));
    const merge = {
      kind: "merge",
      ids: [...ids.slice(0, 2), ...ids.slice(-2)],
      wording: wording("All."),
    } as const;
    await ann.store.apply(shop.id, [merge], by);
    await ann.sync();
    await bob.sync();
    const copies = await Promise.all(
      [ann, bob].map(async ({ store }) =>
        // Each machine counts for itself.
        (await store.list(shop.id)).map(({ number: _, ...memory }) => memory),
      ),
    );
    expect(copies[1]).toEqual(copies[0] ?? []);
    expect(copies[1]).toHaveLength(451);
  });

  /** A store with its schema, and a link to it. */
  async function readyStore(): Promise<Server> {
    const link = await connected(server.address("owner", await emptyStore()));
    await migrateServer(link);
    return link;
  }

  test("what fails halfway leaves nothing on the server, and the line can be used on", async () => {
    const link = await readyStore();
    const [first, second] = [
      createMemoryChange("one", "A fact."),
      createMemoryChange("two", "Another."),
    ];
    const broken = { ...second, item: { ...second.item, id: null } } as unknown as ItemChange;
    await expect(mergeChanges(link, shop.id, [first, broken])).rejects.toThrow("null value");
    const { sql } = link;
    expect(await sql`SELECT id FROM session_runtime.item`).toEqual([]);
    expect(await sql`SELECT id FROM session_runtime.change`).toEqual([]);
    const stopped = link.begin(async () => {
      await sql`INSERT INTO session_runtime.change (id, project, item) VALUES ('x', 'y', 'z')`;
      throw new Error("stopped");
    });
    await expect(stopped).rejects.toThrow("stopped");
    expect(await sql`SELECT id FROM session_runtime.change`).toEqual([]);
    expect(await mergeChanges(link, shop.id, [first])).toBe(1);
  });

  test("a transaction whose line is gone gives the reason, not that it can't be rolled back", async () => {
    const link = await readyStore();
    const other = await connected(server.address("owner"));
    const reason = new Error("the reason");
    const ended = new Promise<void>((resolve) => link.ended(resolve));
    const failing = link.begin(async () => {
      const [row] = await link.sql`SELECT pg_backend_pid() AS pid`;
      await other.sql`SELECT pg_terminate_backend(${Number(row?.pid)})`;
      await ended;
      throw reason;
    });
    expect(await failing.catch((error: unknown) => error)).toBe(reason);
    // Whoever asks later hears of it, too.
    await link.close();
    await new Promise<void>((resolve) => link.ended(resolve));
  });

  test("I29: another project's rows are neither merged nor given, though they say the same or have the id", async () => {
    const link = await readyStore();
    const theirs = createMemoryChange("theirs", "The same words.", till.id);
    await mergeChanges(link, till.id, [theirs]);
    await mergeChanges(link, shop.id, [createMemoryChange("ours", "The same words.")]);
    for (const { id } of [shop, till]) {
      const { items } = await readPage(link.sql, id, { after: 0, count: 9 });
      expect(items).toMatchObject([{ project: id, state: { kind: "active" } }]);
    }
    const taken = { ...createMemoryChange(theirs.item.id, "Other words."), changeId: "taken" };
    await expect(mergeChanges(link, shop.id, [taken])).rejects.toThrow(
      "an item and its body differ",
    );
    // A row that says it is superseded by another project's.
    const pointing = createMemoryChange("pointing", "Old words.");
    const state = { kind: "superseded", by: theirs.item.id };
    await mergeChanges(link, shop.id, [{ ...pointing, item: { ...pointing.item, state } as Item }]);
    const { items } = await readPage(link.sql, shop.id, { after: 0, count: 9 });
    expect(items.map(({ id }) => id).sort()).toEqual(["ours", "pointing"]);
  });

  test("each page begins after the one before, the oldest change first; the end is known by a short page", async () => {
    const link = await readyStore();
    // The order is the statement's own, not an index's.
    await link.script("SET enable_indexscan = off; SET enable_bitmapscan = off");
    const { item: last } = createMemoryChange("last", "The last.");
    await link.sql`INSERT INTO session_runtime.item (id, project, kind, number, body)
      VALUES ('last', ${shop.id}, 'memory', 900, ${last}::jsonb)`;
    for (const at of [1, 2, 3, 4])
      await mergeChanges(link, shop.id, [createMemoryChange(`id-${at}`, `Fact ${at}.`)]);
    // What has changed is the newest, and has a number of its own.
    const first = createMemoryChange("id-1", "Fact one.");
    await mergeChanges(link, shop.id, [
      { ...first, changeId: "edit", item: { ...first.item, changedAtMs: 9 } as Item },
    ]);
    const pages: (readonly string[])[] = [];
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await readPage(link.sql, shop.id, { after, count: 2 });
      pages.push(page.items.flatMap((item) => ("text" in item ? [item.text] : [])).toSorted());
      ({ cursor: after, isLast } = page);
      if (isLast)
        expect((await readPage(link.sql, shop.id, { after, count: 2 })).cursor).toBe(after);
    }
    expect(pages).toEqual([
      ["Fact 2.", "Fact 3."],
      // With its former wording comes the one in its place.
      ["Fact 1.", "Fact 4.", "Fact one."],
      ["Fact one.", "The last."],
      [],
    ]);
  });

  test("the words that a memory has now are found, also where they came by an edit", async () => {
    const link = await readyStore();
    const first = createMemoryChange("one", "Port 1.");
    const item = { ...first.item, text: "Port 2.", changedAtMs: 2 } as Item;
    await mergeChanges(link, shop.id, [first]);
    await mergeChanges(link, shop.id, [{ changeId: "edit", item }]);
    await mergeChanges(link, shop.id, [createMemoryChange("two", "Port 2.")]);
    const { items, cursor } = await readPage(link.sql, shop.id, { after: 0, count: 9 });
    const active = items.filter((one) => one.kind === "memory" && one.state.kind === "active");
    expect(active).toMatchObject([{ text: "Port 2." }]);
    expect((await readServerIdentity(link.sql)).lastNumber).toBe(cursor);
  });

  test("only the words of an active memory are looked up by: the same words in an archived one are another's", async () => {
    const link = await readyStore();
    const first = createMemoryChange("one", "Port 1.");
    await mergeChanges(link, shop.id, [first]);
    const state = { kind: "archived", atMs: 2 };
    const item = { ...first.item, state, changedAtMs: 2 } as Item;
    await mergeChanges(link, shop.id, [{ changeId: "archive", item }]);
    const digests = () => link.sql`SELECT id, digest FROM session_runtime.item ORDER BY id`;
    expect(await digests()).toEqual([{ id: "one", digest: null }]);
    await mergeChanges(link, shop.id, [createMemoryChange("two", "Port 1.")]);
    expect(await digests()).toEqual([
      { id: "one", digest: null },
      { id: "two", digest: expect.any(String) },
    ]);
  });

  test("a change that changes nothing is announced to nobody", async () => {
    const link = await readyStore();
    const listener = await connected(server.address("owner", `team_${databases}`));
    let heard = 0;
    const first = createMemoryChange("one", "A fact.");
    await mergeChanges(link, shop.id, [first]);
    await listener.listen(NOTIFY_CHANNEL, () => {
      heard += 1;
    });
    expect(await mergeChanges(link, shop.id, [{ ...first, changeId: "again" }])).toBe(1);
    await mergeChanges(link, shop.id, [createMemoryChange("two", "Another.")]);
    while (heard === 0) await Bun.sleep(10);
    expect(heard).toBe(1);
  });

  test("what a newer version wrote stays where it is, and everything else comes", async () => {
    const link = await readyStore();
    await mergeChanges(link, shop.id, [createMemoryChange("known", "A fact.")]);
    const body = { id: "new", project: shop.id, kind: "picture", member: null };
    await link.sql`INSERT INTO session_runtime.item (id, project, kind, number, body)
      VALUES ('new', ${shop.id}, 'picture', nextval('session_runtime.change_number'), ${body}::jsonb)`;
    const { items, isLast } = await readPage(link.sql, shop.id, { after: 0, count: 9 });
    expect(items.map(({ id }) => id)).toEqual(["known"]);
    expect(isLast).toBe(true);
  });

  test("a project's new place is announced, and replaces the one before", async () => {
    const link = await readyStore();
    const listener = await connected(server.address("owner", `team_${databases}`));
    const heard = Promise.withResolvers<void>();
    await listener.listen(NOTIFY_CHANNEL, heard.resolve);
    const place = { id: shop.id, name: "shop", workspace: "both", shares: "[]" };
    await writeMembership(link.sql, place, null);
    await heard.promise;
    await writeMembership(link.sql, { ...place, id: till.id, name: "till" }, null);
    const later = { ...place, name: "market", shares: '["NAMING"]' };
    await writeMembership(link.sql, later, null);
    const places = await readMemberships(link.sql, [till.id]);
    expect(places.map(({ name, shares }) => [name, shares]).toSorted()).toEqual([
      ["market", '["NAMING"]'],
      ["till", "[]"],
    ]);
  });
});

/** A memory as a member's machine sends it. */
function createMemoryChange(id: string, text: string, project = shop.id): ItemChange {
  const item = {
    ...{ kind: "memory", id, project, member: "owner", text, by: "user", writtenAtMs: 1 },
    ...{ category: "NAMING", importance: 50, permanence: "ordinary", state: { kind: "active" } },
    ...{ changedAtMs: 1, checkedAtMs: 1, usedAtMs: null },
  };
  return { changeId: `change of ${id}`, item: item as Item };
}
