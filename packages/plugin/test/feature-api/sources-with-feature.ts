// A copy of the repository, and a fixture feature that is added to it as by hand: its folder, its line in the list,
// its row in one document. What is generated is not written by that.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../words.ts";

const FIXTURE = "packages/e2e/fixtures/features/where";
const FOLDER = "packages/plugin/src/features/where";
const LIST = "packages/plugin/src/features/list.ts";
const DOCUMENT = "docs/configuration.md";
/** The fixture imports the sources as other packages do. */
const FROM_PACKAGE = /"@session-runtime\/opencode\/([^"]+)"/g;

/** Links to the packages beside each other. */
const WORKSPACES = "node_modules/@session-runtime";
/** Where a clone has noted what was fetched. */
const HOST_NOTES = "node_modules/.cache/session-runtime";
const COPIED = ["@session-runtime", ".cache"];

export interface Copy {
  readonly path: string;
  run(command: string, ...args: readonly string[]): EndedRun;
  /** As somebody would do it by hand. */
  addFeature(): void;
  /** The files that have changed since it was made, without what is edited by hand. */
  changed(): readonly string[];
  remove(): void;
}

export interface EndedRun {
  readonly status: number | null;
  readonly output: string;
}

export function copyOfSources(): Copy {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "small-feature-")));
  const files = sourceFiles();
  for (const folder of new Set(files.map((file) => dirname(file)))) {
    mkdirSync(join(path, folder), { recursive: true });
  }
  for (const file of files) copyFileSync(join(ROOT, file), join(path, file));
  linkPackages(path);
  // The repository itself may be edited meanwhile.
  const copied = new Map(files.map((file) => [file, hashFile(path, file)]));
  return {
    path,
    run: (command, ...args) => {
      const { status, stdout, stderr } = spawnSync(command, args, {
        cwd: path,
        encoding: "utf8",
        env: { ...process.env, BUN_BE_BUN: "1" },
      });
      return { status, output: `${stdout}${stderr}` };
    },
    addFeature: () => addFeature(path),
    changed: () =>
      files.filter(
        (file) => ![LIST, DOCUMENT].includes(file) && hashFile(path, file) !== copied.get(file),
      ),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function hashFile(path: string, file: string): bigint {
  return Bun.hash.wyhash(readFileSync(join(path, file)));
}

function sourceFiles(): readonly string[] {
  const { stdout } = spawnSync("git", ["ls-files", "-coz", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(ROOT, file)));
}

/** Each package by itself, so that what a command caches among them stays in the copy. */
function linkPackages(path: string): void {
  for (const folder of ["node_modules", "packages/plugin/node_modules"]) {
    if (!existsSync(join(ROOT, folder))) continue;
    mkdirSync(join(path, folder));
    for (const name of readdirSync(join(ROOT, folder))) {
      if (!COPIED.includes(name)) symlinkSync(join(ROOT, folder, name), join(path, folder, name));
    }
  }
  const copied = { recursive: true, verbatimSymlinks: true };
  for (const place of [WORKSPACES, HOST_NOTES]) {
    if (existsSync(join(ROOT, place))) cpSync(join(ROOT, place), join(path, place), copied);
  }
}

function addFeature(path: string): void {
  mkdirSync(join(path, FOLDER));
  for (const name of readdirSync(join(path, FIXTURE))) {
    const text = readFileSync(join(path, FIXTURE, name), "utf8");
    writeFileSync(join(path, FOLDER, name), text.replaceAll(FROM_PACKAGE, '"../../$1.ts"'));
  }
  edit(join(path, LIST), [
    [
      "\n\nconst features: readonly Feature[] = [",
      '\nimport { whereFeature } from "./where/feature.ts";\n\nconst features: readonly Feature[] = [',
    ],
    ["  customSourcesFeature,\n];", "  customSourcesFeature,\n  whereFeature,\n];"],
  ]);
  const before = "| `augment.enabled` |";
  const row =
    "| `where.enabled` | `false` | off only | offers `/ctx-where`, which shows the folder of a session |";
  edit(join(path, DOCUMENT), [[before, `${row}\n${before}`]]);
}

function edit(path: string, changes: readonly (readonly [before: string, after: string])[]): void {
  const text = readFileSync(path, "utf8");
  const edited = changes.reduce((now, [before, after]) => {
    if (now.split(before).length !== 2) throw new Error(`${path} has no single ${before}`);
    return now.replace(before, () => after);
  }, text);
  writeFileSync(path, edited);
}
