// Which folder a project is: by where its `.git` lies, never by what the repository's settings say.
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** A folder in which work is done, and the root of the project that it belongs to; both without links. */
export interface ProjectPlace {
  readonly directory: string;
  readonly root: string;
  /** Where no folder around it has a `.git`, git has nothing to say of it. */
  readonly isRepository: boolean;
}

/**
 * The root is the nearest folder with a `.git`; where there is none, the directory itself. Git isn't asked:
 * an unpacked repository calls any folder its worktree. A folder that holds the user's home, or is it, is
 * nobody's project, although one may keep it in a repository.
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

/** A folder that is gone, or may not be looked at, is where it says that it is. */
function withoutLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error) return folder;
    throw error;
  }
}
