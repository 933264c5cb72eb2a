// Finds a project's folder by its `.git`, never by the repository's settings.
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** Names a working folder and the root of its project, both without links. */
export interface ProjectPlace {
  readonly directory: string;
  readonly root: string;
  /** False where no folder around it has a `.git`, so that git knows nothing of it. */
  readonly isRepository: boolean;
}

/**
 * Finds the root: the nearest folder with a `.git`, or the directory itself if there is none. Git isn't asked,
 * because an unpacked repository can call any folder its worktree. A folder that is or contains the user's
 * home is nobody's project, although it may be a repository.
 */
export function projectPlace(directory: string, home: string = homedir()): ProjectPlace {
  const start = withoutLinks(directory);
  const end = withoutLinks(home);
  for (let folder = start; !isWithin(folder, end); folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")))
      return { directory: start, root: folder, isRepository: true };
    if (dirname(folder) === folder) break;
  }
  return { directory: start, root: start, isRepository: false };
}

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Resolves links; a folder that is gone or unreadable keeps its path. */
function withoutLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error) return folder;
    throw error;
  }
}
