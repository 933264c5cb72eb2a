// Finds which of the files that memories name exist, and reads them; never runs or writes any of them.
import { realpath } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { maskSecrets } from "../../log/secrets.ts";
import { askGit } from "../../project/ask-git.ts";
import { Confinement, readFile, threadDisk } from "../../sources/read-file.ts";

const MAX_FILE_BYTES = 262_144;

/** The content of these files counts as secret, whatever it looks like. */
const PRIVATE_PATH_PATTERN =
  /(?:^|\/)(?:\.env(?!\.example)|.*\.(?:pem|key|p12|pfx|keystore)$|id_[a-z0-9]+$|\.npmrc$|\.netrc$)/i;

export interface ProjectFiles {
  /** Finds out which files exist; leaves a path out if that is uncertain. */
  readonly look: (paths: readonly string[]) => Promise<ReadonlyMap<string, "there" | "gone">>;
  /**
   * Reads the files that are readable and, if the project uses git, tracked. Their size is limited, and
   * secrets are masked.
   */
  readonly read: (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Creates access to the files in `root`; nothing outside it is read, wherever links lead. */
export function createProjectFiles(root: string): ProjectFiles {
  return {
    async look(paths) {
      const tracked = await readTrackedFiles(root);
      const found = await Promise.all(
        paths.map(async (path) => [path, await locateFile(root, path, tracked)] as const),
      );
      return new Map(
        found.flatMap(([path, at]) =>
          at.kind === "unknown" ? [] : [[path, at.kind === "gone" ? "gone" : "there"] as const],
        ),
      );
    },
    async read(paths) {
      const texts = new Map<string, string>();
      const tracked = await readTrackedFiles(root);
      for (const path of paths) {
        const at = await locateFile(root, path, tracked);
        if (at.kind !== "there" || !at.readable) continue;
        const text = await tryReadText(root, at.path, tracked);
        if (text !== null) texts.set(path, maskSecrets(text));
      }
      return texts;
    },
  };
}

type FileLookup =
  | { readonly kind: "there"; readonly path: string; readonly readable: boolean }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

/** The tracked paths by file name; null without git. */
type TrackedFiles = ReadonlyMap<string, readonly string[]> | null;

async function readTrackedFiles(root: string): Promise<TrackedFiles> {
  const listed = await askGit(root, ["ls-files", "-z"]);
  if (listed === null) return null;
  const byName = new Map<string, string[]>();
  for (const path of listed.split("\0")) {
    const name = basename(path);
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  return byName;
}

/** Locates a file that a memory names; the path may be relative to a subfolder. */
async function locateFile(root: string, path: string, tracked: TrackedFiles): Promise<FileLookup> {
  const under = tracked?.get(basename(path)) ?? [];
  const matches = under.filter((one) => one === path || one.endsWith(`/${path}`));
  const exact = matches.includes(path) ? [path] : matches;
  const there = await checkPresence(join(root, exact[0] ?? path));
  if (there === "unknown") return { kind: "unknown" };
  if (there === "there") {
    // If several files match, it is unknown which of them the memory means.
    if (exact.length > 1) return { kind: "unknown" };
    return {
      kind: "there",
      path: exact[0] ?? path,
      readable: tracked === null || exact.length === 1,
    };
  }
  // Without git, a bare file name may belong to a file anywhere in the project.
  return tracked !== null || path.includes("/") ? { kind: "gone" } : { kind: "unknown" };
}

async function checkPresence(path: string): Promise<"there" | "gone" | "unknown"> {
  try {
    await realpath(path);
    return "there";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    return code === "ENOENT" || code === "ENOTDIR" ? "gone" : "unknown";
  }
}

/** Also checks the file that a link leads to, because it may be private or untracked. */
async function isReadable(root: string, path: string, tracked: TrackedFiles): Promise<boolean> {
  const target = relative(await realpath(root), await realpath(join(root, path)));
  if (PRIVATE_PATH_PATTERN.test(path) || PRIVATE_PATH_PATTERN.test(target)) return false;
  return tracked === null || (tracked.get(basename(target)) ?? []).includes(target);
}

/** Returns null if the file has no text, doesn't belong to the project, or can't be read any more. */
async function tryReadText(
  root: string,
  path: string,
  tracked: TrackedFiles,
): Promise<string | null> {
  const confinement = new Confinement(root, () => undefined);
  const settings = { limitBytes: MAX_FILE_BYTES, now: () => 0, confinement };
  try {
    if (!(await isReadable(root, path, tracked))) return null;
    const file = await readFile(join(root, path), settings, threadDisk);
    if (file === "irregular" || file === "outside" || file.content.includes("\0")) return null;
    return file.content;
  } catch (error) {
    // The file was removed or made unreadable after it was checked.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
