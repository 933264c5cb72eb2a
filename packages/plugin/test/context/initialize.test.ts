import { expect, test } from "bun:test";
import { z } from "zod";
import { hashText } from "../../src/context/canonical.ts";
import { isSourceKey } from "../../src/context/key.ts";
import { joinParts } from "../../src/context/operations.ts";
import { absent, Unavailable } from "../../src/context/source.ts";
import { combine, createSystemContext } from "../../src/context/system-context.ts";
import { entryAt, expectKind, permanent, removable, required } from "./fake-source.ts";
import { initializeContext } from "./observed-operations.ts";

test("A1: stores the canonical JSON encoding of the value", async () => {
  const isoDay = z.codec(z.iso.date(), z.date(), {
    decode: (day) => new Date(`${day}T00:00:00Z`),
    encode: (date) => date.toISOString().slice(0, 10),
  });
  const context = createSystemContext({
    key: "test/duty",
    schema: z.object({ who: z.string(), from: isoDay, to: isoDay.optional() }),
    load: async () => ({ who: "Ann", from: new Date("2026-03-01T00:00:00Z"), to: undefined }),
    baseline: ({ who }) => `On duty: ${who}`,
    update: (_previous, { who }) => `Now on duty: ${who}`,
  });

  const { snapshot } = expectKind(await initializeContext(context), "initialized");

  const json = '{"from":"2026-03-01","who":"Ann"}';
  expect(entryAt(snapshot, "test/duty")).toEqual({ hash: hashText(json), json, removed: null });
});

test("A2: loads once, renders a Baseline joined by blank lines, keeps removal text only where defined", async () => {
  const first = removable("test/first", "1");
  const second = permanent("test/second", "2");

  const result = await initializeContext(combine([first.context, second.context]));

  const { parts, snapshot } = expectKind(result, "initialized");
  expect(joinParts(parts)).toBe("test/first is 1\n\ntest/second is 2");
  expect(entryAt(snapshot, "test/first")?.removed).toBe("test/first is no longer 1");
  expect(entryAt(snapshot, "test/second")?.removed).toBeNull();
  expect([first.loads, second.loads]).toEqual([1, 1]);
  expect(first.rendered.toSorted()).toEqual(["baseline", "removal"]);
});

test("A2: a source that is absent at the start is no part of Baseline or Snapshot", async () => {
  const sources = [removable("test/gone", absent), required("test/none", absent)];
  const result = await initializeContext(combine(sources.map((source) => source.context)));
  expect(result).toEqual({ kind: "initialized", parts: [], snapshot: {} });
});

test("A6: initialization names the unavailable keys, of the required sources only", async () => {
  const sources = [
    required("test/z", new Unavailable("offline")),
    removable("test/optional", new Unavailable("offline")),
    required("test/ok", "1"),
    required("test/a", new Unavailable("offline")),
  ];
  const result = await initializeContext(combine(sources.map((source) => source.context)));
  expect(result as unknown).toEqual({ kind: "blocked", keys: ["test/z", "test/a"] });
  expect(sources.flatMap((source) => source.rendered)).toEqual([]);
});

test("A15: a repeated key throws at once, by name", () => {
  const twice = [removable("test/a", "1"), removable("test/b", "2"), removable("test/a", "3")];
  expect(() => combine(twice.map((source) => source.context))).toThrow(
    expect.objectContaining({
      name: "DuplicateKeyError",
      code: "duplicate_source_key",
      key: "test/a",
      message: "Two Context Sources have the key test/a.",
    }),
  );
});

test("A16: combine keeps order, nested too", async () => {
  const [c, a, b] = [removable("test/c", "3"), removable("test/a", "1"), removable("test/b", "2")];
  const context = combine([combine([c.context, a.context]), combine([]), b.context]);
  const { parts } = expectKind(await initializeContext(context), "initialized");
  expect(parts.map((part) => String(part.key))).toEqual(["test/c", "test/a", "test/b"]);
});

test("A17: keys are namespaced in code", () => {
  for (const key of ["core/date", "a/b", "my.org/on-call_2/deep.er", "0/0"]) {
    expect(isSourceKey(key)).toBe(true);
    expect(() => removable(key, "1").context).not.toThrow();
  }
  for (const key of ["", "date", "/date", "core/", "Core/date", "core/ date", "a b/c", "core/é"]) {
    expect(() => removable(key, "1").context).toThrow(
      expect.objectContaining({ name: "InvalidKeyError", code: "invalid_source_key", key }),
    );
  }
});

test("A17: a key ends where its text ends", () => {
  expect(isSourceKey("core/date\n")).toBe(false);
  expect(isSourceKey("core/date\nx")).toBe(false);
});

test("A23: a Baseline carries its keys", async () => {
  const context = combine([removable("test/b", "2").context, removable("test/a", "1").context]);
  const { parts } = expectKind(await initializeContext(context), "initialized");
  expect(parts as unknown).toEqual([
    { key: "test/b", text: "test/b is 2" },
    { key: "test/a", text: "test/a is 1" },
  ]);
});

test("a Snapshot holds each source of its Baseline and nothing else", async () => {
  const sources = [
    removable("test/b", "2"),
    removable("test/late", new Unavailable("starting")),
    removable("test/a", "1"),
  ];
  const context = combine(sources.map((source) => source.context));
  const { snapshot } = expectKind(await initializeContext(context), "initialized");
  expect(Object.keys(snapshot)).toEqual(["test/b", "test/a"]);
});
