import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { config } from "../../../../scripts/mutate/config.mjs";

const LOWEST = 90;

test("every folder of the plugin has a bar for its mutation score, 90 at least", () => {
  const source = resolve(import.meta.dir, "../../src");
  const foldersIn = (path: string) =>
    readdirSync(resolve(source, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${path}${name}/`);
  const folders = foldersIn("").flatMap((name) => (name === "rooms/" ? foldersIn(name) : [name]));
  expect(folders).toContain("rooms/memory/");
  expect(folders.filter((name) => (config.bars[name] ?? 0) < LOWEST)).toEqual([]);
});
