import { expect, test } from "bun:test";
import { VectorCopy } from "../../../src/features/search/search-semantic.ts";
import { VectorStore } from "../../../src/features/search/vector-store.ts";
import { prepareTables } from "../../../src/search-index/schema.ts";
import { IndexStore } from "../../../src/search-index/store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { ProjectId } from "../../../src/storage/records.ts";

const PROJECT = "project" as ProjectId;

const MODEL = "ideas-1";

function stage() {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  const index = new IndexStore(driver);
  const store = new VectorStore(index);
  const listed: { readonly key: string; readonly digest: string }[] = [];
  let [reads, pauses] = [0, 0];
  const file = {
    use: <T>(work: (one: IndexStore) => T): T => {
      reads += 1;
      return work(index);
    },
  };
  const copy = new VectorCopy(file, async () => {
    pauses += 1;
  });
  const give = (vector: Float32Array<ArrayBuffer> | null) => {
    const due = store.listDue(PROJECT, "memory").toReversed();
    store.add(
      extent(),
      MODEL,
      due.map((passage) => ({ passage, vector })),
    );
  };
  const extent = () => store.enter(PROJECT, "/work", MODEL);
  return {
    ...{ store, copy, extent, pauses: () => pauses },
    add(...keys: readonly string[]) {
      listed.unshift(...keys.toReversed().map((key) => ({ key, digest: key })));
      store.keep(PROJECT, "memory", listed);
      give(Float32Array.of(1, 0));
    },
    refused(key: string) {
      store.keep(PROJECT, "memory", [{ key, digest: key }, ...listed]);
      give(null);
    },
    remove(key: string) {
      listed.splice(
        listed.findIndex((one) => one.key === key),
        1,
      );
      store.keep(PROJECT, "memory", listed);
    },
    /** The keys that it has, and how often it has read for them. */
    async read(at = extent()) {
      reads = 0;
      const keys = (await copy.readBlocks(at)).flatMap(({ items }) =>
        items.map((one) => store.findItem(one)?.key),
      );
      return { keys, reads };
    },
  };
}

test("only what has come since is read again", async () => {
  const { add, read } = stage();
  add("a", "b");
  expect(await read()).toEqual({ keys: ["a", "b"], reads: 1 });
  expect(await read()).toEqual({ keys: ["a", "b"], reads: 0 });
  add("c");
  expect(await read()).toEqual({ keys: ["a", "b", "c"], reads: 1 });
});

test("thousands are read in pieces, with a pause after each", async () => {
  const { add, read, pauses } = stage();
  add(...Array.from({ length: 4_100 }, (_, at) => `${at}`));
  const { keys, reads } = await read();
  expect([new Set(keys).size, reads, pauses()]).toEqual([4_100, 3, 3]);
});

test("all is read again after a removal, in a file that was begun again, and once it was released", async () => {
  const { remove, copy, add, extent, read } = stage();
  add("a", "b");
  await read();
  remove("a");
  expect(await read()).toEqual({ keys: ["b"], reads: 1 });
  add("c");
  await read();
  const shorter = { ...extent(), last: extent().last - 1 };
  expect((await read(shorter)).reads).toBe(1);
  await read();
  copy.release();
  expect(await read()).toEqual({ keys: ["b", "c"], reads: 1 });
});

test("each project and each length has a copy of its own", async () => {
  const { store, add, extent, read } = stage();
  add("a");
  await read();
  const other = store.enter("other" as ProjectId, "/elsewhere", MODEL);
  expect((await read({ ...other, last: extent().last })).keys).toEqual([]);
  await read();
  expect((await read({ ...extent(), dimensions: 3 })).keys).toEqual([]);
});

test("a text that was refused leaves nothing in it, and ends no reading", async () => {
  const { add, refused, read } = stage();
  add("a");
  refused("refused");
  expect(await read()).toEqual({ keys: ["a"], reads: 1 });
  expect((await read()).reads).toBe(0);
});
