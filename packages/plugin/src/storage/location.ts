// Finds the database's path, and keeps tests away from real databases.
import { realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { renderAdvice, StorageError } from "./errors.ts";

/** Holds the facts about the process that decide where the database is. */
export interface PathEnvironment {
  readonly platform: NodeJS.Platform;
  readonly homeDirectory: string;
  readonly temporaryDirectory: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export function readPathEnvironment(): PathEnvironment {
  return {
    platform: process.platform,
    homeDirectory: homedir(),
    temporaryDirectory: tmpdir(),
    variables: process.env,
  };
}

export const DATABASE_NAME = "runtime.db";

/** Returns `SESSION_RUNTIME_DB`, or else a path in the user's data folder by the platform's convention. */
export function resolveDatabasePath(surroundings: PathEnvironment): string {
  const { SESSION_RUNTIME_DB: chosen } = surroundings.variables;
  if (chosen) return resolve(chosen);
  return join(resolveDataFolder(surroundings), "session-runtime", DATABASE_NAME);
}

function resolveDataFolder({ platform, homeDirectory, variables }: PathEnvironment): string {
  const { XDG_DATA_HOME: xdg, LOCALAPPDATA: localAppData } = variables;
  // By the XDG specification a relative path is invalid and ignored.
  if (xdg && isAbsolute(xdg)) return xdg;
  if (platform !== "win32") return join(homeDirectory, ".local", "share");
  return localAppData || join(homeDirectory, "AppData", "Local");
}

/**
 * Prevents tests from opening a real database, whatever their configuration says.
 * @throws StorageError `unopenable` in a test for a path outside of the temporary directory.
 */
export function guardRealData(path: string, surroundings: PathEnvironment): void {
  const { NODE_ENV, SESSION_RUNTIME_TEST } = surroundings.variables;
  if (NODE_ENV !== "test" && SESSION_RUNTIME_TEST !== "1") return;
  const temporary = resolveRealPath(surroundings.temporaryDirectory);
  if (isWithin(temporary, resolveRealPath(path))) return;
  const detail = `this is a test (NODE_ENV=test or SESSION_RUNTIME_TEST=1), which may only use databases under ${temporary}`;
  throw new StorageError("unopenable", renderAdvice("unopenable", path, detail));
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

/** Resolves links as far as the path exists. */
function resolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing || dirname(path) === path) throw error;
    return join(resolveRealPath(dirname(path)), basename(path));
  }
}
