import { expect, test } from "bun:test";
import { combine, Registry, type SystemContext } from "../../src/context/system-context.ts";
import { removable } from "./fake-source.ts";

const scope = { directory: "/work" };
type Scope = typeof scope;

function context(...keys: readonly string[]): SystemContext {
  return combine(keys.map((key) => removable(key, "1").context));
}

function listSourceKeys(loaded: SystemContext): readonly string[] {
  return loaded.sources.map((source) => source.key);
}

test("B1: empty with no entries", async () => {
  expect(listSourceKeys(await new Registry<Scope>().load(scope))).toEqual([]);
});

test("B2: entries in key order, whatever order they came or finished in", async () => {
  const registry = new Registry<Scope>();
  const slow = Promise.withResolvers<SystemContext>();
  registry.register("b", () => context("test/2", "test/1"));
  registry.register("a", () => slow.promise);
  registry.register("B", async () => context("test/0"));
  registry.register("é", () => context("test/4"));
  const loading = registry.load(scope);
  slow.resolve(context("test/3"));
  expect(listSourceKeys(await loading)).toEqual(["test/0", "test/3", "test/2", "test/1", "test/4"]);
});

test("B3: producers run anew at each load, with its scope", async () => {
  const registry = new Registry<Scope>();
  const seen: string[] = [];
  registry.register("a", ({ directory }) => {
    seen.push(directory);
    return context(`test/${seen.length}`);
  });
  expect(listSourceKeys(await registry.load({ directory: "/one" }))).toEqual(["test/1"]);
  expect(listSourceKeys(await registry.load({ directory: "/two" }))).toEqual(["test/2"]);
  expect(seen).toEqual(["/one", "/two"]);
});

test("B3: producers run at the same time", async () => {
  const registry = new Registry<Scope>();
  const second = Promise.withResolvers<void>();
  registry.register("a", async () => {
    await second.promise;
    return context("test/a");
  });
  registry.register("b", () => {
    second.resolve();
    return context("test/b");
  });
  expect(listSourceKeys(await registry.load(scope))).toEqual(["test/a", "test/b"]);
});

test("B4: a producer's failure propagates", async () => {
  const registry = new Registry<Scope>();
  const dispose = registry.register("a", () => {
    throw new Error("at once");
  });
  registry.register("b", () => context("test/b"));
  await expect(registry.load(scope)).rejects.toThrow("at once");
  dispose();
  registry.register("a", async () => {
    throw new Error("later");
  });
  await expect(registry.load(scope)).rejects.toThrow("later");
});

test("B5: repeated source keys over entries fail at load", async () => {
  const registry = new Registry<Scope>();
  registry.register("a", () => context("test/same"));
  registry.register("b", () => context("test/other", "test/same"));
  await expect(registry.load(scope)).rejects.toThrow(
    expect.objectContaining({ name: "DuplicateKeyError", key: "test/same" }),
  );
});

test("B6: a repeated entry key fails at registration", async () => {
  const registry = new Registry<Scope>();
  registry.register("a", () => context("test/first"));
  expect(() => registry.register("a", () => context("test/second"))).toThrow(
    expect.objectContaining({
      name: "DuplicateEntryError",
      code: "duplicate_registry_entry",
      key: "a",
    }),
  );
  expect(listSourceKeys(await registry.load(scope))).toEqual(["test/first"]);
});

test("B7: a disposed entry is gone", async () => {
  const registry = new Registry<Scope>();
  const dispose = registry.register("a", () => context("test/a"));
  registry.register("b", () => context("test/b"));
  dispose();
  expect(listSourceKeys(await registry.load(scope))).toEqual(["test/b"]);
});

test("B7: a load that has begun is not changed by a disposal", async () => {
  const registry = new Registry<Scope>();
  const gate = Promise.withResolvers<SystemContext>();
  const dispose = registry.register("a", () => gate.promise);
  const loading = registry.load(scope);
  dispose();
  gate.resolve(context("test/a"));
  expect(listSourceKeys(await loading)).toEqual(["test/a"]);
});

test("B8: re-registering after disposal replays", async () => {
  const registry = new Registry<Scope>();
  const producer = () => context("test/a");
  registry.register("a", producer)();
  expect(listSourceKeys(await registry.load(scope))).toEqual([]);
  registry.register("a", producer);
  expect(listSourceKeys(await registry.load(scope))).toEqual(["test/a"]);
});

test("B8: an old disposer leaves a later registration alone, of the same producer too", async () => {
  const registry = new Registry<Scope>();
  const producer = () => context("test/a");
  const dispose = registry.register("a", producer);
  dispose();
  dispose();
  registry.register("a", producer);
  dispose();
  expect(listSourceKeys(await registry.load(scope))).toEqual(["test/a"]);
});
