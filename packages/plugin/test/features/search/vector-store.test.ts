import { describe, expect, test } from "bun:test";
import { VectorStore } from "../../../src/features/search/vector-store.ts";
import { prepareTables } from "../../../src/search-index/schema.ts";
import { IndexStore } from "../../../src/search-index/store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { ProjectId, SessionId } from "../../../src/storage/records.ts";

const PROJECT = "project" as ProjectId;
const OTHER = "other" as ProjectId;

const MODEL = "ideas-1";
const SES = "ses_1" as SessionId;

function stored() {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  const index = new IndexStore(driver);
  const store = new VectorStore(index);
  const extent = () => store.enter(PROJECT, "/work", MODEL);
  const listed: { key: string; digest: string }[] = [];
  /** One more memory, with its vector. */
  const add = (key: string, numbers: readonly number[] | null, digest = key) => {
    if (!listed.some((one) => one.key === key)) listed.unshift({ key, digest });
    for (const one of listed) if (one.key === key) one.digest = digest;
    store.keep(PROJECT, "memory", listed);
    const [passage] = store.listDue(PROJECT, "memory").filter((one) => keyAt(one) === key);
    if (passage === undefined) throw new Error(`${key} has a vector`);
    const vector = numbers && Float32Array.from(numbers);
    return store.add(extent(), MODEL, [{ passage, vector }]);
  };
  const keyAt = (passage: number) => store.findItem(passage)?.key;
  const due = () => store.listDue(PROJECT, "memory").map(keyAt);
  /** By session, as recall's indexer does it. */
  const say = (key: string, madeAtMs: number, texts: readonly string[]) =>
    index.put(
      { sessionId: SES, project: PROJECT },
      {
        record: { key, messageId: "msg", kind: "user", words: "user", madeAtMs },
        digest: key,
        passages: texts.map((text, at) => ({ line: at + 1, text })),
      },
    );
  return { driver, index, store, extent, listed, add, due, keyAt, say };
}

const vector = Float32Array.of(1, 0);

describe("a project's vectors", () => {
  test("have the length of the first; others and those of another model are not taken", () => {
    const { store, extent, add, due } = stored();
    expect(extent().dimensions).toBeNull();
    expect([add("refused", null), extent().dimensions]).toEqual([true, null]);
    expect([add("a", [1, 0]), extent().dimensions]).toEqual([true, 2]);
    expect([add("refused too", null), extent().dimensions]).toEqual([true, 2]);
    expect([add("b", [1, 0, 0]), extent().dimensions]).toEqual([false, 2]);
    const [passage = 0] = store.listDue(PROJECT, "memory");
    expect(store.add(extent(), "ideas-2", [{ passage, vector }])).toBe(false);
    expect(due()).toEqual(["b"]);
  });

  test("of each kind are those of its own texts", () => {
    const { store, extent, add, keyAt } = stored();
    add("a", [1, 0], "first");
    store.keep(PROJECT, "segment", [{ key: "a", digest: "other" }]);
    const [passage = 0] = store.listDue(PROJECT, "segment");
    expect(store.findItem(passage)).toEqual({ kind: "segment", key: "a" });
    expect(store.add(extent(), MODEL, [{ passage, vector }])).toBe(true);
    store.keep(PROJECT, "segment", []);
    const left = store.readBlock(extent(), 0, 9).block.items;
    expect(left.map((one) => store.findItem(one))).toEqual([{ kind: "memory", key: "a" }]);
    expect(keyAt(passage)).toBeUndefined();
  });

  test("one that is replaced or removed counts as a removal, one that is not there doesn't", () => {
    const { store, extent, listed, add, keyAt } = stored();
    add("a", [1, 0]);
    const { removals } = extent();
    store.keep(PROJECT, "memory", listed);
    expect(extent().removals).toBe(removals);
    add("a", [0, 1], "changed");
    expect(extent().removals).toBe(removals + 1);
    const { items, numbers } = store.readBlock(extent(), 0, 9).block;
    expect([items.map(keyAt), numbers]).toEqual([["a"], Float32Array.of(0, 1)]);
    store.keep(PROJECT, "memory", []);
    expect(extent()).toMatchObject({ removals: removals + 2, last: 0 });
  });

  test("are read on from an id, oldest first; a text that was refused has none", () => {
    const { store, extent, add, keyAt } = stored();
    add("a", [1, 0]);
    add("refused", null);
    add("b", [0, 1]);
    const { last } = extent();
    const first = store.readBlock(extent(), 0, 2);
    expect(first.block.items.map(keyAt)).toEqual(["a"]);
    expect([...first.block.numbers.slice(0, 2)]).toEqual([1, 0]);
    const next = store.readBlock(extent(), first.last ?? 0, 2);
    expect(next.block.items.map(keyAt)).toEqual(["b"]);
    expect(next.last).toBe(last);
    expect(store.readBlock(extent(), last, 2).last).toBeNull();
  });

  test("V4: another model empties them, the same model doesn't; other projects keep theirs", () => {
    const { store, extent, add } = stored();
    add("a", [1, 0]);
    const elsewhere = store.enter(OTHER, "/elsewhere", MODEL);
    store.keep(OTHER, "memory", [{ key: "c", digest: "c" }]);
    const [passage = 0] = store.listDue(OTHER, "memory");
    store.add(elsewhere, MODEL, [{ passage, vector }]);
    expect(store.readExtent(PROJECT, MODEL)).toEqual(extent());
    const { removals } = extent();
    const after = store.enter(PROJECT, "/work", "ideas-2");
    expect(after).toMatchObject({ dimensions: null, last: 0 });
    expect(after.removals).toBeGreaterThan(removals);
    expect(store.readExtent(PROJECT, MODEL)).toBeNull();
    expect(store.readExtent(OTHER, MODEL)).toMatchObject({ dimensions: 2 });
    expect(store.listDue(OTHER, "memory")).toEqual([]);
    expect(store.listDue(PROJECT, "memory")).toHaveLength(1);
  });

  test("go with what they are of, when it is undone or its session deleted", () => {
    const { index, store, extent, say } = stored();
    say("prt_1", 1, ["one", "two"]);
    say("prt_2", 2, ["three"]);
    const give = () => {
      const due = store.listDue(PROJECT, "said");
      store.add(
        extent(),
        MODEL,
        due.map((passage) => ({ passage, vector })),
      );
      return due.length;
    };
    expect([give(), give()]).toEqual([3, 0]);
    const { removals } = extent();
    index.remove(SES, "r", ["prt_1"]);
    expect(store.readBlock(extent(), 0, 9).block.items).toHaveLength(1);
    expect(extent().removals).toBe(removals + 2);
    index.removeSession(SES);
    expect(extent().last).toBe(0);
  });

  test("are not given to what has gone meanwhile, nor twice", () => {
    const { index, store, extent, say } = stored();
    say("prt_1", 1, ["one", "two"]);
    const [passage = 0, other = 0] = store.listDue(PROJECT, "said");
    store.add(extent(), MODEL, [{ passage, vector }]);
    store.add(extent(), MODEL, [{ passage, vector: null }]);
    expect(store.readBlock(extent(), 0, 9).block.items).toEqual([passage]);
    index.remove(SES, "r", ["prt_1"]);
    store.add(extent(), MODEL, [{ passage: other, vector }]);
    expect(extent().last).toBe(0);
  });

  test("of what people and the model said only the newest have one, and what is too old loses its own", () => {
    const { driver, index, store, extent, say } = stored();
    say("old", 1, ["one"]);
    const [old = 0] = store.listDue(PROJECT, "said");
    store.add(extent(), MODEL, [{ passage: old, vector }]);
    say("output", 2, ["two"]);
    driver.run("UPDATE document SET kind = 'output' WHERE key = 'output'");
    expect(store.listDue(PROJECT, "said")).toEqual([]);
    const many = Array.from({ length: 30_000 }, () => "text");
    index.put(
      { sessionId: SES, project: PROJECT },
      {
        record: { key: "new", messageId: "msg", kind: "assistant", words: "", madeAtMs: 3 },
        digest: "new",
        passages: many.map((text, at) => ({ line: at, text })),
      },
    );
    const due = store.listDue(PROJECT, "said");
    expect([due.length, due.includes(old), extent().last]).toEqual([30_000, false, 0]);
    expect(due[0]).toBeLessThan(due[1] ?? 0);
  });
});
