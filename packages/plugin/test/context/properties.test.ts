import { expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { initialize, joinParts, reconcile, replaceBaseline } from "../../src/context/operations.ts";
import { applyDelta, emptySnapshot, type Snapshot } from "../../src/context/snapshot.ts";
import { absent, type KeyedText, type LoadResult, Unavailable } from "../../src/context/source.ts";
import {
  combine,
  createSystemContext,
  observe,
  type SystemContext,
} from "../../src/context/system-context.ts";
import { expectKind } from "./fake-source.ts";

const KEYS = ["test/a", "test/b", "test/c", "test/d", "test/e"] as const;
const PERMANENT = new Set<string>(["test/c"]);

type Answer = LoadResult<number>;
/** What each source answers at one boundary, in the caller's order; a disposed one is missing. */
type World = readonly (readonly [key: string, answer: Answer])[];
/** What a reader of all that was told believes, by key. */
type Belief = ReadonlyMap<string, string>;

const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 4, arbitrary: fc.nat(3) },
  { weight: 1, arbitrary: fc.constant(absent) },
  { weight: 2, arbitrary: fc.constant(new Unavailable("offline")) },
);

function arbitraryWorld(keys: readonly string[]): fc.Arbitrary<World> {
  return fc.shuffledSubarray([...keys]).chain((some) => {
    return fc.tuple(...some.map((key) => answer.map((given) => [key, given] as const)));
  });
}

const removableKeys = KEYS.filter((key) => !PERMANENT.has(key));
const removableWorlds = fc.array(arbitraryWorld(removableKeys), { minLength: 1, maxLength: 12 });
const anyWorlds = fc.array(arbitraryWorld(KEYS), { minLength: 1, maxLength: 12 });

function createWorldContext(world: World, delay: (key: string) => Promise<void>): SystemContext {
  return combine(
    world.map(([key, given]) =>
      createSystemContext({
        key,
        schema: z.number(),
        load: () => delay(key).then(() => given),
        baseline: (current) => `${key} = ${current}`,
        update: (_previous, current) => `${key} = ${current}`,
        ...(!PERMANENT.has(key) && { removed: () => `${key} = gone` }),
      }),
    ),
  );
}

function seen(world: World) {
  return observe(createWorldContext(world, () => Promise.resolve()));
}

/** Replays told texts; a key that is told twice in one message is a defect. */
function read(belief: Belief, parts: readonly KeyedText[]): Belief {
  const next = new Map(belief);
  const lines = parts.length === 0 ? [] : joinParts(parts).split("\n\n");
  expect(new Set(parts.map((part) => part.key)).size).toBe(lines.length);
  for (const line of lines) {
    const [key = "", value = ""] = line.split(" = ");
    if (value === "gone") next.delete(key);
    else next.set(key, value);
  }
  return next;
}

function toBelief(snapshot: Snapshot): Belief {
  return new Map(Object.entries(snapshot).map(([key, entry]) => [key, entry.json]));
}

function sorted(belief: Belief): readonly (readonly [string, string])[] {
  return [...belief].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** What a source's state obliges a belief to be; undefined where nothing was observed. */
function expectedBelief(given: Answer): string | null | undefined {
  if (given instanceof Unavailable) return undefined;
  return typeof given === "number" ? String(given) : null;
}

async function start(world: World) {
  const { parts, snapshot } = expectKind(initialize(await seen(world)), "initialized");
  return { belief: read(new Map(), parts), snapshot };
}

test("I6: what was told amounts to the value of every source that could be observed", async () => {
  await fc.assert(
    fc.asyncProperty(removableWorlds, async ([first = [], ...later]) => {
      let { belief, snapshot } = await start(first);
      for (const world of later) {
        const result = reconcile(await seen(world), snapshot);
        if (result.kind !== "unchanged") {
          const update = expectKind(result, "updated");
          belief = read(belief, update.parts);
          snapshot = update.snapshot;
        }
        for (const [key, given] of world) {
          const fact = expectedBelief(given);
          if (fact !== undefined) expect(belief.get(key) ?? null).toBe(fact);
        }
        const claimed = world.map(([key]) => key);
        expect([...belief.keys()].filter((key) => !claimed.includes(key))).toEqual([]);
        expect(sorted(belief)).toEqual(sorted(toBelief(snapshot)));
      }
    }),
    { numRuns: 500 },
  );
});

test("I6: with sources that can't be taken back, a replacement restores it or is blocked by name", async () => {
  await fc.assert(
    fc.asyncProperty(anyWorlds, async ([first = [], ...later]) => {
      let { belief, snapshot } = await start(first);
      for (const world of later) {
        const result = reconcile(await seen(world), snapshot);
        if (result.kind === "replacement-blocked") {
          const offline = world.filter(([, given]) => given instanceof Unavailable);
          const missing = offline.map(([key]) => key).filter((key) => belief.has(key));
          expect(result.keys.map(String)).toEqual(missing);
          expect(missing).not.toEqual([]);
          continue;
        }
        if (result.kind === "replacement-ready") belief = read(new Map(), result.parts);
        if (result.kind === "updated") belief = read(belief, result.parts);
        if (result.kind !== "unchanged") snapshot = result.snapshot;
        for (const [key, given] of world) {
          const fact = expectedBelief(given);
          if (fact !== undefined) expect(belief.get(key) ?? null).toBe(fact);
        }
        expect(sorted(belief)).toEqual(sorted(toBelief(snapshot)));
      }
    }),
    { numRuns: 500 },
  );
});

test("I7: deltas of successive updates, applied to the first Snapshot, give the last", async () => {
  await fc.assert(
    fc.asyncProperty(removableWorlds, async ([first = [], ...later]) => {
      const { snapshot: initial } = await start(first);
      let snapshot = initial;
      let folded = initial;
      for (const world of later) {
        const result = reconcile(await seen(world), snapshot);
        if (result.kind === "unchanged") continue;
        const update = expectKind(result, "updated");
        expect(Object.keys(update.delta).toSorted()).toEqual(
          update.parts.map((part) => String(part.key)).toSorted(),
        );
        snapshot = update.snapshot;
        folded = applyDelta(folded, update.delta);
      }
      expect(folded).toEqual(snapshot);
    }),
  );
});

test("a change is told once: the same world again is unchanged", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(KEYS), arbitraryWorld(KEYS), async (first, second) => {
      const { snapshot } = await start(first);
      const observed = await seen(second);
      const result = reconcile(observed, snapshot);
      if (result.kind === "unchanged" || result.kind === "replacement-blocked") return;
      expect(reconcile(observed, result.snapshot)).toEqual({ kind: "unchanged" });
    }),
  );
});

test("I8: unavailable says nothing and forgets nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryWorld(KEYS),
      arbitraryWorld(KEYS),
      fc.subarray([...KEYS]),
      async (first, second, offline) => {
        const { snapshot } = await start(first);
        const dark: World = second.map(([key, given]) => {
          return [key, offline.some((name) => name === key) ? new Unavailable("offline") : given];
        });
        const silent = new Set(
          dark.filter(([, given]) => given instanceof Unavailable).map(([key]) => key),
        );
        const result = reconcile(await seen(dark), snapshot);
        if (result.kind !== "updated") return;
        expect(result.parts.filter((part) => silent.has(part.key))).toEqual([]);
        for (const [key, entry] of Object.entries(snapshot)) {
          if (silent.has(key)) expect(Object.entries(result.snapshot)).toContainEqual([key, entry]);
        }
      },
    ),
  );
});

test("I8: a world that went dark altogether changes nothing and is never forgotten by a replacement", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(KEYS), async (first) => {
      const { snapshot } = await start(first);
      const dark: World = first.map(([key]) => [key, new Unavailable("offline")]);
      const observed = await seen(dark);
      expect(reconcile(observed, snapshot)).toEqual({ kind: "unchanged" });
      const admitted = Object.keys(snapshot).length;
      const expected = admitted > 0 ? "replacement-blocked" : "replacement-ready";
      expect(replaceBaseline(observed, snapshot).kind).toBe(expected);
    }),
  );
});

test("I9: loaders finishing in any order give the same text and snapshot", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      arbitraryWorld(KEYS),
      arbitraryWorld(KEYS),
      async (scheduler, first, second) => {
        const delay = (key: string) => scheduler.schedule(Promise.resolve(), key);
        const before = scheduler.waitFor(observe(createWorldContext(first, delay)));
        const anyOrder = initialize(await before);
        expect(anyOrder).toEqual(initialize(await seen(first)));
        const { snapshot } = expectKind(anyOrder, "initialized");
        const after = await scheduler.waitFor(observe(createWorldContext(second, delay)));
        const inTurn = reconcile(await seen(second), snapshot);
        expect(JSON.stringify(reconcile(after, snapshot))).toBe(JSON.stringify(inTurn));
      },
    ),
  );
});

test("a first Baseline and an update from nothing say the same", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(KEYS), async (world) => {
      const observed = await seen(world);
      const { parts, snapshot } = expectKind(initialize(observed), "initialized");
      const result = reconcile(observed, emptySnapshot);
      if (parts.length === 0) expect(result).toEqual({ kind: "unchanged" });
      else expect(result).toMatchObject({ kind: "updated", parts, snapshot });
    }),
  );
});
