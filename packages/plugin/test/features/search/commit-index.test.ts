import { expect, test } from "bun:test";
import { CommitIndex } from "../../../src/features/search/commit-index.ts";
import type { Commit } from "../../../src/features/search/commit-log.ts";
import { parseTerms } from "../../../src/features/search/query-words.ts";
import {
  HISTORY_RANGE,
  PASSAGES_PER_COLLECTION,
  toProjectScope,
} from "../../../src/search-index/collection.ts";
import { prepareTables } from "../../../src/search-index/schema.ts";
import { IndexStore } from "../../../src/search-index/store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { ProjectId, SessionId } from "../../../src/storage/records.ts";

const KEY = "shop" as ProjectId;
const OTHER = "other" as ProjectId;
const FOLDER = "/work/shop";
const [FIRST, SECOND] = ["1a".repeat(20), "2b".repeat(20)];

function emptyIndex(): CommitIndex {
  const driver = openBunDriver(":memory:");
  expect(prepareTables(driver)).toBe(true);
  const index = new CommitIndex(new IndexStore(driver));
  index.begin(KEY, FOLDER, NOTHING);
  return index;
}

const CUT = "0123456789abcdef";
const NOTHING = { whole: null, goal: null, cut: null };

/** As an update up to there. */
function reach(index: CommitIndex, project: ProjectId, directory: string, goal: string): void {
  index.begin(project, directory, at(null, goal));
  index.finish(project, directory, at(null, goal));
}

const at = (whole: string | null, goal: string | null = null, cut: string | null = null) => ({
  ...{ whole, goal, cut },
});

function commit(hash: string, more: Partial<Commit> = {}): Commit {
  return { hash, author: "Ann", madeAtMs: 0, subject: hash, body: "", files: [], ...more };
}

function filled(...commits: readonly Commit[]): CommitIndex {
  const index = emptyIndex();
  index.add(KEY, commits);
  return index;
}

const found = (index: CommitIndex, query: string, key = KEY) =>
  index.search(key, parseTerms(query)).map(({ hash }) => hash);

test("a commit is kept whole, and has its ref", () => {
  const whole = commit("abc", { madeAtMs: 7, body: "One.\nTwo.", files: ["a b.ts", "c.ts"] });
  const index = filled(whole, commit("def"));
  const kept = index.findByHash(KEY, "abc");
  expect(kept).toMatchObject(whole);
  expect(kept && index.findByRef(KEY, kept.ref)).toEqual(kept);
  expect(index.findByHash(KEY, "def")?.files).toEqual([]);
  expect(index.findByHash(KEY, "none")).toBeNull();
});

test("each folder's reach is where its last update ended, and what one under way is at", () => {
  const index = emptyIndex();
  expect([index.readExtents(KEY), index.readExtents(OTHER)]).toEqual([new Map(), new Map()]);
  reach(index, KEY, FOLDER, FIRST);
  reach(index, KEY, FOLDER, SECOND);
  reach(index, KEY, "/work/aside", FIRST);
  const aside = ["/work/aside", at(FIRST)] as const;
  expect(index.readExtents(KEY)).toEqual(new Map([[FOLDER, at(SECOND)], aside]));
  index.begin(KEY, FOLDER, at(SECOND, FIRST));
  expect(index.readExtents(KEY)).toEqual(new Map([[FOLDER, at(SECOND, FIRST)], aside]));
  index.begin(KEY, FOLDER, at(null, FIRST));
  expect(index.readExtents(KEY)).toEqual(new Map([[FOLDER, at(null, FIRST)], aside]));
  // Of an update before the one that is under way.
  index.finish(KEY, FOLDER, at(null, SECOND));
  expect(index.readExtents(KEY)).toEqual(new Map([[FOLDER, at(null, FIRST)], aside]));
  index.finish(KEY, "/work/other", at(null, SECOND));
  expect(index.readExtents(KEY).has("/work/other")).toBe(false);
  index.begin(KEY, FOLDER, at(null, FIRST, CUT));
  index.finish(KEY, FOLDER, at(null, FIRST));
  expect(index.readExtents(KEY).get(FOLDER)).toEqual(at(null, FIRST, CUT));
  index.finish(KEY, FOLDER, at(null, FIRST, CUT));
  expect(index.readExtents(KEY).get(FOLDER)).toEqual(at(FIRST, null, CUT));
});

test("a reach that no folder is known of, or that is no hash, counts as none", () => {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  const store = new IndexStore(driver);
  const bad = ["--output=x", "", ">", `${FIRST}>`, `${FIRST}>x`, `${FIRST}>${SECOND} `];
  const entries = [...bad, 7].map((value) => JSON.stringify({ [FOLDER]: value }));
  for (const kept of [FIRST, "[]", ...entries]) {
    store.setHead(toProjectScope(KEY, "commit"), kept);
    expect(new CommitIndex(store).readExtents(KEY)).toEqual(new Map());
  }
});

test("nothing goes once a folder needs other commits than when it was looked at", () => {
  const index = filled(commit("abc"), commit("def"));
  const before = index.readExtents(KEY);
  expect(index.remove(KEY, ["abc"], before)).toBe(true);
  index.begin(KEY, "/work/aside", at(null, FIRST));
  expect(index.remove(KEY, ["def"], before)).toBe(false);
  expect(index.listHashes(KEY)).toEqual(["def"]);
  expect(index.remove(KEY, ["def"], index.readExtents(KEY))).toBe(true);
  expect(index.listHashes(KEY)).toEqual([]);
});

test("of two repositories each has its own commits", () => {
  const index = filled(commit("abc", { subject: "A heron" }));
  reach(index, OTHER, FOLDER, SECOND);
  index.add(OTHER, [commit("def", { subject: "Another heron" })]);
  expect(index.listHashes(KEY)).toEqual(["abc"]);
  expect(found(index, "heron", OTHER)).toEqual(["def"]);
  expect(index.findByHash(OTHER, "abc")).toBeNull();
  index.remove(OTHER, ["abc"], index.readExtents(OTHER));
  expect(index.listHashes(KEY)).toEqual(["abc"]);
});

test("one that is added twice is there once, as it was", () => {
  const index = filled(commit("abc", { subject: "A heron" }));
  index.add(KEY, [commit("abc", { subject: "A kestrel" })]);
  expect(index.listHashes(KEY)).toEqual(["abc"]);
  expect([found(index, "heron"), found(index, "kestrel")]).toEqual([["abc"], []]);
});

test("what is removed is found by no word any more; what isn't there is left out", () => {
  const index = filled(commit("abc", { subject: "A heron" }), commit("def", { subject: "Heron" }));
  index.remove(KEY, ["none", "abc"], index.readExtents(KEY));
  expect(index.listHashes(KEY)).toEqual(["def"]);
  expect(found(index, "heron")).toEqual(["def"]);
});

test("five at most are found, those with the word in their subject first, then the newest", () => {
  const bodies = [1, 2, 3, 4, 5].map((madeAtMs) =>
    commit(`body${madeAtMs}`, { madeAtMs, subject: "Move it", body: "A heron." }),
  );
  const index = filled(...bodies, commit("subject", { subject: "A heron" }));
  expect(found(index, "heron")).toEqual(["subject", "body5", "body4", "body3", "body2"]);
});

test("all words are looked for, and of three or more all but one where nothing has all", () => {
  const index = filled(
    commit("both", { subject: "heron kestrel" }),
    commit("one", { subject: "heron" }),
  );
  expect(found(index, "heron kestrel")).toEqual(["both"]);
  expect(found(index, "heron owl")).toEqual([]);
  expect(found(index, "heron kestrel owl")).toEqual(["both"]);
  expect(found(index, "heron finch owl")).toEqual([]);
});

test("a subject counts more than a path, and a path more than a body", () => {
  const index = filled(
    commit("body", { madeAtMs: 3, subject: "Move it now", body: "A heron" }),
    commit("path", { madeAtMs: 2, subject: "Move it now", files: ["heron"] }),
    commit("subject", { madeAtMs: 1, subject: "A heron moved it" }),
    ...Array.from({ length: 9 }, (_, at) => commit(`other${at}`, { subject: "A kestrel moved" })),
  );
  expect(found(index, "heron")).toEqual(["subject", "path", "body"]);
});

test("commits are in no session and in none of the project's histories", () => {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  new CommitIndex(new IndexStore(driver)).add(KEY, [commit("abc")]);
  const store = new IndexStore(driver);
  expect(store.listSessionIds()).toEqual([]);
  const range = store.findRange({ sessionId: "ses" as SessionId, project: KEY }, "project");
  expect(range && store.count(range)).toEqual({ parts: 0, passages: 0 });
  expect(store.count(HISTORY_RANGE).parts).toBe(0);
});

test("where there is no room for one, all are gone, and it begins again", () => {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  const index = new CommitIndex(new IndexStore(driver));
  expect(index.add(KEY, [commit("abc")])).toBe(true);
  reach(index, KEY, FOLDER, FIRST);
  driver.run("UPDATE collection SET next_passage = next_passage + ?", PASSAGES_PER_COLLECTION - 2);
  expect(index.add(KEY, [commit("def"), commit("ghi")])).toBe(false);
  expect([index.listHashes(KEY), index.readExtents(KEY)]).toEqual([[], new Map()]);
  expect(index.add(KEY, [commit("def")])).toBe(true);
  expect(found(index, "def")).toEqual(["def"]);
});
