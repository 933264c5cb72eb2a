import { describe, expect, test } from "bun:test";
import { prepareTables } from "../../../src/index/schema.ts";
import { VectorStore } from "../../../src/rooms/vectors/vector-store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";

const MODEL = "ideas-1";

function stored() {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  const store = new VectorStore(driver);
  const extent = () => store.enter("project", "/work", MODEL);
  const add = (key: string, numbers: readonly number[] | null, digest = key) =>
    store.add(extent(), MODEL, [
      { kind: "memory", key, digest, vector: numbers && Float32Array.from(numbers) },
    ]);
  return { store, extent, add };
}

describe("a project's vectors", () => {
  test("have the length of the first; others and those of another model are not taken", () => {
    const { store, extent, add } = stored();
    expect(extent().dimensions).toBeNull();
    expect([add("refused", null), extent().dimensions]).toEqual([true, null]);
    expect([add("a", [1, 0]), extent().dimensions]).toEqual([true, 2]);
    expect([add("refused too", null), extent().dimensions]).toEqual([true, 2]);
    expect([add("b", [1, 0, 0]), extent().dimensions]).toEqual([false, 2]);
    const row = { kind: "memory", key: "c", digest: "c", vector: Float32Array.of(1, 0) };
    expect(store.add(extent(), "ideas-2", [row])).toBe(false);
    expect([...store.digests(extent().project, "memory").keys()].toSorted()).toEqual([
      ...["a", "refused", "refused too"],
    ]);
  });

  test("of one kind hold what each of them is of", () => {
    const { store, extent, add } = stored();
    add("a", [1, 0], "first");
    const other = { kind: "message", key: "a", digest: "other", vector: Float32Array.of(0, 1) };
    store.add(extent(), MODEL, [other]);
    expect([...store.digests(extent().project, "memory")]).toEqual([["a", "first"]]);
    expect([...store.digests(extent().project, "message")]).toEqual([["a", "other"]]);
  });

  test("one that is replaced or removed counts as a removal, one that is not there doesn't", () => {
    const { store, extent, add } = stored();
    add("a", [1, 0]);
    const { project, removals } = extent();
    store.remove(project, "memory", ["b"]);
    expect(extent().removals).toBe(removals);
    add("a", [0, 1], "changed");
    expect(extent().removals).toBe(removals + 1);
    expect(store.block(extent(), 0, 9).block).toEqual({
      items: [{ kind: "memory", key: "a" }],
      numbers: Float32Array.of(0, 1),
    });
    store.remove(project, "memory", ["a"]);
    expect(extent()).toMatchObject({ removals: removals + 2, last: 0 });
  });

  test("are read on from an id, oldest first; a text that was refused has none", () => {
    const { store, extent, add } = stored();
    add("a", [1, 0]);
    add("refused", null);
    add("b", [0, 1]);
    const { last } = extent();
    const first = store.block(extent(), 0, 2);
    expect(first.block.items).toEqual([{ kind: "memory", key: "a" }]);
    expect([...first.block.numbers.slice(0, 2)]).toEqual([1, 0]);
    const next = store.block(extent(), first.last ?? 0, 2);
    expect(next.block.items).toEqual([{ kind: "memory", key: "b" }]);
    expect(next.last).toBe(last);
    expect(store.block(extent(), last, 2).last).toBeNull();
  });

  test("V4: another model empties them, the same model doesn't; other projects keep theirs", () => {
    const { store, extent, add } = stored();
    add("a", [1, 0]);
    const elsewhere = store.enter("other", "/elsewhere", MODEL);
    const row = { kind: "memory", key: "c", digest: "c", vector: Float32Array.of(1, 0) };
    store.add(elsewhere, MODEL, [row]);
    expect(store.extent("project", MODEL)).toEqual(extent());
    const { removals } = extent();
    const after = store.enter("project", "/work", "ideas-2");
    expect(after).toMatchObject({ dimensions: null, last: 0, removals: removals + 1 });
    expect(store.extent("project", MODEL)).toBeNull();
    expect(store.extent("other", MODEL)).toMatchObject({ dimensions: 2 });
    expect(store.digests(elsewhere.project, "memory").size).toBe(1);
  });
});
