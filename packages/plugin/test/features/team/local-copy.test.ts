import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CATEGORIES, type MemoryId } from "../../../src/features/memory/record.ts";
import { createSmartNoteStore } from "../../../src/features/memory/smart-note-store.ts";
import { deriveFormerId } from "../../../src/features/memory/sqlite-changes.ts";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "../../../src/features/memory/sqlite-store.ts";
import { createLocalCopy, type LocalCopy } from "../../../src/features/team/local-copy.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import type { Project } from "../../../src/project/project.ts";
import { createDatabase, type RuntimeDatabase } from "../../../src/storage/database.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { migrate } from "../../../src/storage/migrations.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { schema } from "../../schema.ts";
import { Workspace } from "../../storage/workspace.ts";
import { added, changed, entered, projectAt, SES, wording } from "../memory/store.suite.ts";
import { FakeServer } from "./fake-server.ts";

const workspace = new Workspace();
const shop = projectAt("shop");
const till = projectAt("till");

interface Machine {
  readonly store: MemoryStore;
  readonly copy: LocalCopy;
  readonly path: string;
}

async function machine(member: string, ...projects: (typeof shop)[]): Promise<Machine> {
  const path = workspace.path();
  return begun(workspace.open(path), path, member, projects);
}

/** Without a file: hundreds of them are made and dropped. */
async function inMemory(member: string): Promise<Machine> {
  const driver = openBunDriver(":memory:");
  driver.exec("PRAGMA foreign_keys = ON");
  migrate(driver, schema);
  return begun(createDatabase(driver, ":memory:"), ":memory:", member, [shop]);
}

async function begun(
  database: RuntimeDatabase,
  path: string,
  member: string,
  projects: readonly Project[],
): Promise<Machine> {
  const [store, copy] = [database.store(createSqliteMemoryStore), database.store(createLocalCopy)];
  copy.name(member);
  await entered(store, ...projects);
  for (const { id } of projects) copy.share(id);
  return { store, copy, path };
}

const waitingTexts = ({ copy }: Machine, project = shop) =>
  copy.batch(project.id, 999).changes.map(({ item }) => ("text" in item ? item.text : item.kind));

async function texts({ store }: Machine, project = shop) {
  return (await store.readable(project.id, 999)).map(({ text }) => text).toSorted();
}

describe("the outbox", () => {
  test("nothing waits where nothing is shared", async () => {
    const { store, copy } = await machine("ann");
    await entered(store, shop);
    await added(store, shop, wording("a fact"));
    await store.addNote({ project: shop.id, sessionId: null, text: "later", by: "user" }, 1);
    expect(copy.waiting()).toBe(0);
    expect(copy.projects()).toEqual([]);
  });

  test("a project that is shared sends what is there already, and then each change, once per row", async () => {
    const { store, copy } = await machine("ann");
    await entered(store, shop, till);
    const memory = await added(store, shop, wording("a fact"));
    await store.addNote({ project: shop.id, sessionId: null, text: "later", by: "user" }, 1);
    copy.share(shop.id);
    copy.share(shop.id);
    await changed(store, shop, { kind: "edit", id: memory.id, wording: { text: "a new fact" } });
    await changed(store, shop, { kind: "archive", id: memory.id });
    await added(store, till, wording("another project's"));
    const { changes, membership } = copy.batch(shop.id, 999);
    expect(changes.map(({ item }) => "text" in item && [item.text, item.member])).toEqual([
      ["a new fact", "ann"],
      ["later", "ann"],
      ["a fact", "ann"],
    ]);
    expect(new Set(changes.map(({ changeId }) => changeId)).size).toBe(3);
    expect(membership).toBeNull();
    expect(copy.batch(till.id, 999).rows).toEqual([]);
  });

  test("reminders stay on the machine, whatever becomes of them", async () => {
    const path = workspace.path();
    const database = workspace.open(path);
    const { store, copy } = await begun(database, path, "ann", []);
    const reminders = database.store(createSmartNoteStore);
    await entered(store, shop);
    const condition = { kind: "date", atMs: 9 } as const;
    const given = {
      project: shop.id,
      sessionId: null,
      text: "later",
      condition,
      by: "user",
    } as const;
    reminders.add(given, 1);
    copy.share(shop.id);
    const { id, ref } = reminders.add(given, 2);
    reminders.hold(id);
    reminders.finish(shop.id, null, ref, 3);
    const driver = openBunDriver(path);
    driver.run("DELETE FROM note WHERE id = ?", id);
    driver.close();
    copy.relink("server");
    expect(copy.waiting()).toBe(0);
  });

  test("a session's own note, its name and each use stay on the machine; the day of the last use does not", async () => {
    const one = await machine("ann", shop);
    await one.store.addNote({ project: shop.id, sessionId: SES, text: "mine", by: "user" }, 1);
    const { id } = await added(one.store, shop, wording("a fact"));
    const { rows, changes } = one.copy.batch(shop.id, 999);
    expect(changes).toHaveLength(1);
    expect(JSON.stringify(changes)).not.toContain(SES);
    one.copy.sent(rows);
    const day = 86_400_000;
    await one.store.used([id], day);
    expect(one.copy.waiting()).toBe(1);
    one.copy.sent(one.copy.batch(shop.id, 999).rows);
    await one.store.used([id], day + 5);
    expect(one.copy.waiting()).toBe(0);
    await one.store.used([id], 2 * day);
    expect(one.copy.waiting()).toBe(1);
  });

  test("a folder's memories are sent once it has a first commit, and are not taken for deleted ones", async () => {
    const before = projectAt("new", null);
    const after = projectAt("new", "f00d");
    const { store, copy } = await machine("ann");
    await entered(store, before);
    await added(store, before, wording("a fact"));
    await added(store, before, wording("said twice"));
    copy.share(after.id);
    await store.enter(after, 2);
    const sent = copy.batch(after.id, 999).changes.map(({ item }) => item.kind);
    expect(sent).toEqual(["memory", "memory"]);
    expect(copy.batch(before.id, 999).rows).toEqual([]);
  });

  test("what is deleted leaves a mark without its words, and so do its former wordings", async () => {
    const one = await machine("ann", shop);
    const { id } = await added(one.store, shop, wording("a secret"));
    await changed(one.store, shop, { kind: "edit", id, wording: { text: "no secret" } });
    await one.store.forget(shop.id, id);
    const { changes } = one.copy.batch(shop.id, 999);
    expect(changes.map(({ item }) => item)).toEqual([
      { kind: "gone", id, project: shop.id, member: "ann" },
      { kind: "gone", id: deriveFormerId(id, "a secret"), project: shop.id, member: "ann" },
    ]);
  });

  test("a project that is forgotten is deleted for the team; one that is shared no more waits for nothing", async () => {
    const one = await machine("ann", shop, till);
    await added(one.store, shop, wording("a fact"));
    await added(one.store, till, wording("a fact"));
    await one.store.forgetProject(shop.id);
    expect(waitingTexts(one)).toEqual(["gone"]);
    expect(one.copy.projects().map(({ id }) => id)).toContain(shop.id);
    one.copy.unshare(till.id);
    await added(one.store, till, wording("another fact"));
    expect(one.copy.batch(till.id, 999).rows).toEqual([]);
    expect(await texts(one, till)).toHaveLength(2);
  });

  test("what changes while it is being sent is sent again", async () => {
    const one = await machine("ann", shop);
    const { id } = await added(one.store, shop, wording("first"));
    const { rows } = one.copy.batch(shop.id, 999);
    await changed(one.store, shop, { kind: "edit", id, wording: { text: "second" } });
    one.copy.sent(rows);
    expect(waitingTexts(one)).toEqual(["second", "first"]);
  });

  test("a row goes together with the one that supersedes it", async () => {
    const one = await machine("ann", shop);
    const ids: MemoryId[] = [];
    for (const text of ["one", "two"]) ids.push((await added(one.store, shop, wording(text))).id);
    await changed(one.store, shop, { kind: "merge", ids, wording: wording("both") });
    const { changes } = one.copy.batch(shop.id, 1);
    expect(changes.map(({ item }) => "text" in item && item.text)).toEqual(["one", "both"]);
  });
});

describe("what others wrote", () => {
  test("is there as they wrote it, under a ref of this machine's, and is not sent back", async () => {
    const server = new FakeServer();
    const [ann, bob] = [await machine("ann", shop), await machine("bob", shop)];
    const said = wording("Prices are in cents.", { importance: 70, permanence: "permanent" });
    const memory = await added(ann.store, shop, said, 42);
    const note = await ann.store.addNote(
      { project: shop.id, sessionId: null, text: "later", by: "user" },
      1,
    );
    server.meet(ann.copy, shop.id);
    server.meet(bob.copy, shop.id);
    expect(await bob.store.list(shop.id)).toEqual([{ ...memory, sessionId: null }]);
    expect(await bob.store.openNotes(shop.id, null)).toEqual([note]);
    expect(bob.copy.waiting()).toBe(0);
  });

  test("words that swapped places, and words that moved to another memory, come in whole", async () => {
    const server = new FakeServer();
    const [ann, bob] = [await machine("ann", shop), await machine("bob", shop)];
    const one = await added(ann.store, shop, wording("one"));
    const two = await added(ann.store, shop, wording("two"));
    server.meet(ann.copy, shop.id);
    server.meet(bob.copy, shop.id);
    const edit = (id: MemoryId, text: string) =>
      changed(ann.store, shop, { kind: "edit", id, wording: { text } });
    await edit(one.id, "three");
    await edit(two.id, "one");
    await edit(one.id, "two");
    server.meet(ann.copy, shop.id);
    server.meet(bob.copy, shop.id);
    expect(await bob.store.find(shop.id, one.ref)).toMatchObject({ text: "two" });
    expect(await bob.store.find(shop.id, two.ref)).toMatchObject({ text: "one" });
    expect(await bob.store.list(shop.id)).toHaveLength((await ann.store.list(shop.id)).length);
  });

  test("an edit that lost is kept as history, on every machine and on the server", async () => {
    const server = new FakeServer();
    const [ann, bob] = [await machine("ann", shop), await machine("bob", shop)];
    const { id, ref } = await added(ann.store, shop, wording("Port 1."), 1);
    server.meet(ann.copy, shop.id);
    server.meet(bob.copy, shop.id);
    await changed(ann.store, shop, { kind: "edit", id, wording: { text: "Port 2." } }, 5);
    await changed(bob.store, shop, { kind: "edit", id, wording: { text: "Port 3." } }, 9);
    for (const { copy } of [bob, ann, bob, ann]) server.meet(copy, shop.id);
    for (const { store, copy } of [ann, bob]) {
      expect(await store.find(shop.id, ref)).toMatchObject({ text: "Port 3." });
      const former = (await store.list(shop.id)).filter((one) => one.id !== id);
      expect(former.map(({ text }) => text).toSorted()).toEqual(["Port 1.", "Port 2."]);
      expect(copy.waiting()).toBe(0);
    }
    expect(server.texts().toSorted()).toEqual(["Port 1.", "Port 2.", "Port 3."]);
    expect(server.findMember("Port 2.")).toBe("ann");
  });

  test("an edit that lost before it was sent is sent as history", async () => {
    const server = new FakeServer();
    const [ann, bob] = [await machine("ann", shop), await machine("bob", shop)];
    const { id } = await added(ann.store, shop, wording("Port 1."), 1);
    server.meet(ann.copy, shop.id);
    server.meet(bob.copy, shop.id);
    await changed(ann.store, shop, { kind: "edit", id, wording: { text: "Port 2." } }, 5);
    await changed(bob.store, shop, { kind: "edit", id, wording: { text: "Port 3." } }, 9);
    server.meet(bob.copy, shop.id);
    server.pull(ann.copy, shop.id);
    server.meet(ann.copy, shop.id);
    expect(server.texts().toSorted()).toEqual(["Port 1.", "Port 2.", "Port 3."]);
    expect(server.findMember("Port 2.")).toBe("ann");
  });

  test("an edit counts as newer than what it changed, whatever the machines' clocks say", async () => {
    const server = new FakeServer();
    const [ann, bob] = [await machine("ann", shop), await machine("bob", shop)];
    const { id, ref } = await added(ann.store, shop, wording("from the future"), 9_000);
    server.meet(ann.copy, shop.id);
    server.meet(bob.copy, shop.id);
    await changed(bob.store, shop, { kind: "edit", id, wording: { text: "corrected" } }, 10);
    server.meet(bob.copy, shop.id);
    server.meet(ann.copy, shop.id);
    expect(await ann.store.find(shop.id, ref)).toMatchObject({ text: "corrected" });
  });

  test("what is deleted for good goes everywhere, and its words stay nowhere", async () => {
    const server = new FakeServer();
    const [ann, bob] = [await machine("ann", shop), await machine("bob", shop)];
    const { id } = await added(ann.store, shop, wording("a secret"));
    server.meet(ann.copy, shop.id);
    server.meet(bob.copy, shop.id);
    await ann.store.forget(shop.id, id);
    await changed(bob.store, shop, { kind: "edit", id, wording: { text: "a secret, edited" } });
    for (const { copy } of [bob, ann, bob]) server.meet(copy, shop.id);
    expect(server.texts()).toEqual([]);
    expect(await bob.store.list(shop.id)).toEqual([]);
    expect(await ann.store.list(shop.id)).toEqual([]);
  });

  test("two that would have the same ref each have one of their own", async () => {
    const one = await machine("ann", shop);
    const { id } = await added(one.store, shop, wording("mine"));
    const [change] = one.copy.batch(shop.id, 9).changes;
    if (change?.item.kind !== "memory") throw new Error("no memory waits");
    const taken = deriveRef("m", "another");
    const driver = openBunDriver(one.path);
    driver.run("UPDATE memory SET ref = ? WHERE id = ?", taken, id);
    driver.close();
    const twin = { ...change.item, text: "theirs", id: "another" as MemoryId };
    one.copy.receive(shop.id, [twin], 1);
    const refs = new Map((await one.store.list(shop.id)).map(({ text, ref }) => [text, ref]));
    expect(refs.get("mine")).toBe(taken);
    expect(refs.get("theirs")).toBe(deriveRef("m", "another 1"));
  });

  test("one that names a memory that is not known here waits as archived", async () => {
    const one = await machine("ann", shop);
    await added(one.store, shop, wording("mine"));
    const [change] = one.copy.batch(shop.id, 9).changes;
    if (change?.item.kind !== "memory") throw new Error("no memory waits");
    const state = { kind: "superseded", by: "elsewhere" as MemoryId } as const;
    one.copy.receive(shop.id, [{ ...change.item, id: "x" as MemoryId, text: "x", state }], 1);
    const [former] = (await one.store.list(shop.id)).filter(({ text }) => text === "x");
    expect(former?.state).toEqual({ kind: "archived" });
  });
});

describe("workspaces of a team", () => {
  test("members see what the others share, whichever machine they are on; one that left is gone", async () => {
    const server = new FakeServer();
    const [ann, bob] = [await machine("ann", shop), await machine("bob", till)];
    await added(ann.store, shop, wording("shared", { category: "NAMING" }));
    await ann.store.createWorkspace("both", 1);
    await ann.store.joinWorkspace(shop, "both", ["NAMING"], 1);
    server.meet(ann.copy, shop.id);
    await bob.store.createWorkspace("both", 1);
    await bob.store.joinWorkspace(till, "both", [], 1);
    server.meetAll(bob.copy);
    expect(await texts(bob, till)).toEqual(["shared"]);
    expect((await bob.store.findWorkspace(till.id))?.members).toEqual([
      { ...shop, worktree: "", shares: ["NAMING"] },
      { ...till, shares: [] },
    ]);
    await ann.store.leaveWorkspace(shop.id);
    server.meetAll(ann.copy);
    server.meetAll(bob.copy);
    expect(await texts(bob, till)).toEqual([]);
    expect(bob.copy.projects().map(({ id }) => id)).toEqual([till.id]);
  });

  test("what waits here is newer than what the server says", async () => {
    const server = new FakeServer();
    const ann = await machine("ann", shop);
    await ann.store.createWorkspace("both", 1);
    await ann.store.joinWorkspace(shop, "both", CATEGORIES, 1);
    ann.copy.place([{ id: shop.id, name: "shop", workspace: null, shares: "" }], 1);
    expect((await ann.store.findWorkspace(shop.id))?.name).toBe("both");
    server.meetAll(ann.copy);
    ann.copy.place([{ id: shop.id, name: "shop", workspace: null, shares: "" }], 1);
    expect(await ann.store.findWorkspace(shop.id)).toBeNull();
    expect(await ann.store.workspaces()).toEqual([]);
    expect(ann.copy.waiting()).toBe(0);
  });
});

test("one process at a time is at it, until its time is over", async () => {
  const one = await machine("ann");
  const other = workspace.open(one.path).store(createLocalCopy);
  expect(one.copy.begin(10, 100)).toBe(true);
  expect(other.begin(20, 120)).toBe(false);
  expect(other.begin(101, 200)).toBe(true);
  other.end();
  expect(one.copy.begin(102, 300)).toBe(true);
});

test("since when the server is away, and why, until it is reached", async () => {
  const { copy } = await machine("ann");
  copy.away(5, "no answer");
  copy.away(9, "refused");
  expect(copy.link()).toMatchObject({ awaySinceMs: 5, problem: "refused", reachedAtMs: null });
  copy.reached(12);
  expect(copy.link()).toMatchObject({ awaySinceMs: null, problem: null, reachedAtMs: 12 });
});

const SAID = ["one", "two", "three", "four", "five"];

const step = fc.record({
  at: fc.integer({ min: 0, max: 2 }),
  which: fc.integer({ min: 0, max: 5 }),
  text: fc.constantFrom(...SAID),
  act: fc.constantFrom(
    ...([
      "add",
      "add",
      "edit",
      "edit",
      "archive",
      "restore",
      "merge",
      "forget",
      "meet",
      "pull",
    ] as const),
  ),
});

test("TM2: whatever three members do, and whenever they meet the server: in the end all have the same, nothing is lost or doubled", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const server = new FakeServer();
      const machines: Machine[] = [];
      for (const name of ["ann", "bob", "cy"]) machines.push(await inMemory(name));
      const written = new Set<string>();
      let hasForgotten = false;
      for (const [nowMs, { at, which, text, act }] of steps.entries()) {
        const { store, copy } = machines[at] ?? (await inMemory("none"));
        if (act === "meet") server.meet(copy, shop.id);
        if (act === "pull") server.pull(copy, shop.id);
        if (act === "add") await added(store, shop, wording(text), nowMs);
        if (act === "add") written.add(text);
        const all = await store.list(shop.id);
        const { id } = all[which % Math.max(1, all.length)] ?? { id: "" as MemoryId };
        const by = { by: "user", sessionId: "ses_1" as SessionId, segment: null, nowMs } as const;
        if (act === "edit" && id !== "") {
          await store.apply(shop.id, [{ kind: "edit", id, wording: { text } }], by);
          written.add(text);
        }
        if (act === "archive" || act === "restore") {
          await store.apply(shop.id, [{ kind: act, id }], by);
        }
        if (act === "merge" && all.length > 1) {
          const ids = all.slice(0, 2).map((one) => one.id);
          await store.apply(shop.id, [{ kind: "merge", ids, wording: wording(text) }], by);
          written.add(text);
        }
        if (act === "forget" && (await store.forget(shop.id, id))) hasForgotten = true;
      }
      for (let round = 0; round < 3; round += 1) {
        for (const { copy } of machines) server.meet(copy, shop.id);
      }
      const copies = await Promise.all(
        machines.map(async ({ store }) =>
          (await store.list(shop.id))
            .map(({ id, text, state, importance }) => ({ id, text, state, importance }))
            .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
        ),
      );
      const [first = [], ...others] = copies;
      for (const other of others) expect(other).toEqual(first);
      expect(machines.map(({ copy }) => copy.waiting())).toEqual([0, 0, 0]);
      const active = first.filter(({ state }) => state.kind === "active").map(({ text }) => text);
      expect(new Set(active).size).toBe(active.length);
      if (!hasForgotten) {
        expect(new Set(first.map(({ text }) => text))).toEqual(written);
      }
    }),
    { numRuns: Number(process.env.LONG === "1" ? 400 : 60) },
  );
}, 600_000);
