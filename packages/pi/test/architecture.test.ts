import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PI_OLDEST, PI_PINNED } from "../../../scripts/pi-install.mjs";

const source = resolve(import.meta.dir, "../src");
const plugin = resolve(import.meta.dir, "../../plugin/src");

function filesIn(folder: string): readonly (readonly [path: string, text: string])[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(join(folder, path), "utf8")] as const);
}

describe("the edge to Pi", () => {
  test("has at most 2,500 lines, and no file over 300", () => {
    const lines = filesIn(source).map(([path, text]) => [path, text.split("\n").length] as const);
    expect(lines.filter(([, count]) => count > 300)).toEqual([]);
    expect(lines.reduce((sum, [, count]) => sum + count, 0)).toBeLessThan(2_500);
  });

  test("no test names a version of Pi: it runs on any that PI_VERSION names", () => {
    const all = ["cli", "e2e", "pi"].flatMap((name) =>
      filesIn(resolve(import.meta.dir, "../..", name, "test")),
    );
    expect(all.length).toBeGreaterThan(100);
    const naming = all.filter(([, text]) => text.includes(PI_OLDEST) || text.includes(PI_PINNED));
    expect(naming.map(([path]) => path)).toEqual([]);
  });

  test("is known to no line of the kernel or of a feature", () => {
    const all = filesIn(plugin);
    expect(all.length).toBeGreaterThan(300);
    const knowing = all.filter(([, text]) => /\bPi\b|PI_CODING|earendil|packages\/pi/.test(text));
    expect(knowing.map(([path]) => path)).toEqual([]);
  });

  test("imports no package but Pi's own, Node's and the plugin's: the bundle holds the rest", () => {
    const imports = filesIn(source).flatMap(([path, text]) =>
      [...text.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => `${path}: ${name}`),
    );
    expect(imports.length).toBeGreaterThan(20);
    expect(
      imports.filter(
        (line) =>
          !/: (?:\.{1,2}\/|node:|@earendil-works\/|@session-runtime\/opencode\/)/.test(line),
      ),
    ).toEqual([]);
  });
});
