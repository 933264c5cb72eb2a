// The package.json that is published.
import { basename, extname } from "node:path";

/** Keys of a package in the repository that mean nothing to who installs it. */
const OURS = ["scripts", "devDependencies", "dependencies", "files", "main", "exports", "bin"];

/**
 * The published package.json. What is bundled is not a dependency any more: installing the package
 * fetches what is left out, if anything.
 */
export function publishedManifest({ manifest, outside }) {
  const kept = Object.fromEntries(Object.entries(manifest).filter(([key]) => !OURS.includes(key)));
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).filter(([name]) => outside.includes(name)),
  );
  return {
    ...kept,
    files: ["*.js", "*.d.ts", "*.json", "THIRD-PARTY-LICENSES", "CHANGELOG.md"],
    ...entryPoints(manifest),
    ...(Object.keys(dependencies).length > 0 ? { dependencies } : {}),
    publishConfig: { access: "public", provenance: true },
  };
}

function entryPoints({ main, exports, bin }) {
  const points = {};
  if (main !== undefined) Object.assign(points, { main: `./${built(main)}.js` });
  if (main !== undefined) Object.assign(points, { types: `./${built(main)}.d.ts` });
  if (exports !== undefined) {
    const mapped = publishedExports(exports).map(([key, path]) => [key, toExportEntry(path)]);
    points.exports = Object.fromEntries([...mapped, ["./package.json", "./package.json"]]);
  }
  if (bin !== undefined) {
    const mapped = Object.entries(bin).map(([name, path]) => [name, `./${basename(path)}`]);
    points.bin = Object.fromEntries(mapped);
  }
  return points;
}

/**
 * The exports that the published package has, as pairs of name and path. Those of whole folders are for the other
 * packages of the repository, which have them bundled in.
 */
export function publishedExports(exports) {
  return Object.entries(exports).filter(([key]) => !key.endsWith("/*"));
}

function toExportEntry(path) {
  if (!isSource(path)) return path;
  return { types: `./${built(path)}.d.ts`, default: `./${built(path)}.js` };
}

export function isSource(path) {
  return [".ts", ".tsx"].includes(extname(path));
}

function built(path) {
  return basename(path, extname(path));
}
