// Loads a file or a glob of files for a custom source.
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { absent, type LoadResult, Unavailable } from "../../context/source.ts";
import { type Confinement, isWithin } from "../../sources/confinement.ts";
import { type FileCache, isFileText } from "../../sources/file-cache.ts";
import type { GlobWalker } from "../../sources/glob-walk.ts";
import { limitText } from "../../sources/text-limit.ts";

/** Reads a file's text without blanks at its end; absent where there is no file. An unchanged file costs one stat. */
export async function loadFile(path: string, files: FileCache): Promise<LoadResult<string>> {
  const seen = await files.observe(path);
  if (seen === "missing" || seen === "outside") return absent;
  if (seen === "irregular") return new Unavailable(`${path} is not a regular file`);
  return isFileText(seen) ? seen.content.trimEnd() : seen;
}

/** The directory, caches and bounds that a glob is read with. */
interface GlobDeps {
  readonly directory: string;
  readonly files: FileCache;
  readonly globs: GlobWalker;
  readonly confinement: Confinement | null;
}

/** The texts of all files that match, by path, each under its path; absent where none matches. */
export async function loadGlob(pattern: string, deps: GlobDeps): Promise<LoadResult<string>> {
  const { directory, files, globs, confinement } = deps;
  const place = patternPlace(pattern, directory);
  const found = await globs.files(place.pattern, {
    cwd: place.cwd,
    dots: "unmatched",
    confinement,
  });
  if (found instanceof Unavailable) return found;
  const paths = found.toSorted();
  files.keepFor(pattern, new Set(paths));
  const texts: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    // The text beyond the limit would be cut off: it is not read.
    if (bytes > files.limitBytes) break;
    const seen = await files.observe(path);
    if (seen === "irregular" || seen === "outside") continue;
    // A file that was listed a moment ago and is missing now was not seen to be absent.
    if (seen === "missing") return new Unavailable(`${path} vanished`);
    if (!isFileText(seen)) return seen;
    const text = `${displayPath(path, directory)}:\n${seen.content.trimEnd()}`;
    texts.push(text);
    bytes += Buffer.byteLength(text);
  }
  return texts.length === 0 ? absent : limitText(texts.join("\n\n"), files.limitBytes);
}

/**
 * Finds the folder that a pattern is walked from: names of folders above the directory are not part of the
 * pattern.
 */
function patternPlace(pattern: string, directory: string): { cwd: string; pattern: string } {
  if (pattern.startsWith("~/")) return { cwd: homedir(), pattern: pattern.slice(2) };
  if (isAbsolute(pattern)) return { cwd: "/", pattern: pattern.slice(1) };
  return { cwd: directory, pattern };
}

/** `~/` is the user's home folder; what is not absolute is below the directory. */
export function absolutePath(path: string, directory: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(directory, path);
}

function displayPath(path: string, directory: string): string {
  return isWithin(directory, path) ? relative(directory, path) : path;
}
