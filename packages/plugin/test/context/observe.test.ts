import { expect, test } from "bun:test";
import { z } from "zod";
import { initialize } from "../../src/context/operations.ts";
import {
  absent,
  type LoadResult,
  type SourceDefinition,
  Unavailable,
} from "../../src/context/source.ts";
import { combine, createSystemContext, observe } from "../../src/context/system-context.ts";
import { expectKind, removable } from "./fake-source.ts";
import { initializeContext, reconcileContext } from "./observed-operations.ts";

function failing(load: () => Promise<LoadResult<string>>): SourceDefinition<string> {
  return { ...removable("test/failing", "").definition, load };
}

const broken = failing(async () => {
  throw new Error("disk on fire");
});

test("A2: every source is loaded exactly once, and all at the same time", async () => {
  const started: string[] = [];
  const gate = Promise.withResolvers<string>();
  const sources = ["test/a", "test/b", "test/c"].map((key) => {
    const load = () => {
      started.push(key);
      return gate.promise;
    };
    return createSystemContext({ ...removable(key, "").definition, load });
  });
  const observing = observe(combine(sources));
  expect(started).toEqual(["test/a", "test/b", "test/c"]);
  gate.resolve("1");
  expect((await observing).map((source) => source.state.kind)).toEqual(Array(3).fill("present"));
  expect(started).toHaveLength(3);
});

test("a source reads files alone where its definition says so", () => {
  const { definition } = removable("test/a", "1");
  const says = (readsFilesAlone?: () => boolean) =>
    createSystemContext({ ...definition, ...(readsFilesAlone && { readsFilesAlone }) }).sources.map(
      (source) => source.readsFilesAlone(),
    );
  expect([says(), says(() => true), says(() => false)]).toEqual([[false], [true], [false]]);
});

test("A20: a loader's unexpected failure propagates, is not taken for absence", async () => {
  const context = combine([removable("test/a", "1").context, createSystemContext(broken)]);
  await expect(observe(context)).rejects.toThrow("disk on fire");
  await expect(initializeContext(context)).rejects.toThrow("disk on fire");
  await expect(reconcileContext(context, {})).rejects.toThrow("disk on fire");
});

test("A20: so does a loader that throws before it gives a promise", async () => {
  const context = createSystemContext(
    failing(() => {
      throw new Error("no such command");
    }),
  );
  await expect(observe(context)).rejects.toThrow("no such command");
});

test("I20: a value that is at hand is observed at once, and one that is the same only once", async () => {
  let current: LoadResult<string> = "1";
  const [source] = createSystemContext({
    ...removable("test/a", "").definition,
    load: () => current,
  }).sources;
  const first = source?.observe();
  expect(first).toMatchObject({ kind: "present" });
  expect(source?.observe()).toBe(first);
  current = "2";
  const second = source?.observe();
  expect(second).toMatchObject({ kind: "present" });
  expect(second).not.toBe(first);
  current = absent;
  expect(source?.observe()).toEqual({ kind: "absent" });
  current = "1";
  expect(source?.observe()).toMatchObject({ value: { hash: stateHash(first) } });
});

function stateHash(state: unknown): unknown {
  return (state as { readonly value: { readonly hash: string } }).value.hash;
}

test("A20: so does a value that does not fit its schema", async () => {
  const definition = { ...removable("test/a", "").definition, schema: z.string().max(3) };
  const context = createSystemContext({ ...definition, load: async () => "too long" });
  await expect(observe(context)).rejects.toThrow(z.ZodError);
});

test("A21: completion order never shows", async () => {
  const gates = ["1", "2", "3"].map(() => Promise.withResolvers<void>());
  const sources = gates.map((gate, index) =>
    createSystemContext({
      ...removable(`test/${index}`, "").definition,
      load: () => gate.promise.then(() => String(index)),
    }),
  );
  const observing = observe(combine(sources));
  for (const gate of gates.toReversed()) {
    gate.resolve();
    await gate.promise;
  }
  const { parts } = expectKind(initialize(await observing), "initialized");
  expect(parts.map((part) => String(part.key))).toEqual(["test/0", "test/1", "test/2"]);
});

test("an observation tells each source's state in order, with the reason where it has none", async () => {
  const observed = await observe(
    combine([
      removable("test/up", "1").context,
      removable("test/none", absent).context,
      removable("test/down", new Unavailable("connection refused")).context,
    ]),
  );
  expect(observed.map(({ key, state }) => [String(key), state.kind])).toEqual([
    ["test/up", "present"],
    ["test/none", "absent"],
    ["test/down", "unavailable"],
  ]);
  expect(observed[2]?.state).toEqual({ kind: "unavailable", reason: "connection refused" });
});

test("what another copy of the module answers is understood", async () => {
  const copiedUnavailable = { [Symbol.for("session-runtime/unavailable")]: true, reason: "copy" };
  const copiedAbsent = Symbol.for("session-runtime/absent") as unknown;
  const kinds = [copiedUnavailable, copiedAbsent].map(async (answer) => {
    const [source] = await observe(removable("test/a", answer as Unavailable).context);
    return source?.state.kind;
  });
  expect(await Promise.all(kinds)).toEqual(["unavailable", "absent"]);
});

test("null is a value like any other, not an absence", async () => {
  const context = createSystemContext<string | null>({
    key: "test/branch",
    schema: z.string().nullable(),
    load: async () => null,
    baseline: (branch) => `Branch: ${branch ?? "detached"}`,
    update: (_previous, branch) => `Branch: ${branch ?? "detached"}`,
  });
  const { parts, snapshot } = expectKind(await initializeContext(context), "initialized");
  expect(parts[0]?.text).toBe("Branch: detached");
  expect(Object.values(snapshot)[0]?.json).toBe("null");
});
