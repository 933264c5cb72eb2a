// A throwaway home folder with everything that the host reads and writes.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject } from "../json.ts";

/** Files by relative path. */
export type Files = Readonly<Record<string, string>>;

/** A throwaway home folder with everything that the host reads and writes. */
export interface Home {
  readonly root: string;
  readonly config: string;
  readonly data: string;
  readonly projects: string;
  /** The runtime's own database. */
  readonly database: string;
  remove(): void;
}

export function makeHome(): Home {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-e2e-")));
  const home = {
    root,
    config: join(root, ".config"),
    data: join(root, ".local/share"),
    projects: join(root, "projects"),
    database: join(root, "session-runtime/runtime.db"),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
  for (const folder of [home.config, home.data, home.projects]) {
    mkdirSync(folder, { recursive: true });
  }
  return home;
}

export function writeHostConfig(home: Home, config: JsonObject): void {
  const folder = join(home.config, "opencode");
  writeFiles(folder, { "opencode.json": JSON.stringify(config, null, 2) });
  settleDependencies(folder);
}

/**
 * The host installs its plugin package from the registry into every config folder, and waits for
 * that before it loads plugins, unless folder and lock file look as if it had been done.
 */
function settleDependencies(folder: string): void {
  const root = { dependencies: { "@opencode-ai/plugin": "*" } };
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  writeFiles(folder, {
    "package.json": JSON.stringify(root),
    "package-lock.json": JSON.stringify({ lockfileVersion: 3, packages: { "": root } }),
  });
}

/** A git-initialised folder with one commit, so that it is a project of its own to the host. */
export function makeProject(home: Home, name: string, files: Files): string {
  const folder = join(home.projects, name);
  writeFiles(folder, files);
  const stamp = "2026-01-01T00:00:00Z";
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home.root,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_DATE: stamp,
    GIT_COMMITTER_DATE: stamp,
  };
  git(folder, env, "init", "--quiet", "--initial-branch=main");
  git(folder, env, "add", "--all");
  const identity = ["-c", "user.name=e2e", "-c", "user.email=e2e@localhost"];
  git(folder, env, ...identity, "commit", "--quiet", "--allow-empty", `--message=${name}`);
  const own = join(folder, ".opencode");
  if (existsSync(own)) settleDependencies(own);
  return folder;
}

export function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}

function git(cwd: string, env: Record<string, string>, ...args: readonly string[]): void {
  const result = Bun.spawnSync(["git", ...args], { cwd, env });
  if (!result.success) throw new Error(`git ${args.join(" ")}: ${result.stderr.toString()}`);
}
