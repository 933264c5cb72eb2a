import { expect, test } from "bun:test";
import { toSourceKey } from "../../../../src/context/key.ts";
import { emptySnapshot } from "../../../../src/context/snapshot.ts";
import { combine, createSystemContext, Registry } from "../../../../src/context/system-context.ts";
import { AddedSources } from "../../../../src/features/custom-sources/added-sources.ts";
import type { SharedRegistry } from "../../../../src/features/custom-sources/registration.ts";
import { permanent } from "../../../context/fake-source.ts";
import { SCOPE } from "../follow.ts";

const context = (...keys: readonly string[]) =>
  combine(keys.map((key) => createSystemContext(permanent(key, key).definition)));

test("of two features with one key the first keeps it, and the other one's further sources hold", async () => {
  const sources = new AddedSources({
    featureInstances: [() => context("team/a", "team/b"), () => context("team/b", "team/c")],
    registry: new Registry(),
    timeoutMs: 100,
  });
  const builtIn = context("core/date");
  const composed = await sources.context({ scope: SCOPE, belief: emptySnapshot, builtIn });
  expect(composed.sources.map(({ key }) => key as string)).toEqual([
    "core/date",
    "team/a",
    "team/b",
    "team/c",
  ]);
});

test("a feature and a registered entry hold beside each other; where there is neither, the built-in sources are all", async () => {
  const registry: SharedRegistry = new Registry();
  const features = [() => context("team/a")];
  const builtIn = context("core/date");
  const request = { scope: SCOPE, belief: emptySnapshot, builtIn };
  const keys = async (sources: AddedSources) =>
    (await sources.context(request)).sources.map(({ key }) => key as string);
  expect(
    new AddedSources({ featureInstances: [], registry, timeoutMs: 100 }).context(request),
  ).toBe(builtIn);
  const dispose = registry.register("team/entry", () => [
    { key: "team/b", load: () => "b", baseline: String, update: String },
  ]);
  const sources = new AddedSources({ featureInstances: features, registry, timeoutMs: 100 });
  expect(await keys(sources)).toEqual(["core/date", "team/a", "team/b", "team/entry"]);
  const alone = new AddedSources({ featureInstances: [], registry, timeoutMs: 100 });
  expect(await keys(alone)).toEqual(["core/date", "team/b", "team/entry"]);
  dispose();
  expect(await keys(sources)).toEqual(["core/date", "team/a"]);
  expect(await keys(alone)).toEqual(["core/date"]);
  // What it gave is forgotten: there is nothing to ask, as before it came.
  expect(alone.context(request)).toBe(builtIn);
});

test("what features give is joined once, and again where one gives something else", async () => {
  let given = context("team/a");
  const own = context("team/b");
  const features = [() => given, () => own];
  const sources = new AddedSources({
    featureInstances: features,
    registry: new Registry(),
    timeoutMs: 100,
  });
  const request = { scope: SCOPE, belief: emptySnapshot, builtIn: context("core/date") };
  const first = await sources.context(request);
  expect(await sources.context(request)).toBe(first);
  given = context("team/c");
  const keysIn = async (asked: typeof request) =>
    (await sources.context(asked)).sources.map(({ key }) => key as string);
  expect(await keysIn(request)).toEqual(["core/date", "team/c", "team/b"]);
  const builtIn = context("core/model");
  expect(await keysIn({ ...request, builtIn })).toEqual(["core/model", "team/c", "team/b"]);
});

test("I8: of an entry that fails, what was told stands, but what is the runtime's own or another's", async () => {
  const registry: SharedRegistry = new Registry();
  registry.register("team/entry", () => Promise.reject(new TypeError("secret")));
  const sources = new AddedSources({ featureInstances: [], registry, timeoutMs: 100 });
  const value = { hash: "0011223344556677", json: "1", removed: null };
  const belief = Object.fromEntries(
    ["core/skills", "team/b", "team/c"].map((key) => [toSourceKey(key), value]),
  );
  const builtIn = context("core/date", "team/c");
  const composed = await sources.context({ scope: SCOPE, belief, builtIn });
  const keys = composed.sources.map(({ key }) => key as string);
  expect(keys).toEqual(["core/date", "team/c", "team/b", "team/entry"]);
});

test("I8: an entry that worked and now fails holds what it gave, and nothing that others told", async () => {
  const registry: SharedRegistry = new Registry();
  let state: "works" | "fails" = "works";
  registry.register("team/entry", () => {
    if (state === "fails") throw new Error("down");
    return [{ key: "team/b", load: () => "b", baseline: String, update: String }];
  });
  const sources = new AddedSources({ featureInstances: [], registry, timeoutMs: 100 });
  const value = { hash: "0011223344556677", json: "1", removed: null };
  const belief = { [toSourceKey("team/b")]: value, [toSourceKey("team/c")]: value };
  const request = { scope: SCOPE, belief, builtIn: context("core/date") };
  await sources.context(request);
  state = "fails";
  for (const time of ["first", "second"]) {
    const keys = (await sources.context(request)).sources.map(({ key }) => key as string);
    expect([time, ...keys]).toEqual([time, "core/date", "team/b", "team/entry"]);
  }
});
