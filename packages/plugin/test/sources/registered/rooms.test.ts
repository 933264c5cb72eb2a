import { expect, test } from "bun:test";
import { Registry } from "../../../src/context/registry.ts";
import { emptySnapshot } from "../../../src/context/snapshot.ts";
import { combine, make } from "../../../src/context/system-context.ts";
import { AddedSources } from "../../../src/sources/custom/added-sources.ts";
import { permanent } from "../../context/fake-source.ts";
import { SCOPE } from "../custom/follow.ts";

const context = (...keys: readonly string[]) =>
  combine(keys.map((key) => make(permanent(key, key).definition)));

test("of two rooms with one key the first keeps it, and the other one's further sources hold", async () => {
  const sources = new AddedSources({
    rooms: [() => context("team/a", "team/b"), () => context("team/b", "team/c")],
    registry: new Registry(),
    timeoutMs: 100,
  });
  const builtIn = context("core/date");
  const composed = await sources.context({ scope: SCOPE, told: emptySnapshot, builtIn });
  expect(composed.sources.map(({ key }) => key as string)).toEqual([
    "core/date",
    "team/a",
    "team/b",
    "team/c",
  ]);
});
