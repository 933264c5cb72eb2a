import { expect, test } from "bun:test";
import { z } from "zod";
import { hashText } from "../../src/context/canonical.ts";
import { emptySnapshot } from "../../src/context/snapshot.ts";
import { absent, type SourceDefinition, Unavailable } from "../../src/context/source.ts";
import { combine, createSystemContext } from "../../src/context/system-context.ts";
import { entryAt, expectKind, permanent, removable, required, toSnapshot } from "./fake-source.ts";
import { initializeContext, reconcileContext, replaceContext } from "./observed-operations.ts";

function stored(json: string) {
  return { hash: hashText(json), json, removed: null };
}

test("A5: replacement is blocked while an admitted source is unavailable, and says which", async () => {
  const [a, b, c] = [removable("test/a", "1"), removable("test/b", "2"), removable("test/c", "3")];
  const context = combine([c.context, a.context, b.context]);
  const { snapshot } = expectKind(await initializeContext(context), "initialized");
  a.answer = new Unavailable("offline");
  c.answer = new Unavailable("offline");
  const result = await replaceContext(context, snapshot);
  expect(result as unknown).toEqual({ kind: "replacement-blocked", keys: ["test/c", "test/a"] });
});

test("A5: with nothing admitted, replacement is not blocked", async () => {
  const sources = [
    removable("test/a", "1"),
    removable("test/b", new Unavailable("offline")),
    required("test/c", new Unavailable("offline")),
  ];
  const context = combine(sources.map((source) => source.context));
  const result = expectKind(await replaceContext(context, emptySnapshot), "replacement-ready");
  expect(result.parts.map((part) => part.text)).toEqual(["test/a is 1"]);
});

test("a replacement states what is present, anew and in the caller's order", async () => {
  const [a, b, gone] = [
    removable("test/a", "1"),
    removable("test/b", "2"),
    removable("test/gone", "3"),
  ];
  const before = await initializeContext(combine([a.context, gone.context]));
  const { snapshot } = expectKind(before, "initialized");
  a.answer = "one";
  gone.answer = absent;

  const context = combine([b.context, gone.context, a.context]);
  const result = expectKind(await replaceContext(context, snapshot), "replacement-ready");

  expect(result.parts.map((part) => part.text)).toEqual(["test/b is 2", "test/a is one"]);
  expect(Object.keys(result.snapshot)).toEqual(["test/b", "test/a"]);
  expect(entryAt(result.snapshot, "test/a")?.json).toBe('"one"');
});

test("A11: a stored value that no longer decodes asks for replacement", async () => {
  const source = removable("test/a", "1");
  for (const json of ['{"former":"shape"}', "7", "", "{", '"cut'] as const) {
    const before = toSnapshot({ "test/a": stored(json) });
    const result = await reconcileContext(source.context, before);
    expect(expectKind(result, "replacement-ready").parts as unknown).toEqual([
      { key: "test/a", text: "test/a is 1" },
    ]);
  }
  expect(source.rendered).not.toContain("update");
});

test("A11: a codec that throws on the stored value counts as one that does not decode it", async () => {
  const version = z.codec(z.string(), z.bigint(), {
    decode: (digits) => BigInt(digits),
    encode: (value) => value.toString(),
  });
  const context = createSystemContext({
    key: "test/version",
    schema: version,
    load: async () => 2n,
    baseline: (current) => `Version ${current}`,
    update: (previous, current) => `Version ${previous} became ${current}`,
  });
  const broken = toSnapshot({ "test/version": stored('"one"') });
  expect((await reconcileContext(context, broken)).kind).toBe("replacement-ready");
  const sound = toSnapshot({ "test/version": stored('"1"') });
  const { parts } = expectKind(await reconcileContext(context, sound), "updated");
  expect(parts.map((part) => part.text)).toEqual(["Version 1 became 2"]);
});

test("A12: replacement uses one observation", async () => {
  let loads = 0;
  const counter: SourceDefinition<number> = {
    key: "test/counter",
    schema: z.number(),
    load: async () => ++loads,
    baseline: (current) => `Load ${current}`,
    update: (_previous, current) => `Load ${current}`,
  };
  const going = permanent("test/going", "1");
  const context = combine([createSystemContext(counter), going.context]);
  const { snapshot } = expectKind(await initializeContext(context), "initialized");
  going.answer = absent;

  const result = expectKind(await reconcileContext(context, snapshot), "replacement-ready");

  expect(result.parts.map((part) => part.text)).toEqual(["Load 2"]);
  expect([loads, going.loads]).toEqual([2, 2]);
});

test("A13: updates that are discarded are not rendered", async () => {
  const [changed, going, other] = [
    removable("test/changed", "1"),
    permanent("test/going", "2"),
    removable("test/other", "3"),
  ];
  const context = combine([changed.context, going.context, other.context]);
  const { snapshot } = expectKind(await initializeContext(context), "initialized");
  changed.rendered.length = 0;
  changed.answer = "one";
  going.answer = absent;

  expect((await reconcileContext(context, snapshot)).kind).toBe("replacement-ready");
  expect(changed.rendered.toSorted()).toEqual(["baseline", "removal"]);

  other.answer = new Unavailable("offline");
  changed.rendered.length = 0;
  expect((await reconcileContext(context, snapshot)).kind).toBe("replacement-blocked");
  expect(changed.rendered).toEqual([]);
});

test("A14: an incompatible replacement is blocked while another admitted source is unavailable", async () => {
  const [incompatible, other] = [removable("test/a", "1"), removable("test/other", "2")];
  const before = toSnapshot({ "test/a": stored("7"), "test/other": stored('"2"') });
  const context = combine([incompatible.context, other.context]);
  other.answer = new Unavailable("offline");
  expect((await reconcileContext(context, before)) as unknown).toEqual({
    kind: "replacement-blocked",
    keys: ["test/other"],
  });
  other.answer = "2";
  expect((await reconcileContext(context, before)).kind).toBe("replacement-ready");
});
