// What every store of memories does, wherever it keeps them.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  CATEGORIES,
  type ChangeContext,
  type Memory,
  type MemoryChange,
  type MemoryContent,
  type MemoryId,
} from "../../../src/features/memory/record.ts";
import type { MemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { type Project, toCommitId, toFolderId } from "../../../src/project/project.ts";
import type { SessionId } from "../../../src/storage/records.ts";

export const SES = "ses_1" as SessionId;

export function projectAt(name: string, commit: string | null = `c0ffee${name}`): Project {
  const worktree = `/work/${name}`;
  return { id: commit === null ? toFolderId(worktree) : toCommitId(commit), name, worktree };
}

export function wording(text: string, given: Partial<MemoryContent> = {}): MemoryContent {
  return { category: "ARCHITECTURE", text, importance: 50, permanence: "ordinary", ...given };
}

export function byModel(nowMs: number): ChangeContext {
  return { by: "model", sessionId: SES, segment: null, nowMs };
}

/** A store, or one that a team's test brings in step with another's at each call. */
export type SuiteStore = Pick<MemoryStore, "version"> & {
  readonly [Name in Exclude<keyof MemoryStore, "version">]: (
    ...asked: Parameters<MemoryStore[Name]>
  ) => ReturnType<MemoryStore[Name]> | Promise<ReturnType<MemoryStore[Name]>>;
};

/** A store with one project in it. */
export async function entered<Store extends SuiteStore>(
  store: Store,
  ...projects: readonly Project[]
) {
  for (const project of projects) await store.enter(project, 1);
  return store;
}

/** The memory that a change has left. */
export async function changed(
  store: SuiteStore,
  project: Project,
  change: MemoryChange,
  nowMs = 10,
): Promise<Memory> {
  const [outcome] = await store.apply(project.id, [change], byModel(nowMs));
  if (outcome?.kind === "done" || outcome?.kind === "known") return outcome.memory;
  throw new Error(`${change.kind}: ${outcome?.kind}`);
}

export const added = (store: SuiteStore, project: Project, said: MemoryContent, nowMs = 10) =>
  changed(store, project, { kind: "add", wording: said }, nowMs);

const texts = (memories: readonly { readonly text: string }[]) => memories.map(({ text }) => text);

const shop = projectAt("shop");
const till = projectAt("till");
const none = "no such memory" as MemoryId;

/** @param runs of its property */
export function memoryStoreSuite(title: string, open: () => SuiteStore, runs: number): void {
  const make = () => entered(open(), shop, till);
  const readable = async (store: SuiteStore, project: Project) =>
    texts(await store.readable(project.id, 100));

  describe(`memories in ${title}`, () => {
    test("Y1: a memory is given back as it was written, with its source and times", async () => {
      const store = await make();
      const said = wording("Prices are in cents.", { importance: 55, permanence: "permanent" });
      const memory = await added(store, shop, said, 42);
      expect(memory).toEqual({
        ...{ ...said, id: memory.id, ref: memory.ref, project: shop.id, state: { kind: "active" } },
        ...{ by: "model", sessionId: SES, segment: null, source: "session", number: 1 },
        ...{ writtenAtMs: 42, changedAtMs: 42, checkedAtMs: 42, usedAtMs: null, uses: 0 },
      });
      expect(memory.ref).toMatch(/^m:/);
      expect(await store.list(shop.id)).toEqual([memory]);
      expect(await store.find(shop.id, memory.ref)).toEqual(memory);
      expect(await store.readable(shop.id, 9)).toEqual([{ ...memory, sharedBy: null }]);
    });

    test("Y2: exact duplicates are one memory: case, quotes and spaces don't count", async () => {
      const store = await make();
      const first = await added(store, shop, wording("Use `pnpm`, not npm."), 10);
      const again = wording("use  pnpm, not npm", { importance: 60 });
      const [outcome] = await store.apply(shop.id, [{ kind: "add", wording: again }], byModel(20));
      expect(outcome).toEqual({
        kind: "known",
        memory: { ...first, importance: 60, checkedAtMs: 20 },
      });
      expect(await store.list(shop.id)).toHaveLength(1);
    });

    test("what an active one says is found in other spelling, and several are read by their ids", async () => {
      const store = await make();
      const first = await added(store, shop, wording("Use `pnpm`, not npm."));
      const second = await added(store, shop, wording("Prices are in cents."));
      await added(store, till, wording("Another project's."));
      expect(await store.saying(shop.id, "use  pnpm, not npm")).toEqual(first);
      expect(await store.saying(shop.id, "Use npm.")).toBeNull();
      expect(await store.saying(till.id, first.text)).toBeNull();
      expect(await store.some(shop.id, [second.id, none])).toEqual([second]);
      expect(await store.some(till.id, [first.id])).toEqual([]);
      const archived = await changed(store, shop, { kind: "archive", id: first.id });
      expect(await store.saying(shop.id, first.text)).toBeNull();
      expect(await store.some(shop.id, [first.id])).toEqual([archived]);
    });

    test("the most important are read first, permanent ones before them, the newest of equal ones", async () => {
      const store = await make();
      await added(store, shop, wording("old"), 1);
      await added(store, shop, wording("new"), 2);
      await added(store, shop, wording("high", { importance: 51 }), 1);
      await added(store, shop, wording("kept", { importance: 0, permanence: "permanent" }), 1);
      expect(await readable(store, shop)).toEqual(["kept", "high", "new", "old"]);
      expect(texts(await store.readable(shop.id, 2))).toEqual(["kept", "high"]);
    });

    test("what people wrote down is read before all that models did", async () => {
      const store = await make();
      await added(
        store,
        shop,
        wording("a model's", { importance: 60, permanence: "permanent" }),
        5,
      );
      const own = { kind: "add", wording: wording("a person's", { importance: 1 }) } as const;
      await store.apply(shop.id, [own], { ...byModel(1), by: "user" });
      expect(await readable(store, shop)).toEqual(["a person's", "a model's"]);
      expect(texts(await store.readable(shop.id, 1))).toEqual(["a person's"]);
    });

    test("upkeep's words rest on what they were made of", async () => {
      const store = await make();
      const by = (author: ChangeContext["by"]) => ({ ...byModel(9), by: author });
      const said = (text: string) => [{ kind: "add", wording: wording(text) } as const];
      const [own] = await store.apply(shop.id, said("one of them"), by("user"));
      const [found] = await store.apply(shop.id, said("other of them"), by("model"));
      if (own?.kind !== "done" || found?.kind !== "done") throw new Error("not stored");
      const { id } = own.memory;
      const edit = { kind: "edit", id, wording: { text: "the one of them" } } as const;
      const [edited] = await store.apply(shop.id, [edit], by("upkeep"));
      expect(edited).toMatchObject({ memory: { source: "user", by: "upkeep" } });
      const merge = { kind: "merge", ids: [id, found.memory.id] } as const;
      const both = { ...merge, wording: wording("one and other") };
      const [merged] = await store.apply(shop.id, [both], by("upkeep"));
      expect(merged).toMatchObject({ memory: { source: "session" } });
    });

    test("an undo of upkeep's words keeps whose they were; a model's edit or merge makes them a model's", async () => {
      const store = await make();
      const by = (author: ChangeContext["by"]) => ({ ...byModel(9), by: author });
      const of = async (author: ChangeContext["by"], change: MemoryChange) => {
        const [outcome] = await store.apply(shop.id, [change], by(author));
        if (outcome?.kind !== "done") throw new Error(`${outcome?.kind}`);
        return outcome.memory;
      };
      const add = (text: string) => of("user", { kind: "add", wording: wording(text) });
      const { id } = await add("the first of all");
      const edit = (text: string) => ({ kind: "edit", id, wording: { text } }) as const;
      expect((await of("historian", edit("the second of all"))).source).toBe("user");
      expect((await of("model", edit("the third of all"))).source).toBe("session");
      const merge = async (author: ChangeContext["by"], text: string) => {
        const ids = [(await add(`${text} left`)).id, (await add(`${text} right`)).id];
        return of(author, { kind: "merge", ids, wording: wording(`${text} both`) });
      };
      expect((await merge("model", "alpha")).source).toBe("session");
      expect((await merge("user", "beta")).source).toBe("user");
      expect((await merge("upkeep", "gamma")).source).toBe("user");
    });

    test("a memory is found by its number, which no other one gets", async () => {
      const store = await make();
      const first = await added(store, shop, wording("first"));
      await changed(store, shop, { kind: "edit", id: first.id, wording: { text: "again" } });
      const second = await added(store, shop, wording("second"));
      expect([first.number, second.number]).toEqual([1, 2]);
      expect((await store.numbered(shop.id, 1))?.text).toBe("again");
      await store.forget(shop.id, second.id);
      expect(await store.numbered(shop.id, 2)).toBeNull();
      expect((await added(store, shop, wording("third"))).number).toBe(3);
      expect((await added(store, till, wording("first"))).number).toBe(1);
    });

    test("one that is found true again is checked then, and no less important", async () => {
      const store = await make();
      const { id } = await added(store, shop, wording("A fact.", { importance: 50 }), 10);
      const confirm = (importance: number, nowMs: number) =>
        changed(store, shop, { kind: "confirm", id, importance }, nowMs);
      expect(await confirm(30, 20)).toMatchObject({ importance: 50, checkedAtMs: 20 });
      expect(await confirm(55, 30)).toMatchObject({
        ...{ importance: 55, checkedAtMs: 30, changedAtMs: 10, writtenAtMs: 10 },
      });
    });

    test("Y1: an edit keeps the ref, and the former wording as superseded", async () => {
      const store = await make();
      const memory = await added(store, shop, wording("Port 5432."), 1);
      const edit = { kind: "edit", id: memory.id, wording: { text: "Port 5433." } } as const;
      const edited = await changed(store, shop, edit, 2);
      expect(edited).toMatchObject({ ref: memory.ref, text: "Port 5433.", changedAtMs: 2 });
      const former = (await store.list(shop.id)).find(({ id }) => id !== memory.id);
      expect(former).toMatchObject({
        text: "Port 5432.",
        state: { kind: "superseded", by: memory.id },
      });
      expect(await readable(store, shop)).toEqual(["Port 5433."]);
    });

    test("Y1: a wording that a memory had twice is kept once, also beside one that was restored", async () => {
      const store = await make();
      const { id } = await added(store, shop, wording("Port 1."), 1);
      const edit = (text: string) => changed(store, shop, { kind: "edit", id, wording: { text } });
      for (const text of ["Port 2.", "Port 1.", "Port 2."]) await edit(text);
      const formers = async () => (await store.list(shop.id)).filter((one) => one.id !== id);
      expect(texts(await formers()).toSorted()).toEqual(["Port 1.", "Port 2."]);
      const [first] = (await formers()).filter(({ text }) => text === "Port 1.");
      if (!first) throw new Error("the former wording is gone");
      await changed(store, shop, { kind: "restore", id: first.id });
      const said = { text: "Port 9." };
      await changed(store, shop, { kind: "edit", id: first.id, wording: said });
      await edit("Port 1.");
      await edit("Port 3.");
      const left = (await formers()).filter(({ state }) => state.kind === "superseded");
      expect(texts(left).filter((text) => text === "Port 1.")).toHaveLength(2);
    });

    test("an edit counts as later than what it changed, whatever the clock says", async () => {
      const store = await make();
      const { id } = await added(store, shop, wording("a fact"), 900);
      const edit = { kind: "edit", id, wording: { text: "a better fact" } } as const;
      expect((await changed(store, shop, edit, 5)).changedAtMs).toBe(901);
      expect((await changed(store, shop, { kind: "archive", id }, 5)).changedAtMs).toBe(902);
      expect((await changed(store, shop, { kind: "restore", id }, 5)).changedAtMs).toBe(903);
    });

    test("an edit to another one's words leaves one of them", async () => {
      const store = await make();
      const one = await added(store, shop, wording("one fact"));
      const other = await added(store, shop, wording("other fact"));
      const edit = { kind: "edit", id: other.id, wording: { text: "One fact" } } as const;
      expect((await changed(store, shop, edit)).id).toBe(one.id);
      expect(await readable(store, shop)).toEqual(["one fact"]);
    });

    test("what is archived is not read, and restored as it was; restored beside its like, it is one", async () => {
      const store = await make();
      const { id } = await added(store, shop, wording("a fact"), 1);
      expect((await changed(store, shop, { kind: "archive", id }, 2)).state).toEqual({
        kind: "archived",
      });
      expect(await readable(store, shop)).toEqual([]);
      expect((await changed(store, shop, { kind: "restore", id }, 3)).state).toEqual({
        kind: "active",
      });
      await changed(store, shop, { kind: "archive", id }, 4);
      const twin = await added(store, shop, wording("A fact."), 5);
      expect((await changed(store, shop, { kind: "restore", id }, 6)).id).toBe(twin.id);
      expect(await readable(store, shop)).toEqual(["A fact."]);
    });

    test("merged ones are superseded by the one in their place", async () => {
      const store = await make();
      const ids: MemoryId[] = [];
      for (const text of ["one", "two"]) ids.push((await added(store, shop, wording(text))).id);
      const merge = { kind: "merge", ids, wording: wording("one and two") } as const;
      const merged = await changed(store, shop, merge);
      const all = await store.list(shop.id);
      expect(await readable(store, shop)).toEqual(["one and two"]);
      expect(all.filter(({ id }) => ids.includes(id)).map(({ state }) => state)).toEqual([
        { kind: "superseded", by: merged.id },
        { kind: "superseded", by: merged.id },
      ]);
      const [id = none] = ids;
      expect((await changed(store, shop, { kind: "archive", id })).state.kind).toBe("superseded");
    });

    test("all changes of a call or none", async () => {
      const store = await make();
      const broken = wording("broken", { importance: 101 });
      const changes = [wording("fine"), broken].map(
        (one) => ({ kind: "add", wording: one }) as const,
      );
      await expect((async () => store.apply(shop.id, changes, byModel(1)))()).rejects.toThrow();
      expect(await store.list(shop.id)).toEqual([]);
    });

    test("a use is counted, and is no news", async () => {
      const store = await make();
      const { id, ref } = await added(store, shop, wording("a fact"));
      const before = store.version();
      await store.used([id, none], 7);
      await store.used([id], 9);
      expect(await store.find(shop.id, ref)).toMatchObject({ uses: 2, usedAtMs: 9 });
      expect(store.version()).toBe(before);
    });

    test("each change makes another version", async () => {
      const store = await make();
      const versions = [store.version()];
      const seen = () => versions.push(store.version());
      const { id } = await added(store, shop, wording("a fact"));
      seen();
      await changed(store, shop, { kind: "archive", id });
      seen();
      await store.addNote({ project: shop.id, sessionId: null, text: "later", by: "user" }, 1);
      seen();
      await store.createWorkspace("both", 1);
      seen();
      await store.joinWorkspace(shop, "both", [], 1);
      seen();
      expect(new Set(versions).size).toBe(versions.length);
    });

    test("what is forgotten is gone with its former wordings", async () => {
      const store = await make();
      const { id } = await added(store, shop, wording("first"));
      await changed(store, shop, { kind: "edit", id, wording: { text: "second" } });
      const other = await added(store, shop, wording("another"));
      expect(await store.forget(shop.id, id)).toBe(true);
      expect(await store.forget(shop.id, id)).toBe(false);
      expect(await store.list(shop.id)).toEqual([other]);
    });

    test("Y1: a project that is forgotten leaves nothing", async () => {
      const store = await make();
      await added(store, shop, wording("a fact"));
      const kept = await added(store, till, wording("a fact"));
      await store.addNote({ project: shop.id, sessionId: null, text: "later", by: "user" }, 1);
      await store.createWorkspace("alone", 1);
      await store.joinWorkspace(shop, "alone", CATEGORIES, 1);
      await store.forgetProject(shop.id);
      expect(await store.list(shop.id)).toEqual([]);
      expect(await store.openNotes(shop.id, null)).toEqual([]);
      expect(await store.workspaces()).toEqual([]);
      expect(await store.list(till.id)).toEqual([kept]);
    });

    test("Y8: what a folder's sessions stored before the first commit is the project's from then on", async () => {
      const store = await make();
      const before = projectAt("new", null);
      const after = projectAt("new", "f00d");
      await store.enter(before, 1);
      await added(store, before, wording("a fact"));
      await added(store, before, wording("said twice"));
      await store.addNote({ project: before.id, sessionId: null, text: "later", by: "user" }, 1);
      await store.enter(after, 2);
      await added(store, after, wording("Said twice"));
      await store.enter(after, 3);
      expect(await readable(store, after)).toEqual(
        expect.arrayContaining(["a fact", "said twice"]),
      );
      expect(texts(await store.openNotes(after.id, null))).toEqual(["later"]);
      expect(await store.list(before.id)).toEqual([]);
      expect(await store.knownAt("/work/new")).toBe(after.id);
      expect(await store.knownAt("/work/elsewhere")).toBeNull();
    });
  });

  describe(`I29: projects in ${title}`, () => {
    test("no project reads, finds or changes another's", async () => {
      const store = await make();
      const memory = await added(store, shop, wording("secret of the shop"));
      expect(await readable(store, till)).toEqual([]);
      expect(await store.list(till.id)).toEqual([]);
      expect(await store.find(till.id, memory.ref)).toBeNull();
      const { id } = memory;
      const changes: MemoryChange[] = [
        { kind: "confirm", id, importance: 99 },
        { kind: "edit", id, wording: { text: "taken over" } },
        { kind: "archive", id },
        { kind: "restore", id },
        { kind: "merge", ids: [id], wording: wording("merged") },
      ];
      const outcomes = await store.apply(till.id, changes, byModel(99));
      expect(outcomes.map(({ kind }) => kind)).toEqual(changes.map(() => "missing"));
      expect(await store.forget(till.id, id)).toBe(false);
      expect(await store.list(till.id)).toEqual([]);
      expect(await store.list(shop.id)).toEqual([memory]);
    });

    test("I29, Y9: members of a workspace read what the others share, with the project named; no one else does", async () => {
      const store = await entered(await make(), projectAt("stranger"));
      await store.createWorkspace("team", 1);
      expect(await store.createWorkspace("team", 1)).toBe(false);
      expect(await store.joinWorkspace(shop, "nowhere", CATEGORIES, 1)).toBe(false);
      await store.joinWorkspace(shop, "team", ["NAMING"], 1);
      await store.joinWorkspace(till, "team", [], 1);
      await added(store, shop, wording("shared", { category: "NAMING" }));
      await added(store, shop, wording("own", { category: "CONSTRAINTS" }));
      await added(store, till, wording("not shared", { category: "NAMING" }));
      const read = await store.readable(till.id, 9);
      expect(read.map(({ text, sharedBy }) => [text, sharedBy])).toEqual([
        ["not shared", null],
        ["shared", "shop"],
      ]);
      expect((await store.readable(till.id, 1)).map(({ text }) => text)).toEqual(["not shared"]);
      expect((await readable(store, shop)).toSorted()).toEqual(["own", "shared"]);
      expect(await readable(store, projectAt("stranger"))).toEqual([]);
      expect(await store.findWorkspace(till.id)).toEqual({
        name: "team",
        members: [
          { ...shop, shares: ["NAMING"] },
          { ...till, shares: [] },
        ],
      });
      expect(await store.leaveWorkspace(till.id)).toBe("team");
      expect(await store.leaveWorkspace(till.id)).toBeNull();
      expect(await readable(store, till)).toEqual(["not shared"]);
    });

    test("a project is in one workspace at most, and an empty one is gone", async () => {
      const store = await make();
      await store.createWorkspace("first", 1);
      await store.createWorkspace("second", 1);
      await store.joinWorkspace(shop, "first", CATEGORIES, 1);
      await store.joinWorkspace(shop, "second", ["NAMING"], 1);
      expect((await store.workspaces()).map(({ name }) => name)).toEqual(["second"]);
      expect((await store.findWorkspace(shop.id))?.members).toEqual([
        { ...shop, shares: ["NAMING"] },
      ]);
    });

    test("a folder's place in a workspace is its project's after the first commit; a workspace without projects is gone", async () => {
      const store = await make();
      const [before, after] = [projectAt("new", null), projectAt("new", "f00d")];
      await store.enter(before, 1);
      await store.createWorkspace("team", 1);
      await store.joinWorkspace(before, "team", ["NAMING"], 1);
      await store.enter(after, 2);
      expect((await store.workspaces()).map(({ name }) => name)).toEqual(["team"]);
      expect((await store.findWorkspace(after.id))?.members).toEqual([
        { ...after, shares: ["NAMING"] },
      ]);
      const again = projectAt("new", null);
      await store.enter(again, 3);
      await store.createWorkspace("left", 3);
      await store.joinWorkspace(again, "left", CATEGORIES, 3);
      await store.enter(after, 4);
      expect((await store.workspaces()).map(({ name }) => name)).toEqual(["team"]);
    });

    test("whatever is written and shared, each reads its own and what is shared with it", async () => {
      const projects = ["a", "b", "c"].map((name) => projectAt(name));
      const step = fc.record({
        at: fc.integer({ min: 0, max: 2 }),
        category: fc.constantFrom(...CATEGORIES),
        text: fc.constantFrom("one", "two", "three", "four"),
      });
      const sharing = fc.array(fc.subarray([...CATEGORIES]), { minLength: 2, maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), sharing, async (steps, shares) => {
          const store = await entered(open(), ...projects);
          await store.createWorkspace("team", 1);
          for (const [at, shared] of shares.entries()) {
            await store.joinWorkspace(projects[at] ?? shop, "team", shared, 1);
          }
          for (const { at, category, text } of steps) {
            await added(store, projects[at] ?? shop, wording(`${text} of ${at}`, { category }));
          }
          for (const [at, project] of projects.entries()) {
            const expected = await expectedAt(store, projects, shares, at);
            const seen = (await store.readable(project.id, 999)).map(({ id }) => id);
            expect(seen.toSorted()).toEqual(expected.toSorted());
          }
        }),
        { numRuns: runs },
      );
    });
  });

  describe(`notes in ${title}`, () => {
    const note = (sessionId: SessionId | null, text: string) =>
      ({ project: shop.id, sessionId, text, by: "model" }) as const;
    const other = "ses_2" as SessionId;

    test("Y6: a session sees its own and the project's, until they are done", async () => {
      const store = await make();
      const own = await store.addNote(note(SES, "own"), 1);
      const shared = await store.addNote(note(null, "the project's"), 2);
      await store.addNote(note(other, "another's"), 3);
      expect(own.ref).toMatch(/^n:/);
      expect(await store.openNotes(shop.id, SES)).toEqual([own, shared]);
      expect(await store.openNotes(shop.id, null)).toEqual([shared]);
      expect(await store.openNotes(till.id, SES)).toEqual([]);
      expect(await store.finishNote(shop.id, SES, shared.ref, 9)).toEqual({
        ...shared,
        ...{ state: "done", doneAtMs: 9 },
      });
      expect(await store.finishNote(shop.id, SES, shared.ref, 9)).toBeNull();
      expect(await store.openNotes(shop.id, SES)).toEqual([own]);
    });

    test("I29: nobody ends a note of another session or project", async () => {
      const store = await make();
      const { ref } = await store.addNote(note(SES, "own"), 1);
      expect(await store.finishNote(shop.id, other, ref, 2)).toBeNull();
      expect(await store.finishNote(till.id, SES, ref, 2)).toBeNull();
      expect(await store.openNotes(shop.id, SES)).toHaveLength(1);
    });
  });
}

/** The first two projects are members. */
async function expectedAt(
  store: SuiteStore,
  projects: readonly Project[],
  shares: readonly (readonly string[])[],
  at: number,
): Promise<readonly MemoryId[]> {
  const ids: MemoryId[] = [];
  for (const [from, project] of projects.entries()) {
    const memories = await store.list(project.id);
    const isShared = (category: string) => at < 2 && (shares[from]?.includes(category) ?? false);
    ids.push(
      ...memories.flatMap(({ id, category }) => (from === at || isShared(category) ? [id] : [])),
    );
  }
  return ids;
}
