import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { config } from "../../../../scripts/mutate/config.mjs";
import { ROOT } from "../words.ts";

const MIN_BAR = 90;

test("every folder of the plugin has a bar for its mutation score, 90 at least, and some a higher one", () => {
  const bars = Object.entries(config.bars);
  expect(bars.filter(([, bar]) => bar < MIN_BAR)).toEqual([]);
  expect(config.bars).toMatchObject({
    "features/memory/": MIN_BAR,
    "session/": 95,
    "features/inbox/": 95,
  });
  expect(config.bars).not.toHaveProperty(["features/"]);
  const gone = bars.filter(([name]) => !existsSync(join(ROOT, "packages/plugin/src", name)));
  expect(gone).toEqual([]);
});
