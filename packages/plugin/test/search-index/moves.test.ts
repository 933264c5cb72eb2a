import { expect, test } from "bun:test";
import { type CollectionScope, toProjectScope } from "../../src/search-index/collection.ts";
import { adoptDocuments, removeMovedSession } from "../../src/search-index/file.ts";
import { prepareTables } from "../../src/search-index/schema.ts";
import { IndexStore } from "../../src/search-index/store.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import type { ProjectId, SessionId } from "../../src/storage/records.ts";

const FOLDER = "folder:/work" as ProjectId;
const SHOP = "commit:c0ffee" as ProjectId;

function emptyStore(): IndexStore {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  return new IndexStore(driver);
}

const inSession = (session: string, project: ProjectId): CollectionScope => ({
  sessionId: session as SessionId,
  project,
});

function put(
  store: IndexStore,
  scope: CollectionScope,
  key: string,
  kind: "user" | "commit" = "user",
): void {
  const record = { key, messageId: "", kind, words: "heron", madeAtMs: 1 };
  store.put(scope, { record, digest: key, passages: [{ line: 1, text: "heron" }] });
}

const findKeys = (store: IndexStore, project: ProjectId) =>
  store
    .findMatching("heron", store.findRange(inSession("", project), "project"), 9)
    .map(({ key }) => key)
    .toSorted();

const listCommitKeys = (store: IndexStore, project: ProjectId) => [
  ...store.readDigests(toProjectScope(project, "commit").sessionId).keys(),
];

test("what stands by a former name of a project is its own, with its commits and up to where they go", () => {
  const store = emptyStore();
  put(store, inSession("one", FOLDER), "a");
  put(store, toProjectScope(FOLDER, "commit"), "abc", "commit");
  store.setHead(toProjectScope(FOLDER, "commit"), "abc");
  put(store, inSession("other", "commit:other" as ProjectId), "x");
  adoptDocuments(store, SHOP, ["the host's", FOLDER]);
  expect([findKeys(store, SHOP), findKeys(store, FOLDER)]).toEqual([["a"], []]);
  expect([listCommitKeys(store, SHOP), listCommitKeys(store, FOLDER)]).toEqual([["abc"], []]);
  expect(store.readHead(toProjectScope(SHOP, "commit").sessionId)).toBe("abc");
  put(store, inSession("two", SHOP), "b");
  put(store, toProjectScope(SHOP, "commit"), "def", "commit");
  expect([findKeys(store, SHOP), listCommitKeys(store, SHOP)]).toEqual([
    ["a", "b"],
    ["abc", "def"],
  ]);
  expect(findKeys(store, "commit:other" as ProjectId)).toEqual(["x"]);
});

test("of a second name its commits go, to be read again, and each of its sessions comes over when it is at work", () => {
  const store = emptyStore();
  const tree = "/tree" as ProjectId;
  put(store, inSession("one", FOLDER), "a");
  put(store, inSession("two", tree), "b");
  put(store, toProjectScope(tree, "commit"), "abc", "commit");
  adoptDocuments(store, SHOP, [FOLDER, tree]);
  expect([findKeys(store, SHOP), findKeys(store, tree)]).toEqual([["a"], ["b"]]);
  expect([listCommitKeys(store, SHOP), listCommitKeys(store, tree)]).toEqual([[], []]);
  expect(removeMovedSession(store, inSession("one", SHOP))).toBe(false);
  expect(removeMovedSession(store, inSession("new", SHOP))).toBe(false);
  expect(removeMovedSession(store, inSession("two", SHOP))).toBe(true);
  expect(store.listDocuments("two" as SessionId)).toEqual([]);
  put(store, inSession("two", SHOP), "b");
  expect(findKeys(store, SHOP)).toEqual(["a", "b"]);
  expect(removeMovedSession(store, inSession("two", SHOP))).toBe(false);
  expect(removeMovedSession(store, inSession("two", "commit:new" as ProjectId))).toBe(true);
});
