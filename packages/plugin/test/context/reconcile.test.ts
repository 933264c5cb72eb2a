import { expect, test } from "bun:test";
import type { Reconciliation } from "../../src/context/operations.ts";
import {
  applyDelta,
  emptySnapshot,
  listKeys,
  type Snapshot,
  snapshotDeltaSchema,
  snapshotSchema,
} from "../../src/context/snapshot.ts";
import { absent, Unavailable } from "../../src/context/source.ts";
import { combine } from "../../src/context/system-context.ts";
import {
  entryAt,
  expectKind,
  type FakeSource,
  permanent,
  removable,
  required,
  toSnapshot,
} from "./fake-source.ts";
import { initializeContext, reconcileContext } from "./observed-operations.ts";

function together(sources: readonly FakeSource[]) {
  return combine(sources.map((source) => source.context));
}

async function admitted(sources: readonly FakeSource[]): Promise<Snapshot> {
  const { snapshot } = expectKind(await initializeContext(together(sources)), "initialized");
  for (const source of sources) {
    source.rendered.length = 0;
    source.loads = 0;
  }
  return snapshot;
}

function listTexts(result: Reconciliation): readonly string[] {
  return expectKind(result, "updated").parts.map((part) => part.text);
}

test("A3: says only what changed; an unchanged entry keeps its stored snapshot verbatim", async () => {
  const sources = [removable("test/a", "1"), removable("test/b", "2"), removable("test/c", "3")];
  const before = await admitted(sources);
  const [, b] = sources;
  if (b) b.answer = "two";

  const result = expectKind(await reconcileContext(together(sources), before), "updated");

  expect(listTexts(result)).toEqual(["test/b was 2, is two"]);
  expect(entryAt(result.snapshot, "test/a")).toBe(entryAt(before, "test/a"));
  expect(entryAt(result.snapshot, "test/c")).toBe(entryAt(before, "test/c"));
  expect(entryAt(result.snapshot, "test/b")?.json).toBe('"two"');
  expect(entryAt(result.snapshot, "test/b")?.removed).toBe("test/b is no longer two");
  expect(Object.keys(result.delta)).toEqual(["test/b"]);
});

test("A3: an unchanged world loads once, renders nothing and is told nothing", async () => {
  const sources = [removable("test/a", "1"), permanent("test/b", "2")];
  const before = await admitted(sources);
  expect(await reconcileContext(together(sources), before)).toEqual({ kind: "unchanged" });
  expect(sources.map((source) => source.loads)).toEqual([1, 1]);
  expect(sources.flatMap((source) => source.rendered)).toEqual([]);
});

test("A4: a new source gives its baseline text", async () => {
  const old = removable("test/old", "1");
  const before = await admitted([old]);
  const fresh = removable("test/fresh", "2");
  const result = await reconcileContext(together([old, fresh]), before);
  expect(listTexts(result)).toEqual(["test/fresh is 2"]);
  expect(fresh.rendered.toSorted()).toEqual(["baseline", "removal"]);
});

test("A5: an unavailable source keeps its admitted snapshot and says nothing", async () => {
  const sources = [removable("test/a", "1"), required("test/b", "2")];
  const before = await admitted(sources);
  for (const source of sources) source.answer = new Unavailable("offline");
  expect(await reconcileContext(together(sources), before)).toEqual({ kind: "unchanged" });
});

test("A5: what else changed is told while a source is unavailable, whose entry stays verbatim", async () => {
  const [a, b] = [removable("test/a", "1"), removable("test/b", "2")];
  const before = await admitted([a, b]);
  a.answer = new Unavailable("offline");
  b.answer = "two";
  const result = expectKind(await reconcileContext(together([a, b]), before), "updated");
  expect(entryAt(result.snapshot, "test/a")).toBe(entryAt(before, "test/a"));
  expect(Object.keys(result.delta)).toEqual(["test/b"]);
});

test("A7: an absent source emits its stored removal", async () => {
  const source = removable("test/a", "1");
  const before = await admitted([source]);
  source.answer = absent;
  const result = expectKind(await reconcileContext(source.context, before), "updated");
  expect(listTexts(result)).toEqual(["test/a is no longer 1"]);
  expect(Object.entries(result.delta)).toEqual([["test/a", null]]);
  expect(result.snapshot).toEqual({});
  expect(source.rendered).toEqual([]);
});

test("A7: a source that no contributor claims any more is taken back like an absent one", async () => {
  const [kept, disposed] = [removable("test/kept", "1"), removable("test/disposed", "2")];
  const before = await admitted([kept, disposed]);
  const result = expectKind(await reconcileContext(kept.context, before), "updated");
  expect(listTexts(result)).toEqual(["test/disposed is no longer 2"]);
  expect(Object.keys(result.snapshot)).toEqual(["test/kept"]);
});

test("A7: what is absent and was never admitted is not spoken of", async () => {
  const context = removable("test/a", absent).context;
  expect(await reconcileContext(context, emptySnapshot)).toEqual({ kind: "unchanged" });
});

test("A8: one without removal text asks for replacement, absent or disposed", async () => {
  const [kept, going] = [removable("test/kept", "1"), permanent("test/going", "2")];
  const before = await admitted([kept, going]);
  going.answer = absent;
  const ready = {
    kind: "replacement-ready",
    parts: [{ key: "test/kept", text: "test/kept is 1" }],
    snapshot: { "test/kept": entryAt(before, "test/kept") },
  };
  expect((await reconcileContext(together([kept, going]), before)) as unknown).toEqual(ready);
  expect((await reconcileContext(kept.context, before)) as unknown).toEqual(ready);
});

test("A9: several removals come in key order, after the updates in the caller's", async () => {
  const sources = ["test/z", "test/d", "test/B", "test/a", "test/c"].map((key) =>
    removable(key.toLowerCase(), "1"),
  );
  const [z, d, b, a, c] = sources;
  const before = await admitted(sources);
  if (!z || !d || !b || !a || !c) throw new Error("five sources");
  d.answer = absent;
  a.answer = absent;
  z.answer = "last letter";
  c.answer = "third letter";
  const fresh = removable("test/y", "new");

  const result = await reconcileContext(together([z, d, fresh, a, c]), before);

  expect(listTexts(result)).toEqual([
    "test/z was 1, is last letter",
    "test/y is new",
    "test/c was 1, is third letter",
    "test/a is no longer 1",
    "test/b is no longer 1",
    "test/d is no longer 1",
  ]);
});

test("keys come in the order of their code units, however they were put in", () => {
  const entry = { hash: "0123456789abcdef", json: "1", removed: null };
  const snapshot = toSnapshot({ "team/b": entry, "core/date": entry, "team/a": entry });
  expect([...listKeys(snapshot)] as string[]).toEqual(["core/date", "team/a", "team/b"]);
});

test("A18: keys are namespaced in storage", () => {
  const entry = { hash: "0123456789abcdef", json: "1", removed: null };
  const stored = toSnapshot({ "core/date": entry });
  expect(snapshotSchema.parse(stored)).toEqual(stored);
  for (const hash of ["0123456789abcdef0", "x0123456789abcdef", "0123456789abcde"]) {
    const wrong = { "team/a": { hash, json: "1", removed: null } };
    expect(snapshotSchema.safeParse(wrong).success).toBe(false);
  }
  expect(snapshotDeltaSchema.parse(stored)).toEqual(stored);
  expect(() => snapshotDeltaSchema.parse({ "core/date": null })).not.toThrow();
  for (const key of ["date", "Core/date", "core/"]) {
    expect(() => snapshotSchema.parse({ [key]: entry })).toThrow("namespaced");
    expect(() => snapshotDeltaSchema.parse({ [key]: null })).toThrow("namespaced");
  }
});

test("A19: inherited properties of a stored snapshot are ignored", async () => {
  const source = removable("test/a", "1");
  const before = await admitted([source]);
  const inherited: Snapshot = Object.create(before);

  const result = expectKind(await reconcileContext(source.context, inherited), "updated");

  expect(listTexts(result)).toEqual(["test/a is 1"]);
  expect(await reconcileContext(combine([]), inherited)).toEqual({ kind: "unchanged" });
  source.answer = absent;
  expect(await reconcileContext(source.context, inherited)).toEqual({ kind: "unchanged" });
});

test("A19: an inherited property is neither carried on nor believed to be unavailable", async () => {
  const [a, b] = [removable("test/a", "1"), permanent("test/b", "2")];
  const before = await admitted([a, b]);
  const { "test/a": ofA, "test/b": ofB } = before as Record<string, never>;
  const stored: Snapshot = Object.assign(Object.create({ "test/a": ofA }), { "test/b": ofB });
  a.answer = new Unavailable("offline");
  b.answer = absent;
  const result = await reconcileContext(together([a, b]), stored);
  expect(result).toEqual({ kind: "replacement-ready", parts: [], snapshot: {} });
});

test("A22: an optional source unavailable at the start is told when it first loads", async () => {
  const [a, late] = [removable("test/a", "1"), removable("test/late", new Unavailable("starting"))];
  const before = await admitted([a, late]);
  expect(Object.keys(before)).toEqual(["test/a"]);
  expect(await reconcileContext(together([a, late]), before)).toEqual({ kind: "unchanged" });
  late.answer = "up";
  const result = expectKind(await reconcileContext(together([a, late]), before), "updated");
  expect(listTexts(result)).toEqual(["test/late is up"]);
  const again = await reconcileContext(together([a, late]), result.snapshot);
  expect(again).toEqual({ kind: "unchanged" });
});

test("A23: an update carries its keys, removals too", async () => {
  const [a, b] = [removable("test/a", "1"), removable("test/b", "2")];
  const before = await admitted([a, b]);
  a.answer = absent;
  b.answer = "two";
  const { parts } = expectKind(await reconcileContext(together([a, b]), before), "updated");
  expect(parts as unknown).toEqual([
    { key: "test/b", text: "test/b was 2, is two" },
    { key: "test/a", text: "test/a is no longer 1" },
  ]);
});

test("an update's snapshot is the former one with its delta applied", async () => {
  const [a, b, c] = [removable("test/a", "1"), removable("test/b", "2"), removable("test/c", "3")];
  const before = await admitted([a, b]);
  a.answer = absent;
  b.answer = "two";
  const result = expectKind(await reconcileContext(together([a, b, c]), before), "updated");
  expect(applyDelta(before, result.delta)).toEqual(result.snapshot);
});

test("a stored hash decides, whatever its JSON: equal hashes are never decoded", async () => {
  const source = removable("test/a", "1");
  const stored = entryAt(await admitted([source]), "test/a");
  const before = toSnapshot({ "test/a": { hash: stored?.hash ?? "", json: "{", removed: null } });
  expect(await reconcileContext(source.context, before)).toEqual({ kind: "unchanged" });
});
