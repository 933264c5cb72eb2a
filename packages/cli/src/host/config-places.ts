// Lists the config files that the host reads, for the user and for a project.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Environment, resolvePlaces } from "./places.ts";

/** Says whose config is meant: the user's or a project's. */
export type Scope = "global" | "project";

/** Lists the files of one scope that may list plugins, in the order in which the host reads them. */
export interface ScopeFiles {
  readonly folder: string;
  readonly server: readonly string[];
  readonly terminal: readonly string[];
  /** Says which `plugin` lists of `server` the host uses: among the user's files, only the last one. */
  readonly counts: "last-list" | "every-list";
  /** The path for a new file. */
  readonly newServer: string;
  readonly newTerminal: string;
  readonly settings: string;
}

export function scopeFiles(scope: Scope, env: Environment, directory: string): ScopeFiles {
  switch (scope) {
    case "global": {
      const folder = resolvePlaces(env).hostConfig;
      const inFolder = (name: string) => join(folder, name);
      return {
        folder,
        server: ["config.json", "opencode.json", "opencode.jsonc"].map(inFolder),
        terminal: ["tui.json", "tui.jsonc"].map(inFolder),
        counts: "last-list",
        newServer: inFolder("opencode.jsonc"),
        newTerminal: inFolder("tui.json"),
        settings: inFolder("session-runtime.jsonc"),
      };
    }
    case "project": {
      const root = findWorktree(directory);
      const folder = join(root, ".opencode");
      const both = (place: string, name: string) => [
        join(place, `${name}.json`),
        join(place, `${name}.jsonc`),
      ];
      return {
        folder,
        server: [...both(root, "opencode"), ...both(folder, "opencode")],
        terminal: [...both(root, "tui"), ...both(folder, "tui")],
        counts: "every-list",
        newServer: join(folder, "opencode.json"),
        newTerminal: join(folder, "tui.json"),
        settings: join(folder, "session-runtime.jsonc"),
      };
    }
  }
}

/** Returns the nearest folder with `.git`, upward from `directory`; else `directory` itself. */
export function findWorktree(directory: string): string {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return resolve(directory);
  }
}
