import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { MemoryId } from "../../../src/features/memory/record.ts";
import { deriveFormerId } from "../../../src/features/memory/sqlite-changes.ts";
import {
  type Item,
  readItem,
  type SharedMemory,
  type SharedNote,
} from "../../../src/features/team/item.ts";
import { type ItemRows, mergeAllItems, mergeStepwise } from "../../../src/features/team/merge.ts";
import type { ProjectId } from "../../../src/project/project.ts";

const shop = "commit:shop" as ProjectId;

function memory(id: string, given: Partial<SharedMemory> = {}): SharedMemory {
  return {
    ...{ kind: "memory", id: id as MemoryId, project: shop, member: "ann", by: "user" },
    source: "user",
    ...{ category: "ARCHITECTURE", text: `fact ${id}`, importance: 50, permanence: "ordinary" },
    ...{ state: { kind: "active" }, writtenAtMs: 1, changedAtMs: 1, checkedAtMs: 1 },
    usedAtMs: null,
    ...given,
  };
}

function note(id: string, doneAtMs: number | null): SharedNote {
  const said = { text: `note ${id}`, by: "user", writtenAtMs: 1 } as const;
  return { kind: "note", id, project: shop, member: "ann", ...said, doneAtMs };
}

const gone = (id: string): Item => ({ kind: "gone", id, project: shop, member: "ann" });
const by = (id: string) => ({ kind: "superseded", by: id as MemoryId }) as const;
const findState = (items: ItemRows, id: string) => {
  const item = items.get(id);
  return item?.kind === "memory" ? item.state : item?.kind;
};

function merged(one: readonly Item[], other: readonly Item[]): ItemRows {
  return mergeAllItems(mergeAllItems(new Map(), one), other);
}

/** Both ways round: the outcome must be the same. */
function both(one: readonly Item[], other: readonly Item[]): ItemRows {
  const there = merged(one, other);
  expect(sorted(merged(other, one))).toEqual(sorted(there));
  return there;
}

function sorted(items: ItemRows): readonly Item[] {
  return [...items.values()].toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

describe("what two members wrote apart", () => {
  test("the newer edit wins; the other is kept as a former wording, with its author", () => {
    const mine = memory("a", { text: "Port 1.", changedAtMs: 5, member: "ann" });
    const theirs = memory("a", { text: "Port 2.", changedAtMs: 6, member: "bob" });
    const items = both([mine], [theirs]);
    expect(items.get("a")).toEqual(theirs);
    const id = deriveFormerId("a", "Port 1.");
    expect(items.get(id)).toEqual({ ...mine, id, state: by("a") });
    expect(items.size).toBe(2);
  });

  test("edits at the same time: every machine takes the same one, and loses neither", () => {
    const mine = memory("a", { text: "one", member: "ann" });
    const theirs = memory("a", { text: "two", member: "bob" });
    const items = both([mine], [theirs]);
    expect(sorted(items).flatMap((item) => ("text" in item ? [item.text] : []))).toEqual(
      expect.arrayContaining(["one", "two"]),
    );
  });

  test("a candidate that one of them has confirmed is known to both, and one that was put away is gone", () => {
    const found = { source: "tool", by: "historian" } as const;
    const candidate = memory("a", { ...found, state: { kind: "candidate" } });
    for (const kind of ["active", "archived"] as const) {
      const decided = { ...candidate, state: { kind }, changedAtMs: 2 };
      expect(both([candidate], [decided]).get("a")).toEqual(decided);
    }
    expect(both([candidate], [candidate]).get("a")).toEqual(candidate);
  });

  test("what an earlier version has sent rests on its author's words, and a model's is less important", () => {
    const { source: _, ...earlier } = memory("a", { importance: 90 });
    expect(readItem(earlier)).toMatchObject({ source: "user", importance: 90 });
    expect(readItem({ ...earlier, by: "model" })).toMatchObject({
      ...{ source: "session", importance: 60, state: { kind: "active" } },
    });
  });

  test("what an earlier version's historian took for a fact is a candidate, and a former wording stays one", () => {
    const { source: _, ...found } = memory("a", { by: "historian" });
    expect(readItem(found)).toMatchObject({ state: { kind: "candidate" } });
    const former = { ...found, state: { kind: "superseded", by: "b" } };
    expect(readItem(former)).toMatchObject({ state: { kind: "superseded" } });
    expect(readItem({ ...found, source: "prompt" })).toMatchObject({ state: { kind: "active" } });
  });

  test("of the same words a person's stand for a model's", () => {
    const models = memory("a", { source: "session", by: "model", importance: 60 });
    const own = memory("b", { text: models.text, writtenAtMs: 2, importance: 80 });
    expect(both([models], [own]).get("a")).toMatchObject({ source: "user", importance: 80 });
  });

  test("the same words by two members are one memory: the oldest, with the greater weight", () => {
    const mine = memory("b", { text: "Use pnpm.", writtenAtMs: 1, importance: 40 });
    const theirs = memory("a", {
      ...{ text: "use `pnpm`", writtenAtMs: 2, importance: 80, permanence: "permanent" },
    });
    const items = both([mine], [theirs]);
    expect(items.get("b")).toEqual({ ...mine, importance: 80, permanence: "permanent" });
    expect(findState(items, "a")).toEqual(by("b"));
  });

  test("archived here, edited there: the newer of both, and the words of both", () => {
    const mine = memory("a", { text: "old", state: { kind: "archived" }, changedAtMs: 9 });
    const theirs = memory("a", { text: "new", changedAtMs: 8 });
    const items = both([mine], [theirs]);
    expect(findState(items, "a")).toEqual({ kind: "archived" });
    expect(items.get(deriveFormerId("a", "new"))).toBeDefined();
  });

  test("what is found true or used counts whoever wrote last", () => {
    const mine = memory("a", { text: "x", changedAtMs: 9, checkedAtMs: 9, usedAtMs: 3 });
    const theirs = memory("a", { text: "x", changedAtMs: 1, checkedAtMs: 12, usedAtMs: 30 });
    const items = both([mine], [theirs]);
    expect(items.get("a")).toEqual({ ...mine, checkedAtMs: 12, usedAtMs: 30 });
  });

  test("what is deleted for good stays so, with its former wordings, whatever is edited elsewhere", () => {
    const edited = memory("a", { text: "secret, edited", changedAtMs: 99 });
    const former = { ...memory("a"), id: deriveFormerId("a", "fact a"), state: by("a") };
    const items = both([edited, former], [gone("a")]);
    expect(findState(items, "a")).toBe("gone");
    expect(findState(items, former.id)).toBe("gone");
  });

  test("what a member merged into a memory that another deleted is back", () => {
    const items = both(
      [memory("a"), memory("b", { state: by("a"), changedAtMs: 5 })],
      [gone("a"), memory("b")],
    );
    expect(findState(items, "a")).toBe("gone");
    expect(findState(items, "b")).toEqual({ kind: "active" });
  });

  test("two memories merged into each other: the oldest stands", () => {
    const items = both(
      [memory("a"), memory("b", { state: by("a"), changedAtMs: 5 })],
      [memory("a", { state: by("b"), changedAtMs: 6 }), memory("b")],
    );
    expect(findState(items, "a")).toEqual({ kind: "active" });
    expect(findState(items, "b")).toEqual(by("a"));
  });

  test("a note that one has finished is done; the first to finish it did", () => {
    expect(both([note("n", null)], [note("n", 7)]).get("n")).toEqual(note("n", 7));
    expect(both([note("n", 9)], [note("n", 7)]).get("n")).toEqual(note("n", 7));
    expect(both([note("n", 9)], [gone("n")]).get("n")).toEqual(gone("n"));
  });
});

test("it asks for the rows that the outcome depends on, and for each once", () => {
  const there = new Map<string, Item>(
    [
      memory("same", { text: "fact new", writtenAtMs: 0 }),
      memory("old"),
      memory("x", { state: by("old") }),
      memory("unrelated"),
    ].map((item) => [item.id, item]),
  );
  const steps = mergeStepwise([memory("new"), gone("old")]);
  const asked: string[] = [];
  let step = steps.next();
  while (!step.done) {
    const { ids, digests, successors } = step.value;
    asked.push(...ids, ...successors.map((id) => `under ${id}`));
    step = steps.next(
      [...there.values()].filter(
        (item) =>
          ids.includes(item.id) ||
          (item.id === "same" && digests.length > 0) ||
          (item.kind === "memory" &&
            item.state.kind === "superseded" &&
            successors.includes(item.state.by)),
      ),
    );
  }
  expect(new Set(asked).size).toBe(asked.length);
  expect(step.value.known.has("unrelated")).toBe(false);
  expect(findState(step.value.merged, "new")).toEqual(by("same"));
  expect(findState(step.value.merged, "x")).toEqual({ kind: "active" });
});

const anItem = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        id: fc.constantFrom("a", "b", "c", "d"),
        text: fc.constantFrom("one", "two", "three", "four"),
        changedAtMs: fc.integer({ min: 1, max: 4 }),
        importance: fc.integer({ min: 0, max: 3 }),
        member: fc.constantFrom("ann", "bob"),
        state: fc.constantFrom(
          ...([{ kind: "active" }, { kind: "archived" }, by("a"), by("b"), by("d")] as const),
        ),
      })
      .map(({ id, ...given }) => memory(id, given)),
  },
  { weight: 1, arbitrary: fc.constantFrom("a", "b", "c").map(gone) },
);

const items = fc.array(anItem, { maxLength: 8 });

describe("of any two copies", () => {
  test("merging again changes nothing, and copies that have met agree, whoever came first", () => {
    fc.assert(
      fc.property(items, items, (one, other) => {
        const [here, there] = [merged(one, other), merged(other, one)];
        expect(sorted(mergeAllItems(here, other))).toEqual(sorted(here));
        expect(sorted(mergeAllItems(here, here.values()))).toEqual(sorted(here));
        expect(sorted(mergeAllItems(here, there.values()))).toEqual(
          sorted(mergeAllItems(there, here.values())),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("copies that meet in any order on a server end the same", () => {
    fc.assert(
      fc.property(fc.array(items, { minLength: 2, maxLength: 4 }), (copies) => {
        const meet = (parts: readonly (readonly Item[])[]) => {
          let server: ItemRows = new Map();
          for (const part of parts)
            server = mergeAllItems(server, mergeAllItems(new Map(), part).values());
          return server;
        };
        const here = meet(copies);
        const there = meet(copies.toReversed());
        // Whatever each server saw first, they agree once they have met.
        expect(sorted(mergeAllItems(here, there.values()))).toEqual(
          sorted(mergeAllItems(there, here.values())),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("no words are lost but those that are deleted; of active ones no two say the same", () => {
    fc.assert(
      fc.property(items, items, (one, other) => {
        const items = merged(one, other);
        const deleted = new Set(
          [...one, ...other].flatMap((item) => (item.kind === "gone" ? [item.id] : [])),
        );
        const texts = new Set(
          [...items.values()].flatMap((item) => (item.kind === "memory" ? [item.text] : [])),
        );
        for (const item of [...one, ...other]) {
          if (item.kind === "memory" && !deleted.has(item.id)) expect(texts).toContain(item.text);
        }
        const active = [...items.values()].flatMap((item) =>
          item.kind === "memory" && item.state.kind === "active" ? [item.text] : [],
        );
        expect(new Set(active).size).toBe(active.length);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what is read of another machine's", () => {
  test("is what was written", () => {
    for (const item of [
      memory("a"),
      memory("b", { state: by("a"), usedAtMs: 3 }),
      note("n", 4),
      note("m", null),
      { ...note("long", null), text: "x".repeat(20_000) },
      gone("x"),
    ]) {
      expect(readItem(JSON.parse(JSON.stringify(item)))).toEqual(item);
    }
  });

  test("is without what this version doesn't know", () => {
    const newer = { ...memory("a"), permanence: "for a year", usedAtMs: "today", colour: "red" };
    expect(readItem(newer)).toEqual(memory("a"));
    expect(readItem({ ...note("n", null), doneAtMs: "yes" })).toEqual(note("n", null));
  });

  test("is nothing where this version can't read it", () => {
    const wrong: readonly unknown[] = [
      ...[
        null,
        7,
        {},
        { ...gone("a"), id: "" },
        { ...gone("a"), project: 3 },
        { ...gone("a"), member: 3 },
      ],
      ...[
        { ...note("n", 1), text: "" },
        { ...note("n", 1), text: "x".repeat(20_001) },
        { ...note("n", 1), by: "nobody" },
        { ...note("n", 1), kind: "song" },
      ],
      ...["category", "importance", "state", "changedAtMs", "checkedAtMs", "writtenAtMs", "text"]
        .map((key) => ({
          ...memory("a"),
          [key]: "?!",
        }))
        .map((item) => (item.text === "?!" ? { ...item, text: 5 } : item)),
      { ...memory("a"), importance: 101 },
      { ...memory("a"), state: { kind: "superseded" } },
      { ...memory("a"), state: "active" },
    ];
    expect(wrong.map(readItem)).toEqual(wrong.map(() => null));
  });
});
