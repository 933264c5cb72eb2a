// Finds the file names in a memory's text. Pure.

/** A name with a folder, or one with an ending that files of code have. */
const PATH = /[\w@.~/-]*[\w@~-][\w@.~/-]*/gu;
const ENDING =
  /\.(?:[cm]?[jt]sx?|json[c5]?|md|ya?ml|toml|py|go|rs|rb|java|kt|swift|cs?|h|cpp|sh|sql|html|css|lock|cfg|ini|env\.example|txt|proto|graphql|xml|gradle)$/iu;
const MAX_PATHS = 8;

/**
 * Returns paths as they stand in the text, relative to the project's root. A path that leads out of the
 * project doesn't count, nor does an address, a version or a plain word with a slash.
 */
export function namedPaths(text: string): readonly string[] {
  const bare = text.replace(/[a-z][a-z0-9+.-]*:\/\/\S+/giu, " ");
  const found = [...bare.matchAll(PATH)].flatMap(([written]) => {
    const path = written.replace(/^\.\//u, "").replace(/\.+$/u, "");
    return isPath(path) ? [path] : [];
  });
  return [...new Set(found)].slice(0, MAX_PATHS);
}

function isPath(path: string): boolean {
  if (/^[/~]/u.test(path) || path.split("/").includes("..")) return false;
  return ENDING.test(path);
}
