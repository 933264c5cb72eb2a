// Finds OpenCode on this machine, and asks for its version.
// Folder: Where OpenCode is, its version and its config.
import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type Environment, placesOf } from "./places.ts";

/** OpenCode as found on this machine. */
export interface FoundHost {
  readonly path: string;
  readonly version: string;
}

/** Where it was looked for, in order, and what stood there without being OpenCode. */
export interface HostSearch {
  readonly found: FoundHost | null;
  readonly looked: readonly string[];
  readonly broken: readonly BrokenHost[];
}

export interface BrokenHost {
  readonly path: string;
  readonly reason: string;
}

const FILE = process.platform === "win32" ? "opencode.exe" : "opencode";
const VERSION_TIMEOUT_MS = 20_000;

/** Finds OpenCode: `OPENCODE_BIN`, then PATH, then the places that its installers use. */
export async function findHost(env: Environment): Promise<HostSearch> {
  const looked = [...new Set(candidates(env))];
  const broken: BrokenHost[] = [];
  for (const path of looked) {
    if (!isExecutable(path)) continue;
    const version = await versionOf(path, env);
    if (version.kind === "version") {
      return { found: { path, version: version.version }, looked, broken };
    }
    broken.push({ path, reason: version.reason });
  }
  return { found: null, looked, broken };
}

/** What stands there as a program, unasked: no time is spent on versions. */
export function executableHosts(env: Environment): readonly string[] {
  return [...new Set(candidates(env))].filter(isExecutable);
}

function candidates(env: Environment): readonly string[] {
  const { home } = placesOf(env);
  const named = env.OPENCODE_BIN ? [env.OPENCODE_BIN] : [];
  const onPath = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const usual = [
    join(home, ".opencode/bin"),
    join(home, ".local/bin"),
    join(home, ".bun/bin"),
    join(home, ".npm-global/bin"),
    dirname(process.execPath),
    "/opt/homebrew/bin",
    "/usr/local/bin",
  ];
  const folders = [...onPath, ...usual];
  // On Windows npm writes a .cmd beside it; the host's installers bring an .exe.
  return [...named, ...folders.map((folder) => join(folder, FILE))];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

type VersionAnswer =
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "broken"; readonly reason: string };

/** Not in step: a binary of this size takes a second to say it, in which a spinner should turn. */
function versionOf(path: string, env: Environment): Promise<VersionAnswer> {
  const options = {
    env: { ...env, BUN_BE_BUN: undefined },
    encoding: "utf8",
    timeout: VERSION_TIMEOUT_MS,
  } as const;
  return new Promise((resolve) => {
    execFile(path, ["--version"], options, (error, stdout, stderr) => {
      const version = /^\s*v?(\d+\.\d+\.\d+\S*)\s*$/m.exec(stdout)?.[1];
      if (error === null && version !== undefined) return resolve({ kind: "version", version });
      const said = (stderr || stdout).trim().split("\n")[0];
      const reason = said || error?.message || "--version says nothing";
      resolve({ kind: "broken", reason });
    });
  });
}
