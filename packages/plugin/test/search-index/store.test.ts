import { expect, test } from "bun:test";
import { deriveRef } from "../../src/ledger/ref.ts";
import { PASSAGES_PER_COLLECTION } from "../../src/search-index/collection.ts";
import type { DocumentKind } from "../../src/search-index/columns.ts";
import type { NewDocument } from "../../src/search-index/document.ts";
import { prepareTables } from "../../src/search-index/schema.ts";
import { IndexStore } from "../../src/search-index/store.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import type { ProjectId, SessionId } from "../../src/storage/records.ts";

const scope = (session: string, project = "shop") => ({
  sessionId: session as SessionId,
  project: project as ProjectId,
});

function emptyStore(): IndexStore {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  return new IndexStore(driver);
}

interface LooseDocument {
  readonly kind?: DocumentKind;
  readonly madeAtMs?: number;
  readonly texts?: readonly string[];
}

function newPart(
  key: string,
  { kind = "user", madeAtMs = 0, texts = ["text"] }: LooseDocument = {},
): NewDocument {
  return {
    record: { key, messageId: `msg of ${key}`, kind, words: `words of ${key}`, madeAtMs },
    digest: `digest of ${key}`,
    passages: texts.map((text, at) => ({ line: at + 1, text })),
  };
}

function indexed(store: IndexStore, of: ReturnType<typeof scope>, part: NewDocument): number {
  const id = store.openDocument(of, part);
  if (id === null) throw new Error("There is room for it.");
  store.write(id, part, 0, part.passages.length);
  return id;
}

test("a part is indexed once its last passage is in, and its passages are read back", () => {
  const store = emptyStore();
  const part = newPart("a", { kind: "assistant", madeAtMs: 7, texts: ["one", "two", "three"] });
  const id = store.openDocument(scope("ses"), part) ?? 0;
  store.write(id, part, 0, 2);
  expect(store.readDigests("ses" as SessionId).size).toBe(0);
  store.write(id, part, 2, 4);
  expect([...store.readDigests("ses" as SessionId)]).toEqual([["a", "digest of a"]]);
  const [kept] = store.listDocuments("ses" as SessionId);
  expect(kept).toEqual({
    ...{ id, ref: deriveRef("r", "a"), sessionId: "ses" as SessionId, key: "a" },
    ...{ messageId: "msg of a", kind: "assistant", words: "words of a", madeAtMs: 7, passages: 3 },
  });
  const texts = (from: number, count: number) =>
    kept && store.readPassages(kept, from, count).map(({ line, text }) => `${line} ${text}`);
  expect(texts(0, 3)).toEqual(["1 one", "2 two", "3 three"]);
  expect(texts(1, 1)).toEqual(["2 two"]);
  expect(texts(2, 9)).toEqual(["3 three"]);
});

test("a session's messages are those of its documents; of one that has none nothing is known", () => {
  const store = emptyStore();
  for (const key of ["a", "b"]) indexed(store, scope("ses"), newPart(key));
  indexed(store, scope("other"), newPart("c"));
  expect(store.listMessageIds("ses" as SessionId)).toEqual(new Set(["msg of a", "msg of b"]));
  expect(store.listMessageIds("unknown" as SessionId)).toBeNull();
});

test("a passage is found again by its id, and an id beyond the last one names none", () => {
  const store = emptyStore();
  expect(store.findPlace(5)).toBeNull();
  const first = indexed(store, scope("ses"), newPart("a", { texts: ["one", "two"] }));
  const second = indexed(store, scope("ses"), newPart("b"));
  const place = (id: number) => {
    const found = store.findPlace(id);
    return found && `${found.part.key} ${found.at}`;
  };
  expect([first - 1, first, first + 1, second, second + 1].map(place)).toEqual([
    ...[null, "a 0", "a 1", "b 0", null],
  ]);
});

test("a part that is indexed again has one row, and leaves no passage of the former", () => {
  const store = emptyStore();
  indexed(store, scope("ses"), newPart("a", { texts: ["heron", "owl"] }));
  const id = indexed(store, scope("ses"), newPart("a", { texts: ["finch"] }));
  expect(store.listDocuments("ses" as SessionId).map((part) => part.id)).toEqual([id]);
  expect(store.driver.all("SELECT id FROM passage").map((row) => Number(row.id))).toEqual([id]);
  const holding = (word: string) =>
    store.driver.get("SELECT count(*) AS n FROM words WHERE words MATCH ?", word)?.n;
  expect(["heron", "owl", "finch"].map(holding)).toEqual([0, 0, 1]);
});

test("the call's own words are found in the first passage alone", () => {
  const store = emptyStore();
  const id = indexed(store, scope("ses"), newPart("a", { texts: ["one", "two"] }));
  const rows = store.driver.all("SELECT rowid AS id FROM words WHERE words MATCH 'words'");
  expect(rows.map((row) => Number(row.id))).toEqual([id]);
});

test("a project's range has its sessions' passages, a session's its own, and none is of others", () => {
  const store = emptyStore();
  for (const [session, project] of [
    ["one", "shop"],
    ["three", "mill"],
    ["two", "shop"],
  ] as const) {
    indexed(store, scope(session, project), newPart(session, { texts: ["x", "y"] }));
  }
  const extent = (session: string, project: string, within: "session" | "project") => {
    const range = store.findRange(scope(session, project), within);
    return range && store.count(range);
  };
  expect(extent("one", "shop", "session")).toEqual({ parts: 1, passages: 2 });
  expect(extent("one", "shop", "project")).toEqual({ parts: 2, passages: 4 });
  expect(extent("three", "mill", "project")).toEqual({ parts: 1, passages: 2 });
  const nothing = { parts: 0, passages: 0 };
  expect(extent("none", "shop", "session")).toEqual(nothing);
  expect(extent("one", "none", "project")).toEqual(nothing);
  store.remove("one" as SessionId, "r", ["one"]);
  expect(extent("one", "shop", "session")).toEqual({ parts: 0, passages: 0 });
  expect(store.listSessionIds().map(String)).toEqual(["one", "two", "three"]);
});

test("a ref names the parts that are indexed, the newest first, within its range", () => {
  const store = emptyStore();
  indexed(store, scope("one"), newPart("a", { madeAtMs: 1 }));
  indexed(store, scope("two"), newPart("a", { madeAtMs: 2 }));
  store.openDocument(scope("three"), newPart("a", { madeAtMs: 3 }));
  const found = (session: string, within: "session" | "project") => {
    const range = store.findRange(scope(session), within);
    return (
      range && store.findByRef(deriveRef("r", "a"), range).map((part) => String(part.sessionId))
    );
  };
  expect(found("one", "project")).toEqual(["two", "one"]);
  expect(found("one", "session")).toEqual(["one"]);
  expect(found("three", "session")).toEqual([]);
});

test("what people and the model said is listed passage by passage, newest first, up to a number", () => {
  const store = emptyStore();
  const older = indexed(store, scope("one"), newPart("a", { madeAtMs: 1, texts: ["x", "y"] }));
  const newer = indexed(store, scope("one"), newPart("b", { madeAtMs: 2, kind: "assistant" }));
  indexed(store, scope("one"), newPart("c", { madeAtMs: 3, kind: "output" }));
  const range = store.findRange(scope("one"), "session") ?? { first: 0, last: 0 };
  expect(store.findNewest(["user", "assistant"], range, 9)).toEqual([...[newer, older, older + 1]]);
  expect(store.findNewest(["user", "assistant"], range, 2)).toHaveLength(2);
});

test("a session takes as many passages as it has room for, and not one more", () => {
  const store = emptyStore();
  indexed(store, scope("ses"), newPart("a"));
  const left = PASSAGES_PER_COLLECTION - 1;
  store.driver.run("UPDATE collection SET next_passage = next_passage + ?", left - 2);
  expect(store.openDocument(scope("ses"), newPart("b", { texts: ["x", "y", "z"] }))).toBeNull();
  const id = store.openDocument(scope("ses"), newPart("b", { texts: ["x", "y"] }));
  expect(id).not.toBeNull();
  expect(store.openDocument(scope("ses"), newPart("c"))).toBeNull();
  // The next session begins where this one ends.
  expect(indexed(store, scope("other"), newPart("d"))).toBe((id ?? 0) + 2);
});

test("the messages of a session are those of its parts, and null where it has none", () => {
  const store = emptyStore();
  expect(store.listMessageIds("ses" as SessionId)).toBeNull();
  indexed(store, scope("ses"), newPart("a"));
  indexed(store, scope("ses"), newPart("b"));
  expect([...(store.listMessageIds("ses" as SessionId) ?? [])]).toEqual(["msg of a", "msg of b"]);
  store.removeSession("ses" as SessionId);
  expect(store.listSessionIds()).toEqual([]);
  expect(store.driver.get("SELECT count(*) AS n FROM passage")?.n).toBe(0);
});

test("one that is taken out leaves the passages of its neighbours", () => {
  const store = emptyStore();
  for (const key of ["a", "b", "c"]) indexed(store, scope("ses"), newPart(key, { texts: [key] }));
  store.remove("ses" as SessionId, "r", ["b", "none"]);
  const left = store.listDocuments("ses" as SessionId);
  expect(left.map((one) => store.readPassages(one, 0, 9).map(({ text }) => text))).toEqual([
    ...[["a"], ["c"]],
  ]);
});

test("a document is found by its key once it is indexed to its end, as a whole or not at all", () => {
  const store = emptyStore();
  const part = newPart("a", { texts: ["one", "two"] });
  const id = store.openDocument(scope("ses"), part) ?? 0;
  store.write(id, part, 0, 1);
  const found = (kind: "r" | "c") => store.findDocument("ses" as SessionId, kind, "a")?.id ?? null;
  expect(found("r")).toBeNull();
  store.write(id, part, 1, 2);
  expect([found("r"), found("c")]).toEqual([id, null]);
  store.driver.run(
    "UPDATE collection SET next_passage = next_passage + ?",
    PASSAGES_PER_COLLECTION - 3,
  );
  expect(store.put(scope("ses"), newPart("b", { texts: ["x", "y"] }))).toBe(false);
  expect(store.put(scope("ses"), newPart("b", { texts: ["x"] }))).toBe(true);
});
