// What a newcomer's first commands in a clone rest on.
import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sourceFilesIn } from "../../plugin/test/import-graph.ts";
import { processFolder } from "./process-folder.ts";
import { makeHome } from "./throwaway-home.ts";

setDefaultTimeout(600_000);

const ROOT = join(import.meta.dir, "../../..");
const MANIFEST_PARTS = ["dependencies", "devDependencies", "peerDependencies"] as const;

function json(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

test("the lock file has the manifests' ranges, so that `npm install` leaves a clone as it is", () => {
  const { packages } = json("package-lock.json");
  for (const folder of ["", "packages/plugin", "packages/cli", "packages/e2e"]) {
    const manifest = json(join(folder, "package.json"));
    for (const part of MANIFEST_PARTS) {
      expect(packages[folder][part] ?? {}, folder).toEqual(manifest[part] ?? {});
    }
  }
});

test("`npm ci` takes the lock file, and `npm install` writes no other one: a clone stays as it was", () => {
  const copy = mkdtempSync(join(processFolder(), "clone-"));
  const folders = ["", ...["plugin", "cli", "e2e", "pi"].map((name) => `packages/${name}`)];
  const files = [".npmrc", "package-lock.json", ...folders.map((one) => join(one, "package.json"))];
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(copy, file));
  }
  const git = (...words: readonly string[]) =>
    Bun.spawnSync(["git", "-C", copy, ...words]).stdout.toString();
  git("init", "-q");
  git("add", "-A");
  const alone = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  for (const words of [
    ["ci", "--dry-run"],
    ["install", "--package-lock-only"],
  ]) {
    const { exitCode, stderr } = Bun.spawnSync(["npm", ...words, ...alone], {
      cwd: copy,
      env: { HOME: makeHome().root, PATH: process.env.PATH },
    });
    expect({ words, exitCode, said: exitCode === 0 ? "" : stderr.toString() }).toEqual({
      ...{ words, exitCode: 0, said: "" },
    });
  }
  expect(
    git("status", "--porcelain")
      .split("\n")
      .filter((line) => !line.startsWith("A  ")),
  ).toEqual([""]);
});

test("the plugin depends on nothing that its own sources don't import", () => {
  const { dependencies } = json("packages/plugin/package.json");
  const texts = sourceFilesIn(join(ROOT, "packages/plugin/src")).map(({ text }) => text);
  const all = texts.join("\n");
  const isImported = (one: string) => all.includes(`"${one}"`) || all.includes(`"${one}/`);
  expect(Object.keys(dependencies).filter((one) => !isImported(one))).toEqual([]);
});

/** Named by a package beside it, and not published in its version. */
const NEVER_PUBLISHED = ["@opentui/core-linux-arm64-musl"];

test("the lock file has each platform's packages, so that `npm ci` takes it, on every platform", () => {
  const { packages } = json("package-lock.json");
  const named = Object.entries<{ optionalDependencies?: Record<string, string> }>(packages).flatMap(
    ([path, entry]) => Object.keys(entry.optionalDependencies ?? {}).map((name) => [path, name]),
  );
  expect(named.length).toBeGreaterThan(30);
  const isThere = (path: string, name: string) =>
    `${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages;
  const missing = named.filter(([path = "", name = ""]) => !isThere(path, name));
  expect(missing.map(([, name]) => name)).toEqual(NEVER_PUBLISHED);
});

test("`npm run cli` looks for the user's OpenCode, not for the clone's own, which is for tests", () => {
  const { stdout, stderr } = Bun.spawnSync(["npm", "run", "cli", "--", "doctor", "--no-live"], {
    cwd: ROOT,
    env: { HOME: makeHome().root, PATH: process.env.PATH },
  });
  const said = `${stdout}${stderr}`;
  expect(said).toMatch(/OpenCode (?:is installed: |was not found|at )/);
  expect(said).not.toContain("node_modules/.bin/opencode");
});

test("what OpenCode said of itself ends with one full stop", async () => {
  const home = makeHome();
  home.write(".fake-bin/opencode", "#!/bin/sh\necho 'It was not installed.' >&2\nexit 1\n");
  const { err } = await home.run("setup", "--dry-run", "--spec", "./x");
  expect(err).toContain("opencode does not work. It ended with exit code 1");
  expect(err).toContain("It was not installed.\n");
});

test.each(["setup --dry-run", "doctor --no-live"])(
  "in a clone, `%s` says that OPENCODE_BIN names no program",
  (words) => {
    const home = makeHome();
    const { stdout, stderr } = Bun.spawnSync(
      ["npm", "run", "-s", "cli", "--", ...words.split(" ")],
      {
        cwd: ROOT,
        env: { HOME: home.root, PATH: process.env.PATH, OPENCODE_BIN: home.path("gone") },
      },
    );
    const said = `${stdout}${stderr}`.replaceAll("~/", `${home.root}/`);
    expect(said).toContain(`OPENCODE_BIN names ${home.path("gone")}, where there is no program.`);
    expect(said).not.toMatch(/^\s+at /m);
  },
);
