// Loads a file or a glob of files for a custom source.
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { absent, type Loaded, Unavailable } from "../../context/source.ts";
import { type FileCache, isFileText } from "../file-cache.ts";
import { globFiles } from "../glob-walk.ts";
import { limitText } from "../text-limit.ts";

/** More files than this are no context, and reading them would hold a model call. */
const maxFiles = 256;

/** One file's text; absent where there is none. An unchanged file costs one stat. */
export async function loadFile(path: string, files: FileCache): Promise<Loaded<string>> {
  const seen = await files.observe(path);
  if (seen === "missing") return absent;
  if (seen === "irregular") return new Unavailable(`${path} is no regular file`);
  return isFileText(seen) ? seen.content : seen;
}

/** The texts of all files that match, by path, each under its path; absent where none matches. */
export async function loadGlob(
  pattern: string,
  directory: string,
  files: FileCache,
): Promise<Loaded<string>> {
  const place = absolutePath(pattern, directory);
  const paths = await globFiles(place.slice(1), "/", "unmatched");
  files.keepFor(place, new Set(paths));
  if (paths.length === 0) return absent;
  if (paths.length > maxFiles) {
    return new Unavailable(`${pattern} matches ${paths.length} files, more than ${maxFiles}`);
  }
  const texts: string[] = [];
  for (const path of paths.toSorted()) {
    const seen = await files.observe(path);
    if (seen === "irregular") continue;
    // What was listed a moment ago and is gone now was not seen to be absent.
    if (seen === "missing") return new Unavailable(`${path} vanished`);
    if (!isFileText(seen)) return seen;
    texts.push(`${labelOf(path, directory)}:\n${seen.content}`);
  }
  return texts.length === 0 ? absent : limitText(texts.join("\n\n"), files.limitBytes);
}

/** `~/` is the user's home folder; what is not absolute is below the directory. */
export function absolutePath(path: string, directory: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(directory, path);
}

function labelOf(path: string, directory: string): string {
  const way = relative(directory, path);
  return way.startsWith("..") || isAbsolute(way) ? path : way;
}
