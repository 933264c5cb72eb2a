// The files that may hold configuration, in order of precedence.
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Config } from "./schema.ts";

/** Holds the process's environment and the user's home folder. */
interface UserEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Holds the facts that decide where configuration files are. */
export interface ConfigEnvironment extends UserEnvironment {
  readonly folders: SettingsFolders;
}

/** The folders with settings; later folders win. */
export interface SettingsFolders {
  /** The user's own folders. */
  readonly user: readonly string[];
  /** Names of folders within each folder of a project, which win over that folder itself. */
  readonly inProject: readonly string[];
}

/** A file that may hold configuration. */
export interface Candidate {
  readonly path: string;
  readonly scope: "user" | "project";
}

const CONFIG_FILE_NAMES = ["session-runtime.json", "session-runtime.jsonc"] as const;

/** Returns the folders that all hosts read. */
export function resolveSharedFolders({ env, home }: UserEnvironment): SettingsFolders {
  const global = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  return { user: [global], inProject: [".opencode"] };
}

/** Adds a host's own folders, which win over the shared ones. */
export function mergeSharedFolders(user: UserEnvironment, own: SettingsFolders): SettingsFolders {
  const shared = resolveSharedFolders(user);
  return {
    user: [...shared.user, ...own.user],
    inProject: [...shared.inProject, ...own.inProject],
  };
}

/**
 * Lists every file that may hold configuration, in order of precedence (later files win): those in the user's
 * folders, those of the project from the worktree down to the directory (in each folder `.opencode/` wins
 * over the folder itself), and those in the folder that OPENCODE_CONFIG_DIR names, which the host also reads
 * last.
 */
export function listConfigCandidates(
  project: { readonly directory: string; readonly worktree: string },
  { env, folders }: ConfigEnvironment,
): readonly Candidate[] {
  const own = env.OPENCODE_CONFIG_DIR ? [resolve(env.OPENCODE_CONFIG_DIR)] : [];
  const projectFolders = isFlagSet(env.OPENCODE_DISABLE_PROJECT_CONFIG)
    ? []
    : listFoldersDownTo(project.directory, project.worktree).flatMap((folder) => [
        folder,
        ...folders.inProject.map((name) => join(folder, name)),
      ]);
  const userFolders = new Set([...folders.user, ...own]);
  return [
    ...folders.user.flatMap((folder) => listCandidates(folder, "user")),
    ...projectFolders
      .filter((folder) => !userFolders.has(folder))
      .flatMap((folder) => listCandidates(folder, "project")),
    ...own
      .filter((folder) => !folders.user.includes(folder))
      .flatMap((folder) => listCandidates(folder, "user")),
  ];
}

/** Returns the path of the user's own file, for a setting that a project's file may not contain. */
export function resolveOwnConfigFile({ home, folders }: ConfigEnvironment): string {
  return join(folders.user.at(-1) ?? home, "session-runtime.jsonc");
}

/** Returns the absolute path of the database that the user chose; null for storage's own default. */
export function resolveStoragePath(config: Config, home: string): string | null {
  return expandHome(config.storage.path, home);
}

/** Returns the log's absolute path: the user's choice, or a file next to the database. */
export function resolveLogPath(config: Config, home: string, databasePath: string): string {
  return expandHome(config.log.path, home) ?? join(dirname(databasePath), "runtime.log");
}

function expandHome(path: string | null, home: string): string | null {
  return path?.startsWith("~/") ? join(home, path.slice(2)) : path;
}

function listCandidates(folder: string, scope: Candidate["scope"]): readonly Candidate[] {
  return CONFIG_FILE_NAMES.map((name) => ({ path: join(folder, name), scope }));
}

/** Returns the folders from the worktree down to the directory; only the directory if it lies outside. */
function listFoldersDownTo(directory: string, worktree: string): readonly string[] {
  const nearest = resolve(directory);
  const top = resolve(worktree);
  const way = relative(top, nearest);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return [nearest];
  const folders = [nearest];
  for (let folder = nearest; folder !== top; folder = dirname(folder)) {
    folders.unshift(dirname(folder));
  }
  return folders;
}

/** Says whether a variable is set, as the host reads its own flags. */
function isFlagSet(value: string | undefined): boolean {
  return value === "1" || value?.toLowerCase() === "true";
}
